package io.github.latencybudget.trace;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apiguardian.api.API;

/**
 * The machine and the software of a run: what a reader needs to judge a number, and what no rule is bound to.
 *
 * @param details names and values, such as {@code engine: DJL 0.36.0, PyTorch 2.7.1}; sorted by name
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Environment(SortedMap<String, String> details) {

    public Environment {
        details = Collections.unmodifiableSortedMap(new TreeMap<>(details));
    }
}
