package io.github.latencybudget.budget;

import static io.github.latencybudget.trace.Traces.MS;
import static io.github.latencybudget.trace.Traces.run;
import static io.github.latencybudget.trace.Traces.times;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.ClientCalibration;
import io.github.latencybudget.trace.ClientCalibration.Step;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.GuardSettings;
import io.github.latencybudget.trace.RunWatch;
import io.github.latencybudget.trace.Traces;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Whether the client told times exactly enough for what is judged. */
class ClientGuardTest {

    private static final Rule ITL_50_MS = LatencyRule.itl(Percentile.P95, Duration.ofMillis(50));
    private static final Rule TTFT_500_MS =
            LatencyRule.ttft(PromptLength.exactly(512), Percentile.P95, Duration.ofMillis(500));
    private static final Rule TPOT_1_MS = LatencyRule.tpot(Percentile.P95, Duration.ofMillis(1));

    /** 70 requests, one each second, of 200 ms and 100 gaps of 8 ms: 7,070 events in 70 s. */
    private static Traces calibrated(Step planned, Step... steps) {
        return calibrated(new ClientCalibration(8, planned, List.of(steps)));
    }

    private static Traces calibrated(ClientCalibration client) {
        return run(70, 200 * MS, times(100, 8 * MS))
                .watched(new RunWatch(
                        GuardSettings.DEFAULT,
                        Optional.empty(),
                        new TreeMap<>(),
                        new TreeMap<>(),
                        Optional.of(client),
                        Optional.empty()));
    }

    private static Step step(double rate, double p99Millis) {
        return new Step(rate, 100, 10_000, (long) (p99Millis * MS));
    }

    private static Optional<String> said(Traces traces, Rule... rules) {
        return report(traces, rules).said();
    }

