package io.github.latencybudget.llama;

import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.TargetSpec;
import io.github.latencybudget.trace.Sampling;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.apiguardian.api.API;

/**
 * What the KV cache of a Llama model really is, step by step and layer by layer, beside what it should be.
 *
 * <pre>{@code
 * KvCacheAnalysis analysis = KvCacheAnalysis.of(spec, 128, 64, Progress.NONE);
 * assertThat(analysis.findings()).as(analysis.toString()).isEmpty();
 * }</pre>
 *
 * @param expected what every layer should be
 * @param steps what was read, in order; generation 0 is a warm-up, whose memory is not judged
 * @param findings what is not as expected, none where all is well
 * @param notes what could not be judged, and what growth of memory would have been too small to be seen
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record KvCacheAnalysis(Expected expected, List<Step> steps, List<Finding> findings, List<String> notes) {

    /** How many generations are judged unless it is said otherwise. */
    public static final int GENERATIONS = 9;

    /** What Java leaves behind counts as resident memory, and is not what is looked for. */
    private static final int STEPS_BETWEEN_COLLECTIONS = 50;

    public KvCacheAnalysis {
        steps = List.copyOf(steps);
        findings = List.copyOf(findings);
        notes = List.copyOf(notes);
    }

    /**
     * What the KV cache of one sequence should be. A layer keeps a key and a value of every KV head for every token: {@code 2 *
     * kvHeads * headDim * numberBytes} bytes. With grouped-query attention there are fewer KV heads than query heads, and only the
     * former count.
     *
     * @param model its name
     * @param device {@code cpu} or {@code cuda:N}
     * @param mode of the option {@code useCache}
     * @param cached whether a sequence with this prompt has a cache in that mode
     * @param dtype the type of its numbers
     * @param numberBytes the bytes of one number
     * @param layers of the model
     * @param heads query heads of a layer
     * @param kvHeads key and value heads of a layer
     * @param headDim numbers of a head
     * @param promptTokens of the sequence
     * @param outputTokens of the sequence
     */
    public record Expected(
            String model,
            String device,
            String mode,
            boolean cached,
            String dtype,
            int numberBytes,
            int layers,
            int heads,
            int kvHeads,
            int headDim,
            int promptTokens,
            int outputTokens) {

        /** {@return the bytes that one token takes in one layer} */
        public long layerBytesPerToken() {
            return 2L * kvHeads * headDim * numberBytes;
        }

        /** {@return the bytes that one token takes in all layers, whether it is kept or not} */
        public long bytesPerToken() {
            return layers * layerBytesPerToken();
        }

        /** {@return how many tokens the cache has room for: prompt and output} */
        public int places() {
            return promptTokens + outputTokens;
        }

        /** {@return the bytes of the whole cache, 0 where there is none} */
        public long bytes() {
            return cached ? places() * bytesPerToken() : 0;
        }

        /** {@return what each layer should be after a step, see {@link Step#step}} */
        public Layer layer(int step) {
            if (!cached) {
                return new Layer(List.of(0L), dtype, 0, 0, 0);
            }
            int filled = step == Step.OPENED ? 0 : promptTokens + step;
            return new Layer(
                    List.of((long) places(), 2L * kvHeads, (long) headDim),
                    dtype,
                    places() * layerBytesPerToken(),
                    filled,
                    filled);
        }

        static Expected of(LlamaConfig config, LlamaOptions options, int promptTokens, int outputTokens) {
            return new Expected(
                    config.name(),
                    options.device(),
                    options.kvMode().toString(),
                    options.kvMode().isCached(promptTokens),
                    options.dtype().label(),
                    options.dtype().bytes(),
                    config.layers(),
                    config.heads(),
                    config.kvHeads(),
                    config.headDim(),
                    promptTokens,
                    outputTokens);
        }
    }

    /**
     * The cache of one layer.
     *
     * @param shape {@code [places, 2 * kvHeads, headDim]}; {@code [0]} without one
     * @param dtype the type of its numbers
     * @param bytes how large it is
     * @param filled how many places have a key or value that is not zero; a new cache is all zeros
     * @param filledEnd where the last of them ends; {@code filled} where there is no gap
     */
    public record Layer(List<Long> shape, String dtype, long bytes, long filled, long filledEnd) {

        public Layer {
            shape = List.copyOf(shape);
        }
    }

    /**
     * What was read at one time.
     *
     * @param generation counted from 1; 0 is a warm-up
     * @param step {@link #OPENED}, 0 for the prefill, then the decode steps from 1 on: after step n, {@code promptTokens + n}
     *     places are filled
     * @param memoryBytes in use on the device, by whatever process; on the processor, resident memory of this one; empty where it
     *     cannot be read
     * @param heldBytes the bytes of the caches of all sequences in the program
     * @param layers in their order
     */
    public record Step(int generation, int step, OptionalLong memoryBytes, long heldBytes, List<Layer> layers) {

        /** Before the prefill. */
        public static final int OPENED = -1;

        public Step {
            layers = List.copyOf(layers);
        }

        /** {@return its name in results} */
        public String name() {
            return step == OPENED ? "opened" : step == 0 ? "prefill" : "decode " + step;
        }
    }

    /** What can be wrong. */
    public enum Kind {
        /** A layer has another shape, type or number of bytes, or a cache where none should be. */
        SIZE,
        /** Tokens were taken whose places are empty. */
        NOT_FILLED,
        /** Places are filled that no token has been taken for. */
        FILLED_BEYOND,
        /** The program holds caches beside that of the only sequence. */
        HELD,
        /** Memory grows from step to step. */
        GROWTH_BY_STEP,
        /** Memory grows from generation to generation. */
        GROWTH_BY_GENERATION
    }

    /**
     * Something that is not as expected.
     *
     * @param kind what it is
     * @param text the same with numbers, and what to do next
     */
    public record Finding(Kind kind, String text) {}

    /** Analyses {@link #GENERATIONS} generations. */
    public static KvCacheAnalysis of(TargetSpec spec, int promptTokens, int outputTokens, Progress progress) {
        return of(spec, promptTokens, outputTokens, GENERATIONS, progress);
    }

    /**
     * Opens a model, generates, and reads before each generation and after each of its steps what the program holds.
     *
     * @param spec of {@link LlamaTarget}
     * @param generations how many, beside a warm-up; 9 or more to judge whether memory grows between them
     * @throws MeasurementException where the model cannot be opened, or cannot generate so many tokens
     */
    public static KvCacheAnalysis of(
            TargetSpec spec, int promptTokens, int outputTokens, int generations, Progress progress) {
        if (generations < 1) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "generations = %d is not allowed: ask for at least 1 beside the warm-up",
                    generations));
        }
        List<Step> steps = Collections.synchronizedList(new ArrayList<>());
        try (LlamaSession session = LlamaTarget.openLlama(spec, progress)) {
            for (int generation = 0; generation <= generations; generation++) {
                read(session, generation, promptTokens, outputTokens, steps);
                progress.step("analysing the KV cache", generation, generations, "generations");
            }
            return evaluate(
                    Expected.of(session.config(), LlamaOptions.of(spec), promptTokens, outputTokens),
                    List.copyOf(steps));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MeasurementException("interrupted while the KV cache was analysed", e);
        }
    }

    private static void read(LlamaSession session, int generation, int promptTokens, int outputTokens, List<Step> steps)
            throws InterruptedException {
        int[] step = {Step.OPENED};
        session.watch(new GenerationRequest(promptTokens, outputTokens, true, Sampling.GREEDY, generation), state -> {
            if ((step[0] - Step.OPENED) % STEPS_BETWEEN_COLLECTIONS == 0) {
                System.gc();
            }
            steps.add(new Step(generation, step[0]++, session.deviceMemoryBytes(), state.heldBytes(), state.layers()));
        });
    }

    /** {@return what these steps show} */
    static KvCacheAnalysis evaluate(Expected expected, List<Step> steps) {
        List<String> notes = new ArrayList<>();
        List<Finding> findings = new ArrayList<>(KvCacheLayers.findings(expected, steps));
        findings.addAll(KvCacheGrowth.findings(expected, steps, notes));
        return new KvCacheAnalysis(expected, steps, findings, notes);
    }

    /** {@return the table that the command prints} */
    @Override
    public String toString() {
        return KvCacheTable.text(this);
    }
}
