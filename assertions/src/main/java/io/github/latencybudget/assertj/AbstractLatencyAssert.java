package io.github.latencybudget.assertj;

import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.MeanLatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.budget.RequestItlRule;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Measurement;
import java.time.Duration;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * Assertions on times: TTFT, TTFO, ITL, ICL, TPOT and E2E.
 *
 * @param <SELF> the assertion itself
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public abstract class AbstractLatencyAssert<SELF extends AbstractLatencyAssert<SELF>>
        extends AbstractMeasurementAssert<SELF> {

    AbstractLatencyAssert(@Nullable Measurement actual, Class<?> selfType) {
        super(actual, selfType);
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
    public SELF hasTtftAtMost(int promptTokens, Duration limit) {
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
    public SELF hasTtftAtMost(Percentile percentile, PromptLength promptLength, Duration limit) {
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
    public SELF hasItlP50AtMost(Duration limit) {
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
    public SELF hasItlP95AtMost(Duration limit) {
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
    public SELF hasItlP99AtMost(Duration limit) {
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
    public SELF hasItlAtMost(Percentile percentile, Duration limit) {
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
    public SELF hasTpotAtMost(Percentile percentile, Duration limit) {
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
    public SELF hasE2eAtMost(Percentile percentile, Duration limit) {
        return meets(LatencyRule.e2e(percentile, limit));
    }

    /**
     * Verifies the mean TTFT over the requests with prompts of these lengths; that it holds is shown asymptotically.
     *
     * <pre>{@code
     * // passes
     * assertThat(run).hasMeanTtftAtMost(PromptLength.exactly(512), Duration.ofMillis(450));
     * // fails: BREACH
     * assertThat(run).hasMeanTtftAtMost(PromptLength.exactly(512), Duration.ofMillis(300));
     * }</pre>
     *
     * @throws AssertionError where the limit is broken or could not be shown to hold
     * @throws IllegalArgumentException for a limit that is not above zero
     */
    public SELF hasMeanTtftAtMost(PromptLength promptLength, Duration limit) {
        return meets(MeanLatencyRule.ttft(promptLength, limit));
    }

    /**
     * Verifies a percentile of TTFO, the first token of the visible answer.
     *
     * <pre>{@code
     * // passes
     * assertThat(run).hasTtfoAtMost(Percentile.P95, PromptLength.exactly(512), Duration.ofMillis(450));
     * // fails: 5 requests are too few for P95
     * assertThat(tooFew).hasTtfoAtMost(Percentile.P95, PromptLength.exactly(512), Duration.ofMillis(450));
     * }</pre>
     *
     * @throws AssertionError where the limit is broken or could not be shown to hold
     * @throws IllegalArgumentException for a percentile of 100, or a limit that is not above zero
     */
    public SELF hasTtfoAtMost(Percentile percentile, PromptLength promptLength, Duration limit) {
        return meets(LatencyRule.ttfo(promptLength, percentile, limit));
    }

    /**
     * Verifies the mean gap between tokens; that it holds is shown asymptotically.
     *
     * <pre>{@code
     * // passes
     * assertThat(run).hasMeanItlAtMost(Duration.ofMillis(25));
     * // fails: BREACH
     * assertThat(run).hasMeanItlAtMost(Duration.ofMillis(15));
     * }</pre>
     *
     * @throws AssertionError where the limit is broken or could not be shown to hold
     * @throws IllegalArgumentException for a limit that is not above zero
     */
    public SELF hasMeanItlAtMost(Duration limit) {
        return meets(MeanLatencyRule.itl(limit));
    }

    /**
     * Verifies a percentile over the requests of a percentile of each one's gaps, such as the P95 of request P95s.
     *
     * <pre>{@code
     * // passes
     * assertThat(run).hasRequestItlAtMost(Percentile.P95, Percentile.P95, Duration.ofMillis(20));
     * // fails: BREACH
     * assertThat(run).hasRequestItlAtMost(Percentile.P95, Percentile.P95, Duration.ofMillis(19));
     * }</pre>
     *
     * @throws AssertionError where the limit is broken or could not be shown to hold
     * @throws IllegalArgumentException for a percentile of 100 of the requests, or a limit that is not above zero
     */
    public SELF hasRequestItlAtMost(Percentile ofRequests, Percentile ofGaps, Duration limit) {
        return meets(RequestItlRule.of(ofRequests, ofGaps, limit));
    }

    /**
     * Verifies a percentile of ICL, the gaps between chunks as they arrived.
     *
     * <pre>{@code
     * // passes
     * assertThat(run).hasIclAtMost(Percentile.P95, Duration.ofMillis(20));
     * // fails: BREACH
     * assertThat(run).hasIclAtMost(Percentile.P95, Duration.ofMillis(19));
     * }</pre>
     *
     * @throws AssertionError where the limit is broken or could not be shown to hold
     * @throws IllegalArgumentException for a percentile of 100, or a limit that is not above zero
     */
    public SELF hasIclAtMost(Percentile percentile, Duration limit) {
        return meets(LatencyRule.icl(percentile, limit));
    }

    /**
     * Verifies the mean gap between chunks; that it holds is shown asymptotically.
     *
     * <pre>{@code
     * // passes
     * assertThat(run).hasMeanIclAtMost(Duration.ofMillis(25));
     * // fails: BREACH
     * assertThat(run).hasMeanIclAtMost(Duration.ofMillis(15));
     * }</pre>
     *
     * @throws AssertionError where the limit is broken or could not be shown to hold
     * @throws IllegalArgumentException for a limit that is not above zero
     */
    public SELF hasMeanIclAtMost(Duration limit) {
        return meets(MeanLatencyRule.icl(limit));
    }

    /**
     * Verifies the mean TPOT over the requests; that it holds is shown asymptotically.
     *
     * <pre>{@code
     * // passes
     * assertThat(run).hasMeanTpotAtMost(Duration.ofMillis(25));
     * // fails: BREACH
     * assertThat(run).hasMeanTpotAtMost(Duration.ofMillis(15));
     * }</pre>
     *
     * @throws AssertionError where the limit is broken or could not be shown to hold
     * @throws IllegalArgumentException for a limit that is not above zero
     */
    public SELF hasMeanTpotAtMost(Duration limit) {
        return meets(MeanLatencyRule.tpot(limit));
    }

    /**
     * Verifies the mean E2E over the requests; that it holds is shown asymptotically.
     *
     * <pre>{@code
     * // passes
     * assertThat(run).hasMeanE2eAtMost(Duration.ofSeconds(3));
     * // fails: BREACH
     * assertThat(run).hasMeanE2eAtMost(Duration.ofSeconds(2));
     * }</pre>
     *
     * @throws AssertionError where the limit is broken or could not be shown to hold
     * @throws IllegalArgumentException for a limit that is not above zero
     */
    public SELF hasMeanE2eAtMost(Duration limit) {
        return meets(MeanLatencyRule.e2e(limit));
    }
}
