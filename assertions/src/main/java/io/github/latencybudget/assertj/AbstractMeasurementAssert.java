package io.github.latencybudget.assertj;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.Confidence;
import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.budget.Verdicts;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Visible;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.assertj.core.annotation.CheckReturnValue;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/**
 * What all assertions on a run have in common. A limit holds only where the run <em>shows</em> it to hold, at the confidence, which
 * is 95% unless {@link #withConfidence} sets another: a limit that is broken fails, and so does one that could not be shown (too few
 * requests, requests that failed, a run that was not warm). A value equal to the limit holds.
 *
 * <p>In the examples, {@code run} has 400 requests with prompts of 512 tokens and 128 output tokens, which all had a TTFT of 400
 * ms, gaps of 20 ms and so an E2E of 2,940 ms; {@code tooFew} is the same with 5 requests.
 *
 * @param <SELF> the assertion itself
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public abstract class AbstractMeasurementAssert<SELF extends AbstractMeasurementAssert<SELF>>
        extends AbstractAssert<SELF, Measurement> {

    private Confidence confidence = Confidence.DEFAULT;
    private String evidence = "";

    AbstractMeasurementAssert(@Nullable Measurement actual, Class<?> selfType) {
        super(actual, selfType);
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
    public SELF withConfidence(Confidence confidence) {
        this.confidence = confidence;
        return myself;
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
    public SELF recordedAs(Path file) {
        this.evidence = "\n        evidence: " + file;
        return myself;
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
    public SELF meets(Budget budget) {
        isNotNull();
        Verdicts verdicts = budget.evaluate(actual);
        return failUnless(verdicts.passed(), verdicts.describe());
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
    public SELF isWarm() {
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
    public SELF completedAllRequests() {
        isNotNull();
        // Whatever share of them the guards of the run allow to fail.
        int completed = actual.completed().size();
        return failUnless(
                completed > 0 && completed == actual.traces().size(),
                Finding.Kind.FAILED_REQUESTS,
                actual.traces().isEmpty()
                        ? "missing: no request was measured"
                        : String.format(
                                Locale.ROOT,
                                "%s of %s requests completed",
                                completed,
                                actual.traces().size()));
    }

    final SELF meets(Rule rule) {
        return meets(new Budget(List.of(rule), confidence));
    }

    final SELF failUnless(boolean holds, Finding.Kind kind, String otherwise) {
        String findings = Budget.findings(actual).stream()
                .filter(f -> f.kind() == kind)
                .map(Finding::sentence)
                .collect(Collectors.joining("\n"));
        return failUnless(holds && findings.isEmpty(), findings.isEmpty() ? otherwise : findings);
    }

    final SELF failUnless(boolean holds, String otherwise) {
        if (!holds) {
            failWithMessage("%s", Visible.text(otherwise + evidence));
        }
        return myself;
    }
}
