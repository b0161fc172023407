package io.github.latencybudget.llama;

import org.jspecify.annotations.Nullable;

/** The engine could not do what it was told. The message is the engine's own, in one line, without the program's text. */
final class EngineFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    EngineFailure(Throwable cause) {
        super(essence(String.valueOf(cause.getMessage())), cause);
    }

    EngineFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** TorchScript puts the place in the program first and what happened last, after {@code RuntimeError:}. */
    private static String essence(String message) {
        String marker = "RuntimeError:";
        int at = message.lastIndexOf(marker);
        String text = (at < 0 ? message : message.substring(at + marker.length())).strip();
        return text.lines().findFirst().orElse("no reason given");
    }
}
