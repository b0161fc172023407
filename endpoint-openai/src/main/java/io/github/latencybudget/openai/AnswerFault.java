package io.github.latencybudget.openai;

/** The bytes of an answer are not what the API promises. Ends the request; the message is its reason. */
final class AnswerFault extends Exception {

    private static final long serialVersionUID = 1L;

    AnswerFault(String message) {
        super(message);
    }
}
