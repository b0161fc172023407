package io.github.latencybudget.assertj;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.Confidence;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.budget.ThroughputConditions;
import io.github.latencybudget.budget.ThroughputRule;
import io.github.latencybudget.budget.Verdicts;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.assertj.core.annotation.CheckReturnValue;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/**
 * Assertions on one run. A limit holds only where the run <em>shows</em> it to hold, at the confidence, which is 95% unless
 * {@link #withConfidence} sets another: a limit that is broken fails, and so does one that could not be shown (too few requests,
 * requests that failed, a run that was not warm). A value equal to the limit holds.
 *
 * <p>In the examples, {@code run} has 400 requests with prompts of 512 tokens and 128 output tokens, which all had a TTFT of 400
 * ms, gaps of 20 ms and so an E2E of 2,940 ms; {@code tooFew} is the same with 5 requests.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public class MeasurementAssert extends AbstractAssert<MeasurementAssert, Measurement> {

    private Confidence confidence = Confidence.DEFAULT;
    private String evidence = "";

    /** @param actual the run to assert on */
    public MeasurementAssert(@Nullable Measurement actual) {
        super(actual, MeasurementAssert.class);
    }

    /**
     * Sets the confidence of the assertions that follow. {@link #meets} keeps that of its budget.
     *
     * <pre>{@code
     * // passes: 5 requests without a value above the limit are enough for a median at 95%
     * assertThat(tooFew).withConfidence(new Confidence(0.95)).hasItlP50AtMost(Duration.ofMillis(50));
     * // fails: at 99% it takes 8
     * assertThat(tooFew).withConfidence(new Confidence(0.99)).hasItlP50AtMost(Duration.ofMillis(50));
     * }</pre>
     */
    @CheckReturnValue
    public MeasurementAssert withConfidence(Confidence confidence) {
        this.confidence = confidence;
        return this;
    }

    /**
     * Names the file that holds what was measured, so that the failures of the assertions that follow point to it.
     *
     * <pre>{@code
     * // fails, and its message ends with "evidence: target/latency-budget/records/..."
     * assertThat(run).recordedAs(file).hasItlP95AtMost(Duration.ofMillis(10));
     * }</pre>
     */
    @CheckReturnValue
    public MeasurementAssert recordedAs(Path file) {
        this.evidence = "\n        evidence: " + file;
        return this;
    }

    /**
     * Verifies that the run shows every rule of a budget to hold, at the budget's own confidence.
     *
     * <pre>{@code
     * // passes
     * assertThat(run).meets(Budget.of(LatencyRule.itl(Percentile.P95, Duration.ofMillis(50))));
     * // fails: BREACH
     * assertThat(run).meets(Budget.of(LatencyRule.itl(Percentile.P95, Duration.ofMillis(10))));
     * }</pre>
     *
     * @throws AssertionError where a rule is broken or could not be shown to hold
     */
    public MeasurementAssert meets(Budget budget) {
        isNotNull();
        Verdicts verdicts = budget.evaluate(actual);
        return failUnless(verdicts.passed(), verdicts.describe());
    }

    /**
     * Verifies the P95 of TTFT over the requests with prompts of this length.
     *
     * <pre>{@code
     * // passes
     * assertThat(run).hasTtftAtMost(512, Duration.ofMillis(400));
     * // fails: no request with such a prompt was measured
     * assertThat(run).hasTtftAtMost(128, Duration.ofMillis(400));
     * }</pre>
     *
     * @param promptTokens the length in tokens of the model's own tokenizer, BOS included
     * @throws AssertionError where the limit is broken or could not be shown to hold
     * @throws IllegalArgumentException for a length below 1, or a limit that is not above zero
     */
    public MeasurementAssert hasTtftAtMost(int promptTokens, Duration limit) {
        return meets(LatencyRule.ttft(PromptLength.exactly(promptTokens), Percentile.P95, limit));
    }

    /**
     * Verifies a percentile of TTFT over the requests with prompts of these lengths.
     *
     * <pre>{@code
     * // passes
     * assertThat(run).hasTtftAtMost(Percentile.P50, PromptLength.between(129, 512), Duration.ofMillis(450));
     * // fails: 5 requests are too few for P99
     * assertThat(tooFew).hasTtftAtMost(Percentile.P99, PromptLength.between(129, 512), Duration.ofMillis(450));
     * }</pre>
     *
     * @throws AssertionError where the limit is broken or could not be shown to hold
     * @throws IllegalArgumentException for a percentile of 100, or a limit that is not above zero
     */
    public MeasurementAssert hasTtftAtMost(Percentile percentile, PromptLength promptLength, Duration limit) {
        return meets(LatencyRule.ttft(promptLength, percentile, limit));
    }

    /**
     * Verifies the median of ITL.
     *
     * <pre>{@code
     * // passes
     * assertThat(run).hasItlP50AtMost(Duration.ofMillis(20));
     * // fails: BREACH
     * assertThat(run).hasItlP50AtMost(Duration.ofMillis(19));
     * }</pre>
     *
     * @throws AssertionError where the limit is broken or could not be shown to hold
     * @throws IllegalArgumentException for a limit that is not above zero
     */
    public MeasurementAssert hasItlP50AtMost(Duration limit) {
        return hasItlAtMost(Percentile.P50, limit);
    }

    /**
     * Verifies the P95 of ITL.
     *
     * <pre>{@code
     * // passes
     * assertThat(run).hasItlP95AtMost(Duration.ofMillis(50));
     * // fails: 5 requests are too few for P95
     * assertThat(tooFew).hasItlP95AtMost(Duration.ofMillis(50));
     * }</pre>
     *
     * @throws AssertionError where the limit is broken or could not be shown to hold
     * @throws IllegalArgumentException for a limit that is not above zero
     */
    public MeasurementAssert hasItlP95AtMost(Duration limit) {
        return hasItlAtMost(Percentile.P95, limit);
    }

    /**
     * Verifies the P99 of ITL, which takes at least 325 requests at 95% confidence.
     *
     * <pre>{@code
     * // passes
     * assertThat(run).hasItlP99AtMost(Duration.ofMillis(50));
     * // fails: 5 requests are too few for P99
     * assertThat(tooFew).hasItlP99AtMost(Duration.ofMillis(50));
     * }</pre>
     *
     * @throws AssertionError where the limit is broken or could not be shown to hold
     * @throws IllegalArgumentException for a limit that is not above zero
     */
    public MeasurementAssert hasItlP99AtMost(Duration limit) {
        return hasItlAtMost(Percentile.P99, limit);
    }

    /**
     * Verifies a percentile of ITL.
     *
     * <pre>{@code
     * // passes
     * assertThat(run).hasItlAtMost(Percentile.of(90), Duration.ofMillis(20));
     * // fails: BREACH
     * assertThat(run).hasItlAtMost(Percentile.of(90), Duration.ofMillis(19));
     * }</pre>
     *
     * @throws AssertionError where the limit is broken or could not be shown to hold
     * @throws IllegalArgumentException for a percentile of 100, or a limit that is not above zero
     */
    public MeasurementAssert hasItlAtMost(Percentile percentile, Duration limit) {
        return meets(LatencyRule.itl(percentile, limit));
    }

    /**
     * Verifies a percentile of TPOT over the requests.
     *
     * <pre>{@code
     * // passes
     * assertThat(run).hasTpotAtMost(Percentile.P95, Duration.ofMillis(20));
     * // fails: BREACH
     * assertThat(run).hasTpotAtMost(Percentile.P95, Duration.ofMillis(19));
     * }</pre>
     *
     * @throws AssertionError where the limit is broken or could not be shown to hold
     * @throws IllegalArgumentException for a percentile of 100, or a limit that is not above zero
     */
    public MeasurementAssert hasTpotAtMost(Percentile percentile, Duration limit) {
        return meets(LatencyRule.tpot(percentile, limit));
    }

    /**
     * Verifies a percentile of E2E over the requests.
     *
     * <pre>{@code
     * // passes
     * assertThat(run).hasE2eAtMost(Percentile.P95, Duration.ofSeconds(3));
     * // fails: BREACH
     * assertThat(run).hasE2eAtMost(Percentile.P95, Duration.ofSeconds(2));
     * }</pre>
     *
     * @throws AssertionError where the limit is broken or could not be shown to hold
     * @throws IllegalArgumentException for a percentile of 100, or a limit that is not above zero
     */
    public MeasurementAssert hasE2eAtMost(Percentile percentile, Duration limit) {
        return meets(LatencyRule.e2e(percentile, limit));
    }

    /**
     * Verifies that 95% of the requests reach a decode TGS, under the conditions that it is stated for.
     *
     * <pre>{@code
     * var conditions = ThroughputConditions.of(List.of(512), Sampling.GREEDY, 1, 24L << 30);
     * // passes: gaps of 20 ms are 50 tokens per second
     * assertThat(run).hasDecodeTgsAtLeast(50, conditions);
     * // fails: BREACH
     * assertThat(run).hasDecodeTgsAtLeast(51, conditions);
     * }</pre>
     *
     * @throws AssertionError where the rate is not reached or could not be shown to be, or the run had other conditions
     * @throws IllegalArgumentException for a rate that is not above zero and finite
     */
    public MeasurementAssert hasDecodeTgsAtLeast(double tokensPerSecond, ThroughputConditions conditions) {
        return meets(new ThroughputRule(Metric.DECODE_TGS, Percentile.P95, tokensPerSecond, conditions));
    }

    /**
     * Verifies that 95% of the requests reach a request TGS, under the conditions that it is stated for.
     *
     * <pre>{@code
     * // passes: 128 tokens in 2,940 ms are 43.5 tokens per second
     * assertThat(run).hasRequestTgsAtLeast(43, ThroughputConditions.of(List.of(512), Sampling.GREEDY, 1, 24L << 30));
     * // fails: the run had a concurrency of 1
     * assertThat(run).hasRequestTgsAtLeast(43, ThroughputConditions.of(List.of(512), Sampling.GREEDY, 8, 24L << 30));
     * }</pre>
     *
     * @throws AssertionError where the rate is not reached or could not be shown to be, or the run had other conditions
     * @throws IllegalArgumentException for a rate that is not above zero and finite
     */
    public MeasurementAssert hasRequestTgsAtLeast(double tokensPerSecond, ThroughputConditions conditions) {
        return meets(new ThroughputRule(Metric.REQUEST_TGS, Percentile.P95, tokensPerSecond, conditions));
    }

    /**
     * Verifies that every prompt length that was measured was warm before.
     *
     * <pre>{@code
     * // passes
     * assertThat(run).isWarm();
     * // fails: a prompt length was measured without a warm-up
     * assertThat(withoutWarmUp).isWarm();
     * }</pre>
     *
     * @throws AssertionError where one was not, or nothing was warmed
     */
    public MeasurementAssert isWarm() {
        isNotNull();
        return failUnless(
                actual.warmUp().isWarm(),
                Finding.Kind.NOT_WARM,
                "not warm: nothing was warmed up, or not every prompt length that was is warm");
    }

    /**
     * Verifies that every request that was started completed.
     *
     * <pre>{@code
     * // passes
     * assertThat(run).completedAllRequests();
     * // fails, and lists the reasons
     * assertThat(withAnErrorStatus).completedAllRequests();
     * }</pre>
     *
     * @throws AssertionError where one did not, or there was none
     */
    public MeasurementAssert completedAllRequests() {
        isNotNull();
        return failUnless(!actual.traces().isEmpty(), Finding.Kind.FAILED_REQUESTS, "missing: no request was measured");
    }

    private MeasurementAssert meets(Rule rule) {
        return meets(new Budget(List.of(rule), confidence));
    }

    private MeasurementAssert failUnless(boolean holds, Finding.Kind kind, String otherwise) {
        String findings = Budget.findings(actual).stream()
                .filter(f -> f.kind() == kind)
                .map(Finding::sentence)
                .collect(Collectors.joining("\n"));
        return failUnless(holds && findings.isEmpty(), findings.isEmpty() ? otherwise : findings);
    }

    private MeasurementAssert failUnless(boolean holds, String otherwise) {
        if (!holds) {
            failWithMessage("%s%s", otherwise, evidence);
        }
        return this;
    }
}
