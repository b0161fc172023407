package io.github.latencybudget.openai;

/** Ends a request; the message is its reason. */
final class RequestFailure extends Exception {

    private static final long serialVersionUID = 1L;

    RequestFailure(String message) {
        super(message);
    }
}
