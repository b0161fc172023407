package io.github.latencybudget.openai;

import java.util.Arrays;
import java.util.OptionalDouble;

/** What llama.cpp's {@code timings} object says of the work itself; the last one of a stream is about all of it. */
final class ServerTimings {

    private final double[] values = new double[Field.values().length];

    ServerTimings() {
        Arrays.fill(values, Double.NaN);
    }

    void number(Field field, double value) {
        if (value >= 0) {
            values[field.ordinal()] = value;
        }
    }

    /** {@return what was said; empty where it was not} */
    OptionalDouble get(Field field) {
        double value = values[field.ordinal()];
        return Double.isNaN(value) ? OptionalDouble.empty() : OptionalDouble.of(value);
    }
}