    private static GuardReport report(Traces traces, Rule... rules) {
        return Budget.of(rules).evaluate(traces.measurement()).guards().stream()
                .filter(g -> g.guard() == Guard.MAX_CLIENT_ERROR_SHARE)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void anErrorUpToItsShareOfTheSmallestLimitIsPartOfTheTime() {
        Traces traces = calibrated(step(128, 5), step(256, 5), step(512, 5.1));

        assertThat(report(traces, TTFT_500_MS, ITL_50_MS, TPOT_1_MS).state()).isEqualTo(GuardReport.State.CLEAR);
        assertThat(said(traces, TTFT_500_MS, ITL_50_MS, TPOT_1_MS))
                .contains(
                        "a P99 error of 5.00 ms at 128 events per second in 8 streams, within 10.0% of the limit of 50.0 ms on ITL up to 256; the run had 101 in its busiest second");
    }

    @Test
    void aProtocolThatWasNotMeasuredIsNamed() {
        ClientCalibration client = new ClientCalibration(8, step(128, 5), List.of());

        assertThat(said(calibrated(client.over("HTTP/1.1", "HTTP/2 over TLS")), ITL_50_MS)
                        .orElseThrow())
                .endsWith(
                        "; the run had 101 in its busiest second; measured over HTTP/1.1, where the endpoint is reached over HTTP/2 over TLS: what that takes beyond it is not in the error");
        assertThat(said(calibrated(client.over("HTTP/1.1", "HTTP/1.1")), ITL_50_MS)
                        .orElseThrow())
                .endsWith("; the run had 101 in its busiest second");
    }

    @Test
    void aLargerErrorShowsNeitherAPassNorABreach() {
        Traces traces = calibrated(new Step(128, 100, 10_000, 5 * MS + 1));
        String sentence =
                "the client does not tell times exactly enough: against a server of its own it had a P99 error of 5.00 ms at 128 events per second in 8 streams, over 10.0% of the limit of 50.0 ms on ITL; have fewer requests in flight, or a client with more to spare";

        Verdicts verdicts = Budget.of(TTFT_500_MS, ITL_50_MS).evaluate(traces.measurement());
        assertThat(verdicts.findings()).containsExactly(new Finding(Finding.Kind.CLIENT_INEXACT, sentence));
        assertThat(verdicts.status()).isEqualTo(Status.INCONCLUSIVE);
        Rule broken = LatencyRule.itl(Percentile.P95, Duration.ofMillis(4));
        assertThat(Budget.of(broken).evaluate(traces.measurement()).status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(Budget.of(TTFT_500_MS).evaluate(traces.measurement()).findings())
                .isEmpty();

        Traces off = traces.guarded(GuardSettings.DEFAULT.without(Guard.MAX_CLIENT_ERROR_SHARE));
        assertThat(Budget.of(TTFT_500_MS, ITL_50_MS).evaluate(off.measurement()).status())
                .isEqualTo(Status.PASS);
    }

    @Test
    void aRunBeyondTheCeilingIsTheClients() {
        Traces traces = calibrated(step(25, 1), step(50, 5.1), step(100, 2), step(200, 5.1));

        assertThat(Budget.of(ITL_50_MS).evaluate(traces.measurement()).findings())
                .containsExactly(
                        new Finding(
                                Finding.Kind.CLIENT_INEXACT,
                                "the client was beyond what it can tell: 101 events per second came in the busiest second, and against a server of its own its error (P99) stays within 10.0% of the limit of 50.0 ms on ITL up to 100; have fewer requests in flight, or a client with more to spare"));
    }

    @Test
    void theBusiestSecondCountsAndNotTheMean() {
        long[] burst = times(150, 40_500 * MS);

        assertThat(said(calibrated(step(128, 1), step(200, 2), step(400, 5.1)).arrivals(40_000 * MS, burst), ITL_50_MS))
                .contains(
                        "the client was beyond what it can tell: 251 events per second came in the busiest second, and against a server of its own its error (P99) stays within 10.0% of the limit of 50.0 ms on ITL up to 200; have fewer requests in flight, or a client with more to spare");
    }

    @Test
    void aRunOfLessThanASecondIsOneWindow() {
        Traces traces = run(1, 200 * MS, times(9, 20 * MS));

        // 10 events in 380 ms.
        assertThat(BusiestSecond.eventsPerSecond(traces.measurement().traces()).getAsDouble())
                .isCloseTo(26.3, within(0.1));
        assertThat(BusiestSecond.eventsPerSecond(List.of())).isEmpty();
    }

    @Test
    void whereEveryRateHeldTheCeilingIsHigher() {
        assertThat(report(calibrated(step(50, 1), step(100, 2)), ITL_50_MS).state())
                .isEqualTo(GuardReport.State.CLEAR);
        assertThat(said(calibrated(step(50, 1), step(100, 2)), ITL_50_MS))
                .contains(
                        "a P99 error of 1.00 ms at 50.0 events per second in 8 streams, within 10.0% of the limit of 50.0 ms on ITL up to 100 at least; the run had 101 in its busiest second");
    }

    /** The doubling ended at 10 ms; with an error of 12 ms a limit of 500 ms can be judged, and what is above was not tried. */
    @Test
    void anErrorThatEndedTheDoublingLeavesTheRatesAboveUntried() {
        Traces traces = calibrated(step(25, 1), step(50, 12));

        assertThat(said(traces, TTFT_500_MS))
                .contains(
                        "the client was beyond what it can tell: 101 events per second came in the busiest second, and against a server of its own its error (P99) stays within 10.0% of the limit of 500.0 ms on TTFT up to 50.0; have fewer requests in flight, or a client with more to spare");
    }

    @Test
    void aRateThatWasNotReachedWasNotTried() {
        Traces traces = calibrated(step(50, 1), new Step(89, 100, 10_000, 2 * MS, 100.0));

        assertThat(Budget.of(ITL_50_MS).evaluate(traces.measurement()).findings())
                .containsExactly(
                        new Finding(
                                Finding.Kind.CLIENT_INEXACT,
                                "the client was beyond what it can tell: 101 events per second came in the busiest second, and against a server of its own its error (P99) stays within 10.0% of the limit of 50.0 ms on ITL up to 89.0; have fewer requests in flight, or a client with more to spare"));
        assertThat(report(calibrated(step(50, 1), new Step(90, 100, 10_000, 2 * MS, 100.0)), ITL_50_MS)
                        .state())
                .isEqualTo(GuardReport.State.CLEAR);
    }

    @Test
    void withoutALimitOnASingleTimeOnlyTheRateIsJudgedAtOneMillisecond() {
        Traces beyondAtEveryRate = calibrated(step(128, 3), step(256, 4));
        assertThat(Budget.of(TPOT_1_MS)
                        .evaluate(beyondAtEveryRate.measurement())
                        .findings())
                .containsExactly(
                        new Finding(
                                Finding.Kind.CLIENT_INEXACT,
                                "the client does not tell times exactly enough: against a server of its own it had a P99 error of 3.00 ms at 128 events per second in 8 streams, over 1.00 ms; have fewer requests in flight, or a client with more to spare"));
        assertThat(report(calibrated(step(50, 1), step(100, 1.1)), TPOT_1_MS).state())
                .isEqualTo(GuardReport.State.FOUND);
    }

    @Test
    void theLimitsOfASingleRequestCountToo() {
        Traces traces = calibrated(step(128, 3));

        assertThat(report(traces, GoodputRule.atLeast(0.9, RequestLimit.itl(Duration.ofMillis(20))))
                        .state())
                .isEqualTo(GuardReport.State.FOUND);
        assertThat(report(traces, RequestItlRule.of(Percentile.P95, Percentile.P95, Duration.ofMillis(20)))
                        .state())
                .isEqualTo(GuardReport.State.FOUND);
        assertThat(report(
                                traces,
                                new FluidityRule(
                                        PromptLength.above(1), Duration.ofMillis(900), Duration.ofMillis(20), 0.9))
                        .state())
                .isEqualTo(GuardReport.State.FOUND);
        assertThat(report(traces, MeanLatencyRule.itl(Duration.ofMillis(20))).state())
                .isEqualTo(GuardReport.State.FOUND);
    }

    @Test
    void aRateWithoutAnEventIsNone() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Step(Double.NaN, 1, 0, 0))
                .withMessage("1 events at NaN per second: both must be above 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Step(1, 0, 0, 0))
                .withMessage("0 events at 1.0 per second: both must be above 0");
    }
}
