package io.github.latencybudget.record;

import io.github.latencybudget.trace.SharedPrompts;
import java.util.Objects;
import org.apiguardian.api.API;

/**
 * Which of several targets of one load a gate is about, so that a report can put them side by side.
 *
 * @param load the test or policy that all of them belong to
 * @param name what the target is called, such as {@code local}
 * @param order its place among them, from 0; the others are compared with the first
 * @param prompts what the prompts have in common
 * @param requestsSetBefore whether the number of requests was set before, and did not follow from what came
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record SideEntry(String load, String name, int order, SharedPrompts prompts, boolean requestsSetBefore) {

    /** @throws NullPointerException where a file leaves out what every side has */
    public SideEntry {
        Objects.requireNonNull(load, "load");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(prompts, "prompts");
    }
}
