package io.github.latencybudget.record;

import io.github.latencybudget.baseline.Baseline;
import io.github.latencybudget.baseline.Change;
import io.github.latencybudget.baseline.ChangeStatus;
import io.github.latencybudget.baseline.Comparison;
import io.github.latencybudget.baseline.Tolerance;
import io.github.latencybudget.budget.Confidence;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.trace.Measurement;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalDouble;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * A run beside its baseline, as a record holds it.
 *
 * @param baseline the baseline's name
 * @param stored when that was stored; null where this run was to become the baseline and could not
 * @param storedByThisRun whether this run has become the baseline, so that nothing is compared
 * @param gating whether the gate does not pass where the comparison does not
 * @param tolerancePercent from where on a change counts, in percent
 * @param judgesP95 whether the verdict rests on the P95 of each metric too
 * @param confidence of each bound
 * @param status what was shown; null where nothing was compared
 * @param line that, on one line
 * @param method how changes are tested, in words
 * @param refusals why the two cannot be compared; empty where they can
 * @param changes each metric at each prompt length
 * @param leftOut which metrics are not compared, and why
 * @param environment what differs in machine and software
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record ComparisonEntry(
        String baseline,
        @Nullable Instant stored,
        boolean storedByThisRun,
        boolean gating,
        double tolerancePercent,
        boolean judgesP95,
        double confidence,
        @Nullable ChangeStatus status,
        String line,
        String method,
        List<String> refusals,
        List<ChangeEntry> changes,
        List<String> leftOut,
        List<String> environment) {

    /**
     * @throws NullPointerException where a file leaves out what every comparison has
     * @throws IllegalArgumentException for a status that nothing was compared for
     */
    public ComparisonEntry {
        Objects.requireNonNull(baseline, "baseline");
        Objects.requireNonNull(line, "line");
        refusals = List.copyOf(refusals);
        changes = List.copyOf(changes);
        leftOut = List.copyOf(leftOut);
        environment = List.copyOf(environment);
        if (storedByThisRun && (status != null || stored == null)) {
            throw new IllegalArgumentException(
                    "a run that has become the baseline is compared with none, and has its time");
        }
        if (!storedByThisRun && status == null) {
            throw new IllegalArgumentException("a comparison without a status");
        }
        if (stored == null && !storedByThisRun && (status != ChangeStatus.INCONCLUSIVE || refusals.size() != 1)) {
            throw new IllegalArgumentException(
                    "a run that could not become the baseline is INCONCLUSIVE, for one reason");
        }
    }

    /** {@return whether there was a baseline to compare with} */
    boolean isWithBaseline() {
        return stored != null && !storedByThisRun;
    }

    /**
     * How one metric changed: {@link Change}, with null for what is absent.
     *
     * @param name the metric, what of it, and the prompt length, in words
     * @param metric which metric
     * @param statistic what of it
     * @param promptTokens the prompt length
     * @param judged whether the verdict rests on it
     * @param baseline what the baseline gave, in the unit of the metric
     * @param baselineRequests how many requests that is of
     * @param run what the run gave, in the unit of the metric
     * @param runRequests how many requests that is of
     * @param ratio the factor between the two
     * @param lower what it is at least, at the confidence
     * @param upper what it is at most, at the confidence
     * @param status what was shown
     * @param line that, on one line
     * @param evidence the bounds and the two values in one sentence
     * @param reason why nothing was shown
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record ChangeEntry(
            String name,
            Metric metric,
            Change.Statistic statistic,
            int promptTokens,
            boolean judged,
            double baseline,
            int baselineRequests,
            double run,
            int runRequests,
            @Nullable Double ratio,
            @Nullable Double lower,
            @Nullable Double upper,
            ChangeStatus status,
            String line,
            String evidence,
            @Nullable String reason) {

        /** @throws NullPointerException where a file leaves out what every change has */
        public ChangeEntry {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(metric, "metric");
            Objects.requireNonNull(statistic, "statistic");
            Objects.requireNonNull(status, "status");
            Objects.requireNonNull(line, "line");
            Objects.requireNonNull(evidence, "evidence");
        }

        private static ChangeEntry of(Change change, boolean isJudged) {
            return new ChangeEntry(
                    change.name(),
                    change.metric(),
                    change.statistic(),
                    change.promptTokens(),
                    isJudged,
                    change.baseline().value(),
                    change.baseline().requests(),
                    change.run().value(),
                    change.run().requests(),
                    orNull(change.ratio()),
                    orNull(change.lower()),
                    orNull(change.upper()),
                    change.status(),
                    change.line(),
                    change.evidence(),
                    change.reason().orElse(null));
        }
    }

    /** {@return the entry for a comparison} */
    public static ComparisonEntry of(Comparison comparison, boolean gating) {
        return new ComparisonEntry(
                comparison.baseline(),
                comparison.stored(),
                false,
                gating,
                comparison.tolerance().percent(),
                comparison.tolerance().judgesP95(),
                comparison.tolerance().confidence().level(),
                comparison.status(),
                comparison.line(),
                Comparison.METHOD,
                comparison.refusals(),
                comparison.changes().stream()
                        .map(c -> ChangeEntry.of(c, comparison.isJudged(c)))
                        .toList(),
                comparison.leftOut(),
                comparison.environment());
    }

    /**
     * {@return the same for the two runs, compared once more}
     *
     * @param before what the baseline measured; null where there was none
     * @throws IllegalArgumentException for a run that cannot be a baseline
     */
    ComparisonEntry again(@Nullable MeasurementEntry before, Measurement run) {
        Tolerance tolerance = new Tolerance(tolerancePercent, judgesP95, new Confidence(confidence));
        if (before != null && isWithBaseline()) {
            return of(new Baseline(baseline, stored, before.toMeasurement()).compare(run, tolerance), gating);
        }
        return storedByThisRun
                ? storedByThisRun(new Baseline(baseline, stored, run), tolerance)
                : notStored(baseline, tolerance, refusals.get(0));
    }

    /** {@return the entry of a run that has become the baseline itself} */
    public static ComparisonEntry storedByThisRun(Baseline baseline, Tolerance tolerance) {
        return withoutComparison(
                baseline.name(),
                baseline.stored(),
                tolerance,
                null,
                String.format(
                        Locale.ROOT,
                        "this run was stored as the baseline %s, and is compared with nothing",
                        baseline.name()),
                List.of());
    }

    /** {@return the entry of a run that was to become the baseline and could not, so that its gate does not pass} */
    public static ComparisonEntry notStored(String baseline, Tolerance tolerance, String problem) {
        return withoutComparison(
                baseline,
                null,
                tolerance,
                ChangeStatus.INCONCLUSIVE,
                String.format(Locale.ROOT, "this run was not stored as the baseline %s", baseline),
                List.of(problem));
    }

    private static ComparisonEntry withoutComparison(
            String baseline,
            @Nullable Instant stored,
            Tolerance tolerance,
            @Nullable ChangeStatus status,
            String line,
            List<String> refusals) {
        return new ComparisonEntry(
                baseline,
                stored,
                status == null,
                true,
                tolerance.percent(),
                tolerance.judgesP95(),
                tolerance.confidence().level(),
                status,
                line,
                Comparison.METHOD,
                refusals,
                List.of(),
                List.of(),
                List.of());
    }

    /** {@return whether the gate passes as far as this comparison goes} */
    public boolean passes() {
        return !gating || status == null || status.passes();
    }

    private static @Nullable Double orNull(OptionalDouble value) {
        return value.isPresent() ? value.getAsDouble() : null;
    }
}
