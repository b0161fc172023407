package io.github.latencybudget.assertj;

import io.github.latencybudget.baseline.Baseline;
import io.github.latencybudget.baseline.Comparison;
import io.github.latencybudget.baseline.Tolerance;
import io.github.latencybudget.budget.DeviceMemoryRule;
import io.github.latencybudget.budget.DriftRule;
import io.github.latencybudget.budget.FailureRule;
import io.github.latencybudget.budget.FluidityRule;
import io.github.latencybudget.budget.GoodputRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.budget.RequestLimit;
import io.github.latencybudget.budget.SystemThroughputRule;
import io.github.latencybudget.budget.ThroughputConditions;
import io.github.latencybudget.budget.ThroughputRule;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Measurement;
import java.time.Duration;
import org.apiguardian.api.API;
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
public class MeasurementAssert extends AbstractLatencyAssert<MeasurementAssert> {

    /** @param actual the run to assert on */
    public MeasurementAssert(@Nullable Measurement actual) {
        super(actual, MeasurementAssert.class);
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
     * Verifies the system TGS: all output tokens over the time that they take together, under the conditions that it is stated for.
     *
     * <pre>{@code
     * var conditions = ThroughputConditions.of(List.of(512), Sampling.GREEDY, 1, 24L << 30);
     * // passes: a request starts every second
     * assertThat(run).hasSystemTgsAtLeast(120, conditions);
     * // fails: BREACH
     * assertThat(run).hasSystemTgsAtLeast(200, conditions);
     * }</pre>
     *
     * @throws AssertionError where the rate is not reached or could not be shown to be, or the run had other conditions
     * @throws IllegalArgumentException for a rate that is not above zero and finite
     */
    public MeasurementAssert hasSystemTgsAtLeast(double tokensPerSecond, ThroughputConditions conditions) {
        return meets(new SystemThroughputRule(tokensPerSecond, conditions));
    }

    /**
     * Verifies the share of the requests that complete and meet every one of these limits.
     *
     * <pre>{@code
     * // passes
     * assertThat(run).hasGoodputAtLeast(0.95, RequestLimit.itl(Duration.ofMillis(50)), RequestLimit.e2e(Duration.ofSeconds(3)));
     * // fails: BREACH
     * assertThat(run).hasGoodputAtLeast(0.95, RequestLimit.itl(Duration.ofMillis(50)), RequestLimit.e2e(Duration.ofSeconds(2)));
     * }</pre>
     *
     * @throws AssertionError where the share is too small or could not be shown to be large enough
     * @throws IllegalArgumentException for no limit, or a share outside (0, 1)
     */
    public MeasurementAssert hasGoodputAtLeast(double minShare, RequestLimit... limits) {
        return meets(GoodputRule.atLeast(minShare, limits));
    }

    /**
     * Verifies that the run is shown not to be slower than a baseline of the same conditions by more than a tolerance: neither in a
     * time nor in a rate, at any prompt length.
     *
     * <pre>{@code
     * Baseline chat = new BaselineStore(Path.of("src/test/latency-baselines")).read("chat");
     * // passes: the run is the baseline
     * assertThat(run).isNotSlowerThan(chat, Tolerance.ofPercent(10));
     * // fails: 5 requests are too few to tell the P95 of the two apart
     * assertThat(tooFew).isNotSlowerThan(chat, Tolerance.ofPercent(10).withP95());
     * }</pre>
     *
     * @throws AssertionError where it is slower, could not be shown not to be, or has other conditions
     */
    public MeasurementAssert isNotSlowerThan(Baseline baseline, Tolerance tolerance) {
        isNotNull();
        Comparison comparison = baseline.compare(actual, tolerance);
        return failUnless(comparison.passed(), comparison.describe());
    }

    /**
     * Verifies the share of the tokens that come in time: the first within one limit, each further one within the other for each token before it.
     *
     * <pre>{@code
     * // passes
     * assertThat(run).hasFluidityAtLeast(0.95, PromptLength.exactly(512), Duration.ofMillis(450), Duration.ofMillis(20));
     * // fails: BREACH
     * assertThat(run).hasFluidityAtLeast(0.95, PromptLength.exactly(512), Duration.ofMillis(450), Duration.ofMillis(19));
     * }</pre>
     *
     * @throws AssertionError where the share is too small or could not be shown to be large enough
     * @throws IllegalArgumentException for a share outside (0, 1), or a limit that is not above zero
     */
    public MeasurementAssert hasFluidityAtLeast(
            double minShare, PromptLength promptLength, Duration ttftLimit, Duration itlLimit) {
        return meets(new FluidityRule(promptLength, ttftLimit, itlLimit, minShare));
    }

    /**
     * Verifies the share of the requests that do not complete.
     *
     * <pre>{@code
     * // passes
     * assertThat(run).hasFailureShareAtMost(0.05);
     * // fails: 5 requests are too few
     * assertThat(tooFew).hasFailureShareAtMost(0.05);
     * }</pre>
     *
     * @throws AssertionError where the share is too large or could not be shown to be small enough
     * @throws IllegalArgumentException for a share outside (0, 1)
     */
    public MeasurementAssert hasFailureShareAtMost(double maxShare) {
        return meets(FailureRule.atMost(maxShare));
    }

    /**
     * Verifies the change of a time from the first third of the requests with prompts of this length to the last, in either direction.
     *
     * <pre>{@code
     * // passes: all requests took as long
     * assertThat(run).hasDriftAtMost(0.1, Metric.TTFT, 512);
     * // fails: 5 requests are too few to compare
     * assertThat(tooFew).hasDriftAtMost(0.1, Metric.TTFT, 512);
     * }</pre>
     *
     * @param maxShare the largest change of the median, as a share of that of the first third
     * @param metric TTFT, TTFO, TPOT (the mean gap of a request) or E2E
     * @param promptTokens the length in tokens of the model's own tokenizer, BOS included
     * @throws AssertionError where the change is too large or could not be shown to be small enough
     * @throws IllegalArgumentException for a share outside (0, 1), a metric that is not a time or of which a request has several
     *     values, or a length below 1
     */
    public MeasurementAssert hasDriftAtMost(double maxShare, Metric metric, int promptTokens) {
        return meets(new DriftRule(metric, maxShare, promptTokens));
    }

    /**
     * Verifies the most memory that was in use on the device during the run.
     *
     * <pre>{@code
     * // passes: 20 GiB were
     * assertThat(run).hasPeakDeviceMemoryAtMost(20L << 30);
     * // fails: BREACH
     * assertThat(run).hasPeakDeviceMemoryAtMost(19L << 30);
     * }</pre>
     *
     * @throws AssertionError where more was in use, or it could not be read
     * @throws IllegalArgumentException for a limit below 1
     */
    public MeasurementAssert hasPeakDeviceMemoryAtMost(long bytes) {
        return meets(DeviceMemoryRule.atMostBytes(bytes));
    }
}
