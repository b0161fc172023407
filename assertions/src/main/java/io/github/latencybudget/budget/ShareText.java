package io.github.latencybudget.budget;

import org.apiguardian.api.API;

/** Names the requests that a share is about. */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class ShareText {

    private ShareText() {}

    /** {@return such as {@code not good}, to follow a number of requests} */
    public static String bad(Rule.Kind kind) {
        return switch (kind) {
            case GOODPUT -> "not good";
            case FLUIDITY -> "with a late token";
            default -> "not completed";
        };
    }
}
