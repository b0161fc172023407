package io.github.latencybudget.prompts;

import io.github.latencybudget.trace.Visible;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/** A file of prompts that cannot be read. The message has its name, the line, what is wrong and what to do, and no prompt. */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class PromptFileException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    PromptFileException(String message) {
        this(message, null);
    }

    PromptFileException(String message, @Nullable Throwable cause) {
        super(Visible.text(message), Visible.of(cause));
    }
}
