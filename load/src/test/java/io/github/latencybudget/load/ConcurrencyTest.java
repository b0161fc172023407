package io.github.latencybudget.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.inference.TargetSpec;
import io.github.latencybudget.metric.StreamMetrics;
import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several requests in flight. The scripted clock makes every time known; no test sleeps. */
@Timeout(60)
class ConcurrencyTest {

    private static final long MS = 1_000_000;
    private static final WarmUpPlan THREE_RUNS = new WarmUpPlan(1_000_000, 0, 3);

    /** Case 23: the engine of this target runs only when four requests are in flight. */
    @Test
    void asManyRequestsAreInFlightAsTheScenarioSays() {
        Measurement run = new LoadDriver(batchOf(4), scenario(4, 8), Progress.NONE).run();

        assertThat(run.conditions().concurrency()).isEqualTo(4);
        assertThat(run.traces())
                .extracting(
                        TokenTrace::request,
                        t -> StreamMetrics.ttftNanos(t).getAsLong() / MS,
                        t -> StreamMetrics.gapNanos(t)[0] / MS,
                        t -> StreamMetrics.gapNanos(t)[1] / MS)
                .containsExactly(
                        tuple(0, 100L, 310L, 10L),
                        tuple(1, 200L, 210L, 10L),
                        tuple(2, 300L, 110L, 10L),
                        tuple(3, 400L, 10L, 10L),
                        tuple(4, 100L, 310L, 10L),
                        tuple(5, 200L, 210L, 10L),
                        tuple(6, 300L, 110L, 10L),
                        tuple(7, 400L, 10L, 10L));
    }

    @Test
    void theStepsNameTheRequestsOfTheRunAndLeaveOutTheWarmUp() {
        Measurement run = new LoadDriver(batchOf(2), scenario(2, 4), Progress.NONE).run();

        assertThat(run.steps())
                .extracting(EngineStep::kind, EngineStep::requests)
                .containsExactly(
                        tuple(EngineStep.Kind.PREFILL, List.of(0)),
                        tuple(EngineStep.Kind.PREFILL, List.of(1)),
                        tuple(EngineStep.Kind.DECODE, List.of(0, 1)),
                        tuple(EngineStep.Kind.DECODE, List.of(0, 1)),
                        tuple(EngineStep.Kind.PREFILL, List.of(2)),
                        tuple(EngineStep.Kind.PREFILL, List.of(3)),
                        tuple(EngineStep.Kind.DECODE, List.of(2, 3)),
                        tuple(EngineStep.Kind.DECODE, List.of(2, 3)));
        assertThat(run.steps().get(0).startNanos())
                .isEqualTo(run.traces().get(0).startNanos());
        assertThat(run.steps().get(0).deviceNanos()).hasValue(90 * MS);
    }

    @Test
    void aWarmUpRunIsARoundOfTheSameConcurrencyAndItsTimesAreMedians() {
        Measurement run = new LoadDriver(batchOf(4), scenario(4, 4), Progress.NONE).run();

        assertThat(run.warmUp().series()).singleElement().satisfies(s -> {
            assertThat(s.ttftNanos()).containsExactly(200 * MS, 200 * MS, 200 * MS);
            // of 10, 170 / 7, 270 / 7 and 370 / 7 ms, the second
            assertThat(s.itlMeanNanos()).containsExactly(24_285_714L, 24_285_714L, 24_285_714L);
            assertThat(s.warm()).isTrue();
        });
    }

    @Test
    void oneRequestAtATimeRunsOnTheThreadOfTheCaller() {
        List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
        TargetSession session = new ScriptedSession(1, p -> {}, p -> threads.add(Thread.currentThread()));

        new LoadDriver(session, scenario(1, 3), Progress.NONE).run();

        assertThat(threads).hasSize(6).containsOnly(Thread.currentThread());
    }

    @Test
    void moreThanTheTargetCanHaveInFlightEndsTheRunBeforeTheWarmUp() {
        ScriptedSession session = new ScriptedSession(4, p -> {}, p -> {});

        assertThatExceptionOfType(MeasurementException.class)
                .isThrownBy(() -> new LoadDriver(session, scenario(5, 5), Progress.NONE).run())
                .withMessage(
                        "concurrency = 5: this target can have at most 4 requests in flight at a time; ask for at most so many, or open it with room for more");
        assertThat(session.prepares).hasValue(0);
    }

