package io.github.latencybudget.llama;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Looks for the tiles with which a whole step is quickest, one product after the other. Kernels that are quicker by themselves can
 * make a step slower: what counts is how soon each has memory busy after the one before.
 */
final class BatchTuner {

    private static final List<String> PRODUCTS = List.of("qkv", "attention_out", "gate_up", "down", "choose");

    /** A difference that is more than noise. */
    private static final double BETTER = 0.998;

    private final ToDoubleFunction<BatchTuning> stepMs;
    private final List<BatchTile> candidates;

    /** @param stepMs the time of a step; may throw for what there is no room for */
    BatchTuner(ToDoubleFunction<BatchTuning> stepMs, List<BatchTile> candidates) {
        this.stepMs = stepMs;
        this.candidates = candidates;
    }

    BatchTuning best(BatchTuning start) {
        BatchTuning best = start;
        double least = ms(best, "standard");
        for (int product = 0; product < PRODUCTS.size(); product++) {
            for (BatchTile tile : candidates) {
                BatchTuning other = with(best, product, tile);
                if (!other.equals(best)) {
                    double ms = ms(other, PRODUCTS.get(product) + " " + tile.macro());
                    if (ms < BETTER * least) {
                        least = ms;
                        best = other;
                    }
                }
            }
        }
        System.out.printf(Locale.ROOT, "  best step %.3f ms: %s%n", least, best);
        return best;
    }

    private double ms(BatchTuning tuning, String what) {
        try {
            double ms = stepMs.applyAsDouble(tuning);
            System.out.printf(Locale.ROOT, "  %-24s step %.3f ms%n", what, ms);
            return ms;
        } catch (RuntimeException e) {
            System.out.printf("  %-24s %s%n", what, e.getMessage());
            return Double.POSITIVE_INFINITY;
        }
    }

    private static BatchTuning with(BatchTuning tuning, int product, BatchTile tile) {
        return new BatchTuning(
                product == 0 ? tile : tuning.qkv(),
                product == 1 ? tile : tuning.attentionOut(),
                product == 2 ? tile : tuning.gateUp(),
                product == 3 ? tile : tuning.down(),
                product == 4 ? tile : tuning.head());
    }
}
