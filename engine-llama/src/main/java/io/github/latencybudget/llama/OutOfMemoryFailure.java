package io.github.latencybudget.llama;

/** The engine could not allocate. Whoever knows what was needed says so in a MeasurementException. */
final class OutOfMemoryFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    OutOfMemoryFailure(Throwable cause) {
        super("the engine could not allocate memory", cause);
    }
}
