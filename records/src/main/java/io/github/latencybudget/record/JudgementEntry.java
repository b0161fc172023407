package io.github.latencybudget.record;

import io.github.latencybudget.budget.DriftRule;
import io.github.latencybudget.budget.Evidence;
import io.github.latencybudget.budget.GoodRate;
import io.github.latencybudget.budget.GuardReport;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.MeanLatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.budget.RequestItlRule;
import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.budget.Status;
import io.github.latencybudget.budget.ThroughputRule;
import io.github.latencybudget.budget.Verdict;
import io.github.latencybudget.budget.Verdicts;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * The verdicts of a gate as a record holds them.
 *
 * @param status of the whole gate
 * @param confidence of each verdict, such as 0.95
 * @param rules one per rule
 * @param findings what kept rules from being shown to hold
 * @param guards what became of each guard
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record JudgementEntry(
        Status status, double confidence, List<RuleEntry> rules, List<Finding> findings, List<GuardEntry> guards) {

    /** @throws NullPointerException where a file leaves out what every judgement has */
    public JudgementEntry {
        Objects.requireNonNull(status, "status");
        rules = List.copyOf(rules);
        findings = List.copyOf(findings);
        guards = List.copyOf(guards);
    }

    /**
     * What became of one guard.
     *
     * @param guard its name, such as {@code other-processes}
     * @param state what became of it
     * @param threshold where it begins, as a share; null for one that is only on or off
     * @param isDefault whether it is on, at its own threshold
     * @param said what was seen, or why nothing was; null where there is nothing to say
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record GuardEntry(
            String guard,
            GuardReport.State state,
            @Nullable Double threshold,
            boolean isDefault,
            @Nullable String said) {

        /** @throws NullPointerException where a file leaves out what every guard has */
        public GuardEntry {
            Objects.requireNonNull(guard, "guard");
            Objects.requireNonNull(state, "state");
        }

        private static GuardEntry of(GuardReport report) {
            return new GuardEntry(
                    report.guard().label(),
                    report.state(),
                    orNull(report.threshold()),
                    report.isDefault(),
                    report.said().orElse(null));
        }
    }

    /**
     * One rule and its verdict. Values are in {@code unit}.
     *
     * @param rule the rule on one line
     * @param kind what the limit is about
     * @param label the name of what is judged, such as {@code goodput}
     * @param metric the metric whose values are judged; null where the limit is about something else
     * @param percentile which percentile of a time, or which share of the requests for a rate, in percent; null for other kinds
     * @param unit what the values are in
     * @param isAtMost whether the limit is one from above
     * @param limit the limit
     * @param scope which requests it is about, in words
     * @param promptTokens the prompt lengths that it holds for; null for all
     * @param status what was shown
     * @param line verdict, rule and observed value on one line
     * @param observed the value compared with the limit; null where there is none
     * @param reason why it is inconclusive, or what its waiver does; null where there is nothing to say
     * @param evidence what it rests on; null where no request gave a value
     * @param waiver its waiver, whether it helps or not; null where it has none
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record RuleEntry(
            String rule,
            Rule.Kind kind,
            String label,
            @Nullable Metric metric,
            @Nullable Double percentile,
            Metric.Unit unit,
            boolean isAtMost,
            double limit,
            String scope,
            @Nullable PromptLength promptTokens,
            Status status,
            String line,
            @Nullable Double observed,
            @Nullable String reason,
            @Nullable EvidenceEntry evidence,
            @Nullable WaiverEntry waiver) {

        /** @throws NullPointerException where a file leaves out what every rule has */
        public RuleEntry {
            Objects.requireNonNull(rule, "rule");
            Objects.requireNonNull(unit, "unit");
            Objects.requireNonNull(status, "status");
            Objects.requireNonNull(kind, "kind");
            Objects.requireNonNull(label, "label");
            Objects.requireNonNull(scope, "scope");
            Objects.requireNonNull(line, "line");
        }

        /** {@return whether the limit is one on a percentile of the values of this metric} */
        public boolean limits(Metric other) {
            return kind == Rule.Kind.PERCENTILE && metric == other;
        }

        private static RuleEntry of(Verdict verdict, Measurement measurement) {
            Rule rule = verdict.rule();
            return new RuleEntry(
                    rule.text(),
                    rule.kind(),
                    rule.label(),
                    metric(rule),
                    percentile(rule),
                    rule.unit(),
                    rule.isAtMost(),
                    rule.limitInUnit(),
                    rule.scope(),
                    rule.promptLength().orElse(null),
                    verdict.status(),
                    verdict.line(),
                    orNull(verdict.observed()),
                    verdict.reason().orElse(null),
                    verdict.evidence()
                            .map(e -> EvidenceEntry.of(e, GoodRate.perSecond(verdict, measurement)))
                            .orElse(null),
                    verdict.waiver().map(WaiverEntry::of).orElse(null));
        }

        private static @Nullable Metric metric(Rule rule) {
            if (rule instanceof LatencyRule latency) {
                return latency.metric();
            }
            if (rule instanceof MeanLatencyRule mean) {
                return mean.metric();
            }
            if (rule instanceof RequestItlRule) {
                return Metric.ITL;
            }
            if (rule instanceof DriftRule drift) {
                return drift.metric();
            }
            return rule instanceof ThroughputRule throughput ? throughput.metric() : null;
        }

        private static @Nullable Double percentile(Rule rule) {
            if (rule instanceof LatencyRule latency) {
                return inPercent(latency.percentile());
            }
            if (rule instanceof RequestItlRule request) {
                return inPercent(request.percentile());
            }
            return rule instanceof ThroughputRule throughput ? inPercent(throughput.share()) : null;
        }

        private static Double inPercent(Percentile percentile) {
            return percentile.thousandths() / 1000.0;
        }
    }

    /**
     * What a verdict rests on: {@link Evidence}, with null for what is absent.
     *
     * @param requests how many requests gave a value
     * @param values how many values they gave
     * @param exceedances how many lie beyond the limit, or how many requests are bad; null for means
     * @param rank the rank of the observed value; null where it is not a percentile
     * @param lowerBound what the true value is at least, at the confidence
     * @param upperBound what the true value is at most, at the confidence
     * @param p50 the median; null, with the three that follow, where values are only yes or no
     * @param p95 the 95th percentile
     * @param p99 the 99th percentile
     * @param max the largest value
     * @param requestsNeeded how many requests would show the rule to hold if no further value lay beyond the limit
     * @param decidedAfter how many requests it took until the rule was first shown to hold or to be broken; null where it was
     *     not
     * @param requestsAtMost how many requests were planned at most
     * @param requestsPerSample how many requests count as one sample
     * @param correlation the rank correlation of successive samples; null where none was found
     * @param method the method of the confidence
     * @param goodRequestsPerSecond the good requests over the time of the run; null for other rules than goodput
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record EvidenceEntry(
            int requests,
            int values,
            @Nullable Integer exceedances,
            @Nullable Integer rank,
            @Nullable Double lowerBound,
            @Nullable Double upperBound,
            @Nullable Double p50,
            @Nullable Double p95,
            @Nullable Double p99,
            @Nullable Double max,
            @Nullable Integer requestsNeeded,
            @Nullable Integer decidedAfter,
            int requestsAtMost,
            int requestsPerSample,
            @Nullable Double correlation,
            String method,
            @Nullable Double goodRequestsPerSecond) {

        private static EvidenceEntry of(Evidence evidence, OptionalDouble goodRequestsPerSecond) {
            return new EvidenceEntry(
                    evidence.requests(),
                    evidence.values(),
                    orNull(evidence.exceedances()),
                    orNull(evidence.rank()),
                    orNull(evidence.lowerBound()),
                    orNull(evidence.upperBound()),
                    evidence.spread().map(Evidence.Spread::p50).orElse(null),
                    evidence.spread().map(Evidence.Spread::p95).orElse(null),
                    evidence.spread().map(Evidence.Spread::p99).orElse(null),
                    evidence.spread().map(Evidence.Spread::max).orElse(null),
                    orNull(evidence.requestsNeeded()),
                    orNull(evidence.decidedAfter()),
                    evidence.requestsAtMost(),
                    evidence.requestsPerSample(),
                    orNull(evidence.correlation()),
                    evidence.method(),
                    orNull(goodRequestsPerSecond));
        }
    }

    /** {@return the entry for verdicts} */
    public static JudgementEntry of(Verdicts verdicts) {
        return new JudgementEntry(
                verdicts.status(),
                verdicts.confidence().level(),
                verdicts.verdicts().stream()
                        .map(v -> RuleEntry.of(v, verdicts.measurement()))
                        .toList(),
                verdicts.findings(),
                verdicts.guards().stream().map(GuardEntry::of).toList());
    }

    private static @Nullable Double orNull(OptionalDouble value) {
        return value.isPresent() ? value.getAsDouble() : null;
    }

    private static @Nullable Integer orNull(OptionalInt value) {
        return value.isPresent() ? value.getAsInt() : null;
    }
}
