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

    /** {@return what further requests have to be like for the share to hold, such as {@code every further one is good}} */
    static String good(Rule.Kind kind) {
        return switch (kind) {
            case GOODPUT -> "every further one is good";
            case FLUIDITY -> "no further token is late";
            default -> "every further one completes";
        };
    }
}
