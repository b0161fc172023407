package io.github.latencybudget.budget;

import static io.github.latencybudget.trace.Traces.MS;
import static io.github.latencybudget.trace.Traces.run;
import static io.github.latencybudget.trace.Traces.times;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.DeviceWatch;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.GuardSettings;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.PrefixCache;
import io.github.latencybudget.trace.RunWatch;
import io.github.latencybudget.trace.Traces;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class GuardsTest {

    private static final Load.Open FIVE_PER_SECOND =
            new Load.Open(new Arrivals.Poisson(5, 42), OptionalInt.empty(), 100);

    private static final Rule TTFT =
            LatencyRule.ttft(PromptLength.exactly(512), Percentile.P95, Duration.ofMillis(500));
    private static final Rule TOO_STRICT =
            LatencyRule.ttft(PromptLength.exactly(512), Percentile.P95, Duration.ofMillis(1));

    @Test
    void whereNothingIsFoundARunPasses() {
        assertThat(judge(healthy().cached(0)).status()).isEqualTo(Status.PASS);
        assertThat(judge(healthy().cached(0)).guards())
                .extracting(GuardReport::state)
                .containsExactly(
                        GuardReport.State.CLEAR,
                        GuardReport.State.CLEAR,
                        GuardReport.State.CLEAR,
                        GuardReport.State.CLEAR,
                        GuardReport.State.NOT_APPLICABLE,
                        GuardReport.State.CLEAR,
                        GuardReport.State.CLEAR,
                        GuardReport.State.CLEAR,
                        GuardReport.State.CLEAR,
                        GuardReport.State.CLEAR,
                        GuardReport.State.NOT_CHECKED);
    }

    @Test
    void anotherProcess() {
        isFound(
                seen(Guard.OTHER_PROCESSES),
                Guard.OTHER_PROCESSES,
                Finding.Kind.OTHER_PROCESS,
                "2 other processes used the GPU during the run: python3 (pid 4711), Xorg (pid 12); end them, or measure on a GPU of its own");
    }

    @Test
    void throttling() {
        isFound(
                seen(Guard.THROTTLING),
                Guard.THROTTLING,
                Finding.Kind.THROTTLED,
                "the GPU was slowed down by heat in 7 of 40 looks, the power brake in 1 of 40 looks, at up to 88 degrees Celsius; see to its cooling and its power, and measure again");
    }

    @Test
    void aLowClock() {
        isFound(
                seen(Guard.MIN_CLOCK_SHARE),
                Guard.MIN_CLOCK_SHARE,
                Finding.Kind.LOW_CLOCK,
                "the SM clock was at or below 1385 of at most 1980 MHz (median 1600, lowest 345) in a tenth of 40 looks, under 70.0% of its maximum, held down by the power limit in 30 of 40 looks; unlock the clocks, raise the power limit, or state the share that this device is to run at with latencybudget.guards.min-clock-share");
    }

    @Test
    void aClockAtItsShareIsNotLow() {
        assertThat(report(
                        run512().watched(watch(device(1386, 1600, Map.of("the power limit", 30), Map.of(), 0))),
                        Guard.MIN_CLOCK_SHARE))
                .isEqualTo(new GuardReport(
                        Guard.MIN_CLOCK_SHARE,
                        GuardReport.State.CLEAR,
                        OptionalDouble.of(0.7),
                        Optional.of("1386 of at most 1980 MHz (median 1600, lowest 345)")));
    }

    @Test
    void memoryNearlyFull() {
        isFound(
                seen(Guard.MAX_MEMORY_SHARE),
                Guard.MAX_MEMORY_SHARE,
                Finding.Kind.MEMORY_NEAR_FULL,
                "the device memory was nearly full: 98.0 GiB of 100.0 GiB in use, over 95.0%; free some, or measure a smaller model, shorter prompts or fewer requests in flight");
    }

    /** Case 21: latency counts from the schedule, and a client that cannot keep up is not the target's. */
    @Test
    void aClientBehindItsSchedule() {
        Traces late = run().arrivals(0, 190 * MS)
                .sentAfter(0)
                .arrivals(10 * MS, 390 * MS)
                .sentAfter(190 * MS)
                .arrivals(20 * MS, 590 * MS)
                .sentAfter(380 * MS);

        assertThat(late.measurement().traces())
                .extracting(
                        t -> (t.arrivalNanos(1) - t.startNanos()) / MS,
                        t -> t.scheduleDelayNanos().getAsLong() / MS)
                .containsExactly(tuple(190L, 0L), tuple(380L, 190L), tuple(570L, 380L));
        isFound(
                late,
                Guard.MAX_SCHEDULE_DELAY_SHARE,
                Finding.Kind.CLIENT_BEHIND,
                "the client could not keep up: requests were sent up to 380.0 ms after they were due (P95 380.0 ms), over 10.0% of the limit of 500.0 ms on TTFT; send fewer requests per second, or from more machines");
    }

    /** Whatever share of requests may fail: who is not asked answers in time. */
    @Test
    void requestsThatWereNeverSentLetNothingPass() {
        Traces dropping = run(90, 200 * MS).openLoop(FIVE_PER_SECOND);
        for (int i = 0; i < 10; i++) {
            dropping.add(Outcome.DROPPED, "it was due when 4 requests were in flight and the queue of 2 was full", 0);
        }
        Budget lenient = Budget.of(
                LatencyRule.ttft(PromptLength.exactly(512), Percentile.P95, Duration.ofMillis(500)),
                FailureRule.atMost(0.5));

        Verdicts verdicts = lenient.evaluate(dropping.measurement());

        assertThat(verdicts.findings())
                .contains(
                        new Finding(
                                Finding.Kind.DROPPED_REQUESTS,
                                "10 of 100 requests were due and never sent, so the run was under less load than asked for; ask for fewer requests per second, or allow more in flight or a longer queue"));
        assertThat(verdicts.verdicts()).extracting(Verdict::status).containsOnly(Status.INCONCLUSIVE);
    }

    @Test
    void whatIsTooSlowEvenSoIsTooSlow() {
        Traces dropping = run(100, 600 * MS).openLoop(FIVE_PER_SECOND).add(Outcome.DROPPED, "full", 0);

        Verdicts verdicts = Budget.of(
                        LatencyRule.ttft(PromptLength.exactly(512), Percentile.P95, Duration.ofMillis(500)))
                .evaluate(dropping.measurement());

        assertThat(verdicts.verdicts()).extracting(Verdict::status).containsOnly(Status.BREACH);
    }

    @Test
    void anOpenLoopHasNoConcurrencyThatFewerInFlightWouldContradict() {
        Traces run = run(70, 200 * MS).concurrency(8).openLoop(FIVE_PER_SECOND);

        assertThat(Budget.findings(run.measurement())).isEmpty();
        assertThat(Budget.findings(run(70, 200 * MS).concurrency(8).measurement()))
                .extracting(Finding::kind)
                .containsExactly(Finding.Kind.CONCURRENCY);
    }

    @Test
    void aDelayUpToItsShareOfTheLimitIsPartOfTheLatency() {
        assertThat(report(run(1, 200 * MS).sentAfter(50 * MS), Guard.MAX_SCHEDULE_DELAY_SHARE)
                        .said())
                .contains("requests were sent up to 50.0 ms after they were due (P95 50.0 ms)");
        assertThat(report(run(1, 200 * MS).sentAfter(50 * MS), Guard.MAX_SCHEDULE_DELAY_SHARE)
                        .state())
                .isEqualTo(GuardReport.State.CLEAR);
        assertThat(report(run(1, 200 * MS).sentAfter(50 * MS + 1), Guard.MAX_SCHEDULE_DELAY_SHARE)
                        .state())
                .isEqualTo(GuardReport.State.FOUND);
    }

    @Test
    void withoutALimitFromTheStartADelayIsComparedWithTheMedianOfE2e() {
        Verdicts verdicts = Budget.of(LatencyRule.itl(Percentile.P95, Duration.ofMillis(1)))
                .evaluate(run(1, 200 * MS, 100 * MS).sentAfter(31 * MS).measurement());

        assertThat(verdicts.findings())
                .containsExactly(
                        new Finding(
                                Finding.Kind.CLIENT_BEHIND,
                                "the client could not keep up: requests were sent up to 31.0 ms after they were due (P95 31.0 ms), over 10.0% of the median E2E of 300.0 ms; send fewer requests per second, or from more machines"));
    }

    /** Case 26. */
    @Test
    void aPromptFromAPrefixCache() {
        Traces cached = run().prompt(16_000).add(70, 200 * MS).cached(15_900);

        assertThat(PrefixCache.of(cached.measurement())).isEqualTo(PrefixCache.WARM);
        isFound(
                cached,
                Guard.MAX_CACHED_SHARE,
                Finding.Kind.PREFIX_CACHE,
                "70 of 70 requests had more than 10.0% of their prompt served from a prefix cache, such as request 0 with 15900 of 16000 tokens; send prompts that differ from the first token on, switch prefix caching off, or, where a warm cache is what is to be measured, say so with latencybudget.guards.max-cached-share=1");
        assertThat(judge(cached.guarded(GuardSettings.DEFAULT.with(Guard.MAX_CACHED_SHARE, 1)))
                        .findings())
                .isEmpty();
    }

    @Test
    void aPrefixCacheIsColdOnlyWhereTheTargetSaysSoOfEveryRequest() {
        assertThat(PrefixCache.of(run(3, 200 * MS).cached(51).measurement())).isEqualTo(PrefixCache.COLD);
        assertThat(PrefixCache.of(run(3, 200 * MS).cached(52).measurement())).isEqualTo(PrefixCache.WARM);
        assertThat(PrefixCache.of(run(3, 200 * MS).cached(0).add(1, 200 * MS).measurement()))
                .isEqualTo(PrefixCache.UNCHECKED);
        assertThat(PrefixCache.of(run().measurement())).isEqualTo(PrefixCache.UNCHECKED);
        assertThat(report(run(3, 200 * MS).cached(0).add(1, 200 * MS), Guard.MAX_CACHED_SHARE)
                        .said())
                .contains("the target does not say of 1 of 4 requests how much of their prompt was cached");
    }

    @Test
    void anotherOutputLength() {
        isFound(
                run(70, 200 * MS, 10 * MS).declaring(3),
                Guard.OUTPUT_LENGTH,
                Finding.Kind.OUTPUT_LENGTH,
                "70 of 70 completed requests gave another number of output tokens than declared, such as request 0 with 2 instead of 3; a latency gate generates exactly what it declares, so ignore end-of-sequence");
    }

    @Test
    void tooManyFailedRequests() {
        Traces one = run(99, 200 * MS).add(Outcome.FAILED, "status 503", 99_000 * MS);

        isFound(
                one,
                Guard.MAX_FAILED_SHARE,
                Finding.Kind.FAILED_REQUESTS,
                "1 of 100 requests did not complete: 1 x FAILED: status 503");
        Verdicts tolerated = judge(one.guarded(GuardSettings.DEFAULT.with(Guard.MAX_FAILED_SHARE, 0.01)));
        assertThat(tolerated.status()).isEqualTo(Status.PASS);
        assertThat(tolerated.describe()).contains("\n        guards set by hand: max-failed-share = 0.01\n");
        assertThat(judge(one.guarded(GuardSettings.DEFAULT.with(Guard.MAX_FAILED_SHARE, 0.0099)))
                        .status())
                .isEqualTo(Status.INCONCLUSIVE);
    }

    @Test
    void aTargetThatBecameAnother() {
        Finding changed = new Finding(Finding.Kind.TARGET_CHANGED, "the weights changed");
        Traces traces = healthy().finding(changed);

        assertThat(report(traces, Guard.SAME_TARGET).state()).isEqualTo(GuardReport.State.FOUND);
        assertThat(judge(traces).findings()).containsExactly(changed);
        assertThat(judge(traces).status()).isEqualTo(Status.INCONCLUSIVE);
    }

    @Test
    void whatCouldNotBeCheckedIsNamedAndDoesNotKeepARunFromPassing() {
        Verdicts verdicts = judge(run512());

        assertThat(verdicts.status()).isEqualTo(Status.PASS);
        assertThat(verdicts.guards())
                .filteredOn(g -> g.state() == GuardReport.State.NOT_CHECKED)
                .extracting(GuardReport::guard, g -> g.said().orElseThrow())
                .containsExactly(
                        tuple(Guard.OTHER_PROCESSES, "nobody watched the run"),
                        tuple(Guard.THROTTLING, "nobody watched the run"),
                        tuple(Guard.MIN_CLOCK_SHARE, "nobody watched the run"),
                        tuple(Guard.MAX_MEMORY_SHARE, "nobody watched the run"),
                        tuple(
                                Guard.MAX_CACHED_SHARE,
                                "the target does not say of 70 of 70 requests how much of their prompt was cached"),
                        tuple(Guard.SAME_TARGET, "nobody watched the run"),
                        tuple(Guard.MAX_CLIENT_ERROR_SHARE, "the client was not calibrated"));
    }

    @Test
    void aRunThatWasOverAtOnceWasNotSeen() {
        DeviceWatch none = new DeviceWatch(
                "NVML",
                0,
                OptionalInt.of(1980),
                OptionalInt.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                new TreeMap<>(),
                new TreeMap<>(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                List.of(),
                OptionalInt.empty(),
                OptionalDouble.empty());

        assertThat(report(run512().watched(watch(none)), Guard.THROTTLING).said())
                .contains("the run was over before a look was taken while a request was in flight");
        assertThat(report(run512().watched(watch(none)), Guard.MIN_CLOCK_SHARE).state())
                .isEqualTo(GuardReport.State.NOT_CHECKED);
        assertThat(report(run512().watched(watch(none)), Guard.MAX_MEMORY_SHARE).said())
                .contains("NVML does not tell the memory");
    }

    /** Whose load it was cannot be told, so a breach cannot be told either; too little memory and a cache excuse no breach. */
    @ParameterizedTest
    @EnumSource(names = {"OTHER_PROCESSES", "THROTTLING", "MIN_CLOCK_SHARE", "MAX_MEMORY_SHARE"})
    void aBreachOnADisturbedDeviceIsNone(Guard guard) {
        Verdicts verdicts = Budget.of(TOO_STRICT).evaluate(seen(guard).measurement());

        assertThat(verdicts.status()).isEqualTo(guard == Guard.MAX_MEMORY_SHARE ? Status.BREACH : Status.INCONCLUSIVE);
    }

    @Test
    void aThresholdIsAShare() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GuardSettings.DEFAULT.with(Guard.MIN_CLOCK_SHARE, 1.1))
                .withMessage("min-clock-share = 1.1: must be a share from 0 on");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GuardSettings.DEFAULT.with(Guard.MAX_DRIFT, Double.NaN))
                .withMessage("max-drift = NaN: must be a share from 0 on");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GuardSettings.DEFAULT.with(Guard.THROTTLING, 0.5))
                .withMessage("throttling = 0.5: this guard has no threshold");
        assertThat(GuardSettings.DEFAULT.with(Guard.MAX_DRIFT, 3).threshold(Guard.MAX_DRIFT))
                .isEqualTo(3);
    }

    private static void isFound(Traces traces, Guard guard, Finding.Kind kind, String sentence) {
        Verdicts verdicts = judge(traces);
        assertThat(verdicts.findings()).containsExactly(new Finding(kind, sentence));
        assertThat(verdicts.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(report(traces, guard).state()).isEqualTo(GuardReport.State.FOUND);
        assertThat(report(traces, guard).said()).contains(sentence);

        Verdicts off = judge(traces.guarded(GuardSettings.DEFAULT.without(guard)));
        assertThat(off.findings()).isEmpty();
        assertThat(off.guardsSetByHand()).containsExactly(guard.label() + " = off");
        assertThat(off.describe()).contains("\n        guards set by hand: %s = off\n".formatted(guard.label()));
        traces.guarded(GuardSettings.DEFAULT);
    }

    private static Verdicts judge(Traces traces) {
        return Budget.of(TTFT).evaluate(traces.measurement());
    }

    private static GuardReport report(Traces traces, Guard guard) {
        return judge(traces).guards().stream()
                .filter(g -> g.guard() == guard)
                .findFirst()
                .orElseThrow();
    }

    private static Traces run512() {
        return run(70, 200 * MS, times(2, 10 * MS));
    }

    private static Traces healthy() {
        return run512().watched(watch(device(1755, 1980, Map.of(), Map.of(), 0)));
    }

    private static Traces seen(Guard guard) {
        DeviceWatch device = switch (guard) {
            case OTHER_PROCESSES -> device(1755, 1980, Map.of(), Map.of(), 2);
            case THROTTLING -> device(1755, 1980, Map.of(), Map.of("heat", 7, "the power brake", 1), 0);
            case MIN_CLOCK_SHARE -> device(1385, 1600, Map.of("the power limit", 30), Map.of(), 0);
            default -> device(1755, 1980, Map.of(), Map.of(), 0, 98);
        };
        return run512().watched(watch(device));
    }

    private static DeviceWatch device(
            int p10, int median, Map<String, Integer> limits, Map<String, Integer> slowdowns, int others) {
        return device(p10, median, limits, slowdowns, others, 95);
    }

    private static DeviceWatch device(
            int p10,
            int median,
            Map<String, Integer> limits,
            Map<String, Integer> slowdowns,
            int others,
            long usedGibibytes) {
        return new DeviceWatch(
                "NVML",
                40,
                OptionalInt.of(1980),
                OptionalInt.of(345),
                OptionalInt.of(p10),
                OptionalInt.of(median),
                new TreeMap<>(limits),
                new TreeMap<>(slowdowns),
                OptionalLong.of(usedGibibytes << 30),
                OptionalLong.of(100L << 30),
                List.of("python3 (pid 4711)", "Xorg (pid 12)").subList(0, others),
                OptionalInt.of(88),
                OptionalDouble.of(650));
    }

    private static RunWatch watch(DeviceWatch device) {
        SortedMap<Guard, String> none = new TreeMap<>();
        return new RunWatch(GuardSettings.DEFAULT, Optional.of(device), none, none);
    }
}
