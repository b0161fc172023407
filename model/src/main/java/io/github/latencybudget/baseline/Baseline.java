package io.github.latencybudget.baseline;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apiguardian.api.API;

/**
 * A run that later ones are compared with.
 *
 * @param name what it is called; it is also the name of its file
 * @param stored when it was made a baseline, by the wall clock
 * @param measurement the run
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Baseline(String name, Instant stored, Measurement measurement) {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    /**
     * @throws IllegalArgumentException for a name that is not made of letters, digits, {@code .}, {@code _} and {@code -}, and for
     *     a run that shows nothing: without a request, not warm, or with anything else that keeps rules from being shown to hold
     */
    public Baseline {
        Objects.requireNonNull(stored, "stored");
        if (!isName(name)) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "baseline = %s: must be at most 100 letters, digits, `.`, `_` and `-`, and begin with a letter or digit",
                    name));
        }
        List<String> obstacles = obstacles(measurement);
        if (!obstacles.isEmpty()) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "this run cannot be the baseline %s: %s; store a run without such findings",
                    name,
                    String.join("; ", obstacles)));
        }
    }

    /** {@return whether a baseline can have this name} */
    public static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /**
     * Compares a later run with this one. Pure: the same two runs give the same comparison.
     *
     * @param run the later one
     * @param tolerance from where on it is worse
     * @return the change of each metric at each prompt length; without any where the two cannot be compared, and with the reasons
     */
    public Comparison compare(Measurement run, Tolerance tolerance) {
        return new Comparing(this, run, tolerance).comparison();
    }

    /** {@return why a run shows nothing about a speed, in words; empty where it does} */
    static List<String> obstacles(Measurement measurement) {
        if (measurement.completed().isEmpty()) {
            return List.of("no request completed");
        }
        return Budget.findings(measurement).stream().map(Finding::sentence).collect(Collectors.toUnmodifiableList());
    }
}
