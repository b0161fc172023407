package io.github.latencybudget.trace;

import org.apiguardian.api.API;

/** What the prompts of two targets have in common where one load is put on both. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public enum SharedPrompts {
    /** The same texts, one for one, of as many tokens by the count of both. */
    TEXTS,
    /** As many tokens, each by the count of its own target; the texts or ids are others. */
    LENGTHS;

    /** The setting {@code prompts} of a target that is given the texts of another. */
    public static final String OF_THE_OTHER = "the texts of the other target";

    /** {@return such as {@code the same texts}} */
    public String words() {
        return switch (this) {
            case TEXTS -> "the same texts, of as many tokens on both";
            case LENGTHS -> "other prompts of the same lengths, each by its own target's count";
        };
    }
}
