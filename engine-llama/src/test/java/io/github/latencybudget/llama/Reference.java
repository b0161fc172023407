package io.github.latencybudget.llama;

/** Compares logits. */
final class Reference {

    private Reference() {}

    /** {@return the length of the difference as a share of the length of what was expected} */
    static double relativeError(float[] actual, float[] expected) {
        if (actual.length != expected.length) {
            throw new AssertionError(actual.length + " values instead of " + expected.length);
        }
        double difference = 0;
        double norm = 0;
        for (int i = 0; i < actual.length; i++) {
            difference += Math.pow((double) actual[i] - expected[i], 2);
            norm += Math.pow(expected[i], 2);
        }
        return Math.sqrt(difference / norm);
    }

    static int argmax(float[] values) {
        int best = 0;
        for (int i = 1; i < values.length; i++) {
            if (values[i] > values[best]) {
                best = i;
            }
        }
        return best;
    }
}