    @Test
    void aConcurrencyBelowOneIsNoScenario() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> scenario(0, 3))
                .withMessage("concurrency = 0: must be at least 1");
    }

    @Test
    void aBrokenRequestIsAFailedTraceAndTheOthersGoOn() {
        TargetSession session = new ScriptedSession(3, p -> {}, p -> {
            if (p >= 9 && p % 4 == 0) {
                throw new OutOfMemoryError("no room for prompt " + p);
            }
        });

        Measurement run = new LoadDriver(session, scenario(3, 12), Progress.NONE).run();

        assertThat(run.traces()).extracting(TokenTrace::request).containsExactlyInAnyOrderElementsOf(upTo(12));
        assertThat(run.traces())
                .filteredOn(t -> t.outcome() != Outcome.COMPLETED)
                .extracting(TokenTrace::request, t -> t.reason().orElseThrow())
                .containsExactlyInAnyOrder(
                        tuple(3, "no room for prompt 12"),
                        tuple(7, "no room for prompt 16"),
                        tuple(11, "no room for prompt 20"));
    }

    @Test
    void theTracesAreInTheOrderOfTheirStart() {
        CountDownLatch second = new CountDownLatch(1);
        CountDownLatch third = new CountDownLatch(1);
        // The first request is made only after the second has started, and ends before it.
        TargetSession session = new ScriptedSession(
                2,
                p -> {
                    if (p == 6) {
                        await(second);
                    } else if (p == 8) {
                        third.countDown();
                    }
                },
                p -> {
                    if (p == 7) {
                        second.countDown();
                        await(third);
                    }
                });

        Measurement run = new LoadDriver(session, scenario(2, 3), Progress.NONE).run();

        assertThat(run.traces()).extracting(TokenTrace::request).containsExactly(1, 0, 2);
        assertThat(run.traces()).extracting(TokenTrace::startNanos).isSorted();
    }

    @Test
    void aRequestThatCannotBeMadeEndsTheRunOnceTheOthersCameBack() {
        CountDownLatch isRunning = new CountDownLatch(1);
        CountDownLatch isFailing = new CountDownLatch(1);
        AtomicReference<Thread> failing = new AtomicReference<>();
        AtomicBoolean cameBack = new AtomicBoolean();
        ScriptedSession session = new ScriptedSession(
                2,
                p -> {
                    if (p == 7) {
                        failing.set(Thread.currentThread());
                        isFailing.countDown();
                        await(isRunning);
                        throw new IllegalStateException("no room");
                    }
                },
                p -> {
                    if (p == 6) {
                        isRunning.countDown();
                        await(isFailing);
                        failing.get().join();
                        cameBack.set(true);
                    }
                });

        assertThatExceptionOfType(MeasurementException.class)
                .isThrownBy(() -> new LoadDriver(session, scenario(2, 100), Progress.NONE).run())
                .withMessageContaining("a request with a prompt of 8 tokens could not be prepared")
                .withMessageContaining("no room");
        assertThat(cameBack).isTrue();
        assertThat(session.running).hasValue(0);
        assertThat(session.prepares).hasValue(8);
    }

    @Test
    void anInterruptStopsAllWorkersAndKeepsWhatWasMeasured() throws Exception {
        CountDownLatch hang = new CountDownLatch(2);
        ScriptedSession session = new ScriptedSession(2, p -> {}, p -> {
            // six of the warm-up, then four that complete
            if (p >= 10) {
                hang.countDown();
                new CountDownLatch(1).await();
            }
        });
        AtomicBoolean isStillInterrupted = new AtomicBoolean();
        FutureTask<Measurement> run = new FutureTask<>(() -> {
            Measurement measurement = new LoadDriver(session, scenario(2, 100), Progress.NONE).run();
            isStillInterrupted.set(Thread.currentThread().isInterrupted());
            return measurement;
        });
        Thread caller = new Thread(run);
        caller.start();
        hang.await();
        caller.interrupt();

        assertThat(run.get().traces())
                .extracting(TokenTrace::request, TokenTrace::outcome)
                .containsExactlyInAnyOrder(
                        tuple(0, Outcome.COMPLETED),
                        tuple(1, Outcome.COMPLETED),
                        tuple(2, Outcome.COMPLETED),
                        tuple(3, Outcome.COMPLETED),
                        tuple(4, Outcome.FAILED),
                        tuple(5, Outcome.FAILED));
        assertThat(isStillInterrupted).isTrue();
        assertThat(session.running).hasValue(0);
    }

    @Test
    void whoIsInterruptedWhileARequestIsMadeKeepsWhatWasMeasuredToo() throws Exception {
        CountDownLatch hang = new CountDownLatch(2);
        ScriptedSession session = new ScriptedSession(
                2,
                p -> {
                    if (p >= 10) {
                        hang.countDown();
                        await(new CountDownLatch(1));
                    }
                },
                p -> {});
        FutureTask<Measurement> run =
                new FutureTask<>(() -> new LoadDriver(session, scenario(2, 100), Progress.NONE).run());
        Thread caller = new Thread(run);
        caller.start();
        hang.await();
        caller.interrupt();

        assertThat(run.get().traces())
                .hasSize(4)
                .allSatisfy(t -> assertThat(t.outcome()).isEqualTo(Outcome.COMPLETED));
    }

    private static List<Integer> upTo(int n) {
        return Stream.iterate(0, i -> i + 1).limit(n).toList();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("called off", e);
        }
    }

    private static TargetSession batchOf(int size) {
        return new FakeTarget()
                .open(
                        new TargetSpec("fake", "cpu", "", 1, new TreeMap<>(Map.of("batch", Integer.toString(size)))),
                        Progress.NONE);
    }

    private static Scenario scenario(int concurrency, int requests) {
        return new Scenario(new TreeSet<>(List.of(8)), requests, 3, Sampling.GREEDY, concurrency, THREE_RUNS);
    }
}
