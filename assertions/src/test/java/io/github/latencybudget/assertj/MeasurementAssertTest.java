package io.github.latencybudget.assertj;

import static io.github.latencybudget.assertj.LatencyAssertions.MEASUREMENT;
import static io.github.latencybudget.assertj.LatencyAssertions.assertThat;
import static io.github.latencybudget.trace.Traces.MS;
import static io.github.latencybudget.trace.Traces.times;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.latencybudget.baseline.Baseline;
import io.github.latencybudget.baseline.Tolerance;
import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.Confidence;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.budget.RequestLimit;
import io.github.latencybudget.budget.ThroughputConditions;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.GuardSettings;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.Traces;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class MeasurementAssertTest {

    private static final Measurement RUN =
            Traces.run(400, 400 * MS, times(127, 20 * MS)).measurement();
    private static final Measurement TOO_FEW =
            Traces.run(5, 400 * MS, times(127, 20 * MS)).measurement();
    private static final Baseline CHAT = new Baseline("chat", Instant.EPOCH, RUN);
    private static final Percentile P90 = Percentile.of(90);

    /** The examples in the Javadoc: what passes, what fails, and the start of the line that says so. */
    static Stream<Arguments> examples() {
        PromptLength upTo512 = PromptLength.between(129, 512);
        Measurement failed =
                Traces.run(400, 400 * MS).add(Outcome.FAILED, "status 503", 0).measurement();
        Measurement cold = Traces.run(400, 400 * MS).withoutWarmUp().measurement();
        return Stream.of(
                example(
                        on(TOO_FEW, a -> a.withConfidence(new Confidence(0.95)).hasItlP50AtMost(ms(50))),
                        on(TOO_FEW, a -> a.withConfidence(new Confidence(0.99)).hasItlP50AtMost(ms(50))),
                        "needs 8 requests"),
                example(on(RUN, a -> a.meets(itl(50))), on(RUN, a -> a.meets(itl(10))), "BREACH  ITL P95"),
                example(
                        on(RUN, a -> a.hasTtftAtMost(512, ms(400))),
                        on(RUN, a -> a.hasTtftAtMost(128, ms(400))),
                        "missing: no request with prompts of 128 tokens"),
                example(
                        on(RUN, a -> a.hasTtftAtMost(Percentile.P50, upTo512, ms(450))),
                        on(TOO_FEW, a -> a.hasTtftAtMost(Percentile.P99, upTo512, ms(450))),
                        "INCONCLUSIVE  TTFT P99"),
                example(
                        on(RUN, a -> a.hasItlP50AtMost(ms(20))),
                        on(RUN, a -> a.hasItlP50AtMost(ms(19))),
                        "BREACH  ITL P50"),
                example(
                        on(RUN, a -> a.hasItlP95AtMost(ms(50))),
                        on(TOO_FEW, a -> a.hasItlP95AtMost(ms(50))),
                        "INCONCLUSIVE  ITL P95"),
                example(
                        on(RUN, a -> a.hasItlP99AtMost(ms(50))),
                        on(TOO_FEW, a -> a.hasItlP99AtMost(ms(50))),
                        "INCONCLUSIVE  ITL P99"),
                example(
                        on(RUN, a -> a.hasItlAtMost(P90, ms(20))),
                        on(RUN, a -> a.hasItlAtMost(P90, ms(19))),
                        "BREACH  ITL P90"),
                example(
                        on(RUN, a -> a.hasTpotAtMost(Percentile.P95, ms(20))),
                        on(RUN, a -> a.hasTpotAtMost(Percentile.P95, ms(19))),
                        "BREACH  TPOT P95"),
                example(
                        on(RUN, a -> a.hasE2eAtMost(Percentile.P95, ms(3000))),
                        on(RUN, a -> a.hasE2eAtMost(Percentile.P95, ms(2000))),
                        "BREACH  E2E P95"),
                example(
                        on(RUN, a -> a.hasDecodeTgsAtLeast(50, conditions(1))),
                        on(RUN, a -> a.hasDecodeTgsAtLeast(51, conditions(1))),
                        "BREACH  decode TGS"),
                example(
                        on(RUN, a -> a.hasRequestTgsAtLeast(43, conditions(1))),
                        on(RUN, a -> a.hasRequestTgsAtLeast(43, conditions(8))),
                        "INCONCLUSIVE  request TGS"),
                example(
                        on(RUN, a -> a.hasMeanTtftAtMost(PromptLength.exactly(512), ms(450))),
                        on(RUN, a -> a.hasMeanTtftAtMost(PromptLength.exactly(512), ms(300))),
                        "BREACH  mean TTFT at most 300.0 ms for prompts of 512 tokens: observed 400.0 ms"),
                example(
                        on(RUN, a -> a.hasTtfoAtMost(Percentile.P95, PromptLength.exactly(512), ms(450))),
                        on(TOO_FEW, a -> a.hasTtfoAtMost(Percentile.P95, PromptLength.exactly(512), ms(450))),
                        "INCONCLUSIVE  TTFO P95"),
                example(
                        on(RUN, a -> a.hasMeanItlAtMost(ms(25))),
                        on(RUN, a -> a.hasMeanItlAtMost(ms(15))),
                        "BREACH  mean ITL at most 15.0 ms: observed 20.0 ms"),
                example(
                        on(RUN, a -> a.hasRequestItlAtMost(Percentile.P95, Percentile.P95, ms(20))),
                        on(RUN, a -> a.hasRequestItlAtMost(Percentile.P95, Percentile.P95, ms(19))),
                        "BREACH  P95 of request ITL P95s at most 19.0 ms: observed 20.0 ms"),
                example(
                        on(RUN, a -> a.hasIclAtMost(Percentile.P95, ms(20))),
                        on(RUN, a -> a.hasIclAtMost(Percentile.P95, ms(19))),
                        "BREACH  ICL P95"),
                example(
                        on(RUN, a -> a.hasMeanIclAtMost(ms(25))),
                        on(RUN, a -> a.hasMeanIclAtMost(ms(15))),
                        "BREACH  mean ICL"),
                example(
                        on(RUN, a -> a.hasMeanTpotAtMost(ms(25))),
                        on(RUN, a -> a.hasMeanTpotAtMost(ms(15))),
                        "BREACH  mean TPOT"),
                example(
                        on(RUN, a -> a.hasMeanE2eAtMost(ms(3000))),
                        on(RUN, a -> a.hasMeanE2eAtMost(ms(2000))),
                        "BREACH  mean E2E"),
                example(
                        on(RUN, a -> a.hasSystemTgsAtLeast(120, conditions(1))),
                        on(RUN, a -> a.hasSystemTgsAtLeast(200, conditions(1))),
                        "BREACH  system TGS at least 200.0 tokens/s"),
                example(
                        on(RUN, a -> a.hasGoodputAtLeast(0.95, RequestLimit.itl(ms(50)), RequestLimit.e2e(ms(3000)))),
                        on(RUN, a -> a.hasGoodputAtLeast(0.95, RequestLimit.itl(ms(50)), RequestLimit.e2e(ms(2000)))),
                        "BREACH  goodput at least 95.0% of requests (ITL at most 50.0 ms, E2E at most 2000.0 ms): observed 0.0%, 95.0 points under"),
                example(
                        on(RUN, a -> a.hasFluidityAtLeast(0.95, PromptLength.exactly(512), ms(450), ms(20))),
                        on(RUN, a -> a.hasFluidityAtLeast(0.95, PromptLength.exactly(512), ms(450), ms(19))),
                        "BREACH  fluidity at least 95.0%"),
                example(
                        on(RUN, a -> a.hasFailureShareAtMost(0.05)),
                        on(TOO_FEW, a -> a.hasFailureShareAtMost(0.05)),
                        "INCONCLUSIVE  failure share at most 5.0%"),
                example(
                        on(RUN, a -> a.hasDriftAtMost(0.1, Metric.TTFT, 512)),
                        on(TOO_FEW, a -> a.hasDriftAtMost(0.1, Metric.TTFT, 512)),
                        "INCONCLUSIVE  TTFT drift at most 10.0% for prompts of 512 tokens: nothing observed"),
                example(
                        on(RUN, a -> a.hasPeakDeviceMemoryAtMost(20L << 30)),
                        on(RUN, a -> a.hasPeakDeviceMemoryAtMost(19L << 30)),
                        "BREACH  peak device memory at most 19.0 GiB: observed 20.0 GiB"),
                example(
                        on(RUN, a -> a.isNotSlowerThan(CHAT, Tolerance.ofPercent(10))),
                        on(
                                TOO_FEW,
                                a -> a.isNotSlowerThan(
                                        CHAT, Tolerance.ofPercent(10).withP95())),
                        "INCONCLUSIVE  TTFT P95 for prompts of 512 tokens: no change observed"),
                example(on(RUN, MeasurementAssert::isWarm), on(cold, MeasurementAssert::isWarm), "not warm"),
                example(
                        on(RUN, MeasurementAssert::completedAllRequests),
                        on(failed, MeasurementAssert::completedAllRequests),
                        "1 of 401 requests did not complete: 1 x FAILED: status 503"));
    }

    @ParameterizedTest
    @MethodSource("examples")
    void theExamplesOfTheJavadocHold(Runnable passing, Runnable failing, String message) {
        assertThatCode(passing::run).doesNotThrowAnyException();
        assertThatThrownBy(failing::run).isInstanceOf(AssertionError.class).hasMessageContaining(message);
    }

    @Test
    void theMessageIsThatOfTheVerdicts() {
        assertThatThrownBy(() -> assertThat(TOO_FEW).meets(itl(10)))
                .hasMessage(itl(10).evaluate(TOO_FEW).describe());
    }

    // Evaluation case 33.
    @Test
    void thePercentSignOfADescriptionOrOfTheDataStaysAsItIs() {
        Measurement run = Traces.run(400, 400 * MS).model("100%d %s %").measurement();

        assertThatThrownBy(() -> assertThat(run).as("P95 100%%").hasTtftAtMost(512, ms(1)))
                .hasMessageStartingWith("[P95 100%%] [100%d %s % fp16")
                .hasMessageContaining("(39900.0%) over");
        assertThatThrownBy(() -> assertThat(run).as("P%d 100%%", 95).hasTtftAtMost(512, ms(1)))
                .hasMessageStartingWith("[P95 100%] [100%d %s % fp16");
    }

    // Evaluation case 33.
    @ParameterizedTest
    @MethodSource("onNull")
    void aNullMeasurementFailsAsEveryOtherNullDoes(Consumer<MeasurementAssert> assertion) {
        assertThatThrownBy(() -> assertion.accept(assertThat((Measurement) null)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Expecting actual not to be null");
    }

    static Stream<Consumer<MeasurementAssert>> onNull() {
        return Stream.of(
                a -> a.meets(itl(50)),
                a -> a.isNotSlowerThan(CHAT, Tolerance.ofPercent(10)),
                a -> a.hasTtftAtMost(512, ms(50)),
                MeasurementAssert::isWarm,
                MeasurementAssert::completedAllRequests);
    }

    // Evaluation case 33.
    @Test
    void softAssertionsShowAllBrokenRules() {
        assertThatThrownBy(() -> SoftLatencyAssertions.assertSoftly(softly -> softly.assertThat(RUN)
                        .as("chat")
                        .hasTtftAtMost(512, ms(399))
                        .hasItlP50AtMost(ms(50))
                        .withConfidence(new Confidence(0.9))
                        .hasItlP95AtMost(ms(19))
                        .hasGoodputAtLeast(0.9, RequestLimit.itl(ms(19)))
                        .hasFailureShareAtMost(0.1)))
                .hasMessageContainingAll(
                        "(3 failures)",
                        "BREACH  goodput at least 90.0% of requests (ITL at most 19.0 ms): observed 0.0%",
                        "[chat] [Llama-2-7b",
                        "BREACH  TTFT P95 at most 399.0 ms for prompts of 512 tokens: observed 400.0 ms",
                        "BREACH  ITL P95 at most 19.0 ms: observed 20.0 ms",
                        "each with 90% confidence")
                .message()
                .doesNotContain("ITL P50");
    }

    @Test
    void softAssertionsOnWhatHoldsPass() {
        assertThatCode(() -> SoftLatencyAssertions.assertSoftly(
                        softly -> softly.assertThat(RUN).isWarm().completedAllRequests()))
                .doesNotThrowAnyException();
    }

    @Test
    void anyAssertionNarrowsToOneOnAMeasurement() {
        assertThat(List.of(RUN)).first(MEASUREMENT).hasItlP95AtMost(ms(50));
        assertThatThrownBy(() -> assertThat((Object) "no run").asInstanceOf(MEASUREMENT))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void aFailedRequestThatAGuardAllowsHasNotCompletedAllTheSame() {
        Measurement tolerant = Traces.run(99, 200 * MS)
                .add(Outcome.FAILED, "status 503", 99_000 * MS)
                .guarded(GuardSettings.DEFAULT.with(Guard.MAX_FAILED_SHARE, 0.1))
                .measurement();

        assertThatThrownBy(() -> assertThat(tolerant).completedAllRequests())
                .isInstanceOf(AssertionError.class)
                .hasMessage("99 of 100 requests completed");
    }

    @Test
    void aRunOfNothingIsNeitherWarmNorComplete() {
        Measurement nothing = Traces.run().measurement();

        assertThatThrownBy(() -> assertThat(nothing).isWarm())
                .hasMessage("not warm: nothing was warmed up, or not every prompt length that was is warm");
        assertThatThrownBy(() -> assertThat(nothing).completedAllRequests())
                .hasMessage("missing: no request was measured");
    }

    private static Arguments example(Runnable passing, Runnable failing, String message) {
        return arguments(passing, failing, message);
    }

    private static Runnable on(Measurement run, Consumer<MeasurementAssert> assertion) {
        return () -> assertion.accept(assertThat(run));
    }

    private static Budget itl(int millis) {
        return Budget.of(LatencyRule.itl(Percentile.P95, ms(millis)));
    }

    private static ThroughputConditions conditions(int concurrency) {
        return ThroughputConditions.of(List.of(512), Sampling.GREEDY, concurrency, 24L << 30);
    }

    private static Duration ms(int millis) {
        return Duration.ofMillis(millis);
    }
}
