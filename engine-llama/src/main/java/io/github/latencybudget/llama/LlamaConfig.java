package io.github.latencybudget.llama;

import io.github.latencybudget.inference.MeasurementException;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * The shape of a Llama model and the constants of its arithmetic. The names in messages are those of Hugging Face's
 * {@code config.json}.
 *
 * @param name what the model is called in results
 * @param hidden width of the residual stream
 * @param intermediate width inside the feed-forward block
 * @param layers number of decoder layers
 * @param heads number of query heads
 * @param kvHeads number of key and value heads, a divisor of {@code heads}
 * @param headDim width of a head, even
 * @param vocabulary number of token ids
 * @param context how many tokens prompt and output may have together
 * @param epsilon added to the mean square in the RMS norm
 * @param ropeTheta base of the rotary position embedding
 * @param ropeFactor what its positions are divided by (linear scaling); 1 for none, as in Llama 2 itself
 * @param tiedHead whether the embedding serves as output matrix too
 * @param bos the id that starts every prompt
 * @param eos the ids that end an output, possibly none
 */
record LlamaConfig(
        String name,
        int hidden,
        int intermediate,
        int layers,
        int heads,
        int kvHeads,
        int headDim,
        int vocabulary,
        int context,
        double epsilon,
        double ropeTheta,
        double ropeFactor,
        boolean tiedHead,
        int bos,
        Set<Integer> eos) {

    /** Far above any model, and low enough that no size in bytes overflows a {@code long}. */
    private static final int MOST_LAYERS = 10_000;

    private static final int WIDEST = 1 << 20;
    private static final int MOST_TOKENS = 1 << 24;

    /** @throws MeasurementException for a value that no Llama model can have: names it */
    LlamaConfig {
        eos = Set.copyOf(eos);
        within("hidden_size", hidden, WIDEST);
        within("intermediate_size", intermediate, WIDEST);
        within("num_hidden_layers", layers, MOST_LAYERS);
        within("num_attention_heads", heads, WIDEST);
        within("num_key_value_heads", kvHeads, WIDEST);
        within("head_dim", headDim, WIDEST / heads);
        within("vocab_size", vocabulary, MOST_TOKENS);
        within("max_position_embeddings", context, MOST_TOKENS);
        check(heads % kvHeads == 0, "num_key_value_heads", kvHeads, "must divide num_attention_heads = " + heads);
        check(headDim % 2 == 0, "head_dim", headDim, "must be even, because RoPE turns pairs");
        check(epsilon > 0 && epsilon < 1, "rms_norm_eps", epsilon, "must be between 0 and 1");
        check(ropeTheta >= 1 && ropeTheta < 1e12, "rope_theta", ropeTheta, "must be between 1 and 1e12");
        check(bos >= 0 && bos < vocabulary, "bos_token_id", bos, "must be below vocab_size = " + vocabulary);
        for (int id : new TreeSet<>(eos)) {
            check(id >= 0 && id < vocabulary, "eos_token_id", id, "must be below vocab_size = " + vocabulary);
        }
    }

    private static void within(String name, int value, int most) {
        check(value >= 1, name, value, "must be at least 1");
        check(value <= most, name, value, "must be at most " + most);
    }

    private static void check(boolean holds, String name, Object value, String rule) {
        if (!holds) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "%s = %s %s; correct it in the model's shape (config.json, or the text after synthetic:)",
                    name,
                    value,
                    rule));
        }
    }

    /** {@return how many trained numbers the model has} */
    long parameters() {
        long attention = (long) hidden * headDim * (2L * heads + 2L * kvHeads);
        long feedForward = 3L * hidden * intermediate;
        long ends = (tiedHead ? 1L : 2L) * vocabulary * hidden + hidden;
        return layers * (attention + feedForward + 2L * hidden) + ends;
    }

    /**
     * {@return how many bytes the engine takes at most to make the tables of the rotary position embedding, which cover the whole
     * context: two in the type {@code dtype}, and what they are computed from in fp32}
     */
    long positionBytes(Dtype dtype) {
        return (long) context * headDim * (2L * dtype.bytes() + 10);
    }

    /**
     * {@return the angle, in radians, by which RoPE turns each pair of a head from one position to the next: {@code headDim / 2}
     * numbers, rounded to {@code float} wherever transformers rounds them}
     */
    float[] ropeFrequencies() {
        float[] frequencies = new float[headDim / 2];
        for (int i = 0; i < frequencies.length; i++) {
            float power = (float) Math.pow(ropeTheta, 2 * i / (float) headDim);
            frequencies[i] = 1 / power / (float) ropeFactor;
        }
        return frequencies;
    }

    /** {@return how many bytes the keys and values of one token take in the type {@code dtype}} */
    long cacheBytesPerToken(Dtype dtype) {
        return 2L * layers * kvHeads * headDim * dtype.bytes();
    }
}
