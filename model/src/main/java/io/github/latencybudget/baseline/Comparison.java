package io.github.latencybudget.baseline;

import io.github.latencybudget.trace.Measurement;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.apiguardian.api.API;

/**
 * A run beside its baseline.
 *
 * @param baseline the baseline's name
 * @param stored when that was stored
 * @param run the later run
 * @param tolerance from where on it is worse
 * @param refusals why the two cannot be compared, each with the values that differ; empty where they can
 * @param changes each metric at each prompt length; empty where the two cannot be compared
 * @param leftOut which metrics are not compared, and why
 * @param environment what differs in machine and software, which is told and not refused
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Comparison(
        String baseline,
        Instant stored,
        Measurement run,
        Tolerance tolerance,
        List<String> refusals,
        List<Change> changes,
        List<String> leftOut,
        List<String> environment) {

    /** How changes are tested, in words. */
    public static final String METHOD =
            "the typical request by the Hodges-Lehmann ratio of all pairs, its bounds by Mann-Whitney; the P95 by the ratio of the two, within the binomial bounds of each";

    public Comparison {
        refusals = List.copyOf(refusals);
        changes = List.copyOf(changes);
        leftOut = List.copyOf(leftOut);
        environment = List.copyOf(environment);
    }

    /** {@return the changes that the verdict rests on: those of the typical request, and of the P95 where that is judged} */
    public List<Change> judged() {
        return changes.stream().filter(this::isJudged).toList();
    }

    /** {@return whether the verdict rests on this change} */
    public boolean isJudged(Change change) {
        return change.statistic() == Change.Statistic.TYPICAL || tolerance.judgesP95();
    }

    /**
     * {@return WORSE where a metric is, else INCONCLUSIVE where one was not shown, or nothing could be compared, else IMPROVED where
     * one is, else NOT_WORSE where one is, else SAME}
     */
    public ChangeStatus status() {
        if (judged().isEmpty()) {
            return ChangeStatus.INCONCLUSIVE;
        }
        return Stream.of(
                        ChangeStatus.WORSE,
                        ChangeStatus.INCONCLUSIVE,
                        ChangeStatus.IMPROVED,
                        ChangeStatus.NOT_WORSE,
                        ChangeStatus.SAME)
                .filter(s -> judged().stream().anyMatch(c -> c.status() == s))
                .findFirst()
                .orElseThrow();
    }

    /** {@return whether no metric is worse by more than the tolerance, shown and not assumed} */
    public boolean passed() {
        return status().passes();
    }

    /** {@return the verdict, then each change with its evidence, as a failure is printed} */
    public String describe() {
        return ComparisonText.describe(this);
    }

    /** {@return the verdict on one line} */
    public String line() {
        return ComparisonText.line(this);
    }
}
