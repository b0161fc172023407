package io.github.latencybudget.load;

/** What ends a run. */
final class Broken {

    private Broken() {}

    /** {@return what to throw; an error is thrown at once} */
    static RuntimeException unchecked(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        return thrown instanceof RuntimeException runtime ? runtime : new IllegalStateException(thrown);
    }
}
