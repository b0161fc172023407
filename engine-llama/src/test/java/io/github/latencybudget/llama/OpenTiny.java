package io.github.latencybudget.llama;

import io.github.latencybudget.inference.MeasurementException;

/** A process of its own that opens the tiny shape and prints what comes of it. */
final class OpenTiny {

    private OpenTiny() {}

    public static void main(String[] arguments) {
        try (LlamaSession session = Models.open("synthetic:tiny")) {
            System.out.println("opened " + session.description());
        } catch (MeasurementException e) {
            System.out.println("refused: " + e.getMessage());
        }
    }
}
