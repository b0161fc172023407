package io.github.latencybudget.llama;

/**
 * Seeded random weights: latency depends on the shape of a model, not on its values. They are drawn on the device from a
 * normal distribution, the scales of the norms are 1.
 *
 * @param seed equal seeds give equal weights on devices of the same kind
 */
record SyntheticWeights(long seed) implements Weights {

    /** The deviation that Llama models are initialised with, {@code initializer_range} in Hugging Face's configuration. */
    private static final double DEVIATION = 0.02;

    @Override
    public String description() {
        return "synthetic, seed " + seed;
    }

    @Override
    public void give(LlamaProgram program, int index, Matrix matrix) {
        if (matrix.norm()) {
            program.fill(index, 1);
        } else {
            program.randomize(index, DEVIATION, seed * 1_000_003 + index);
        }
    }
}
