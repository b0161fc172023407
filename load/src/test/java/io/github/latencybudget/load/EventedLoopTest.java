package io.github.latencybudget.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A closed loop on a target that needs no thread per request. */
@Timeout(60)
class EventedLoopTest {

    /** Case 23: this server answers only when so many requests are there, all of them. */
    private static final class Full implements EventedSession.Server {

        private final int size;
        private final List<Runnable> waiting = new ArrayList<>();

        Full(int size) {
            this.size = size;
        }

        @Override
        public void take(long promptNumber, Runnable answer) {
            List<Runnable> answers = List.of();
            synchronized (waiting) {
                waiting.add(answer);
                if (waiting.size() == size) {
                    answers = List.copyOf(waiting);
                    waiting.clear();
                }
            }
            answers.forEach(Runnable::run);
        }
    }

    @Test
    void asManyRequestsAreInFlightAsTheScenarioSaysWithFewThreads() {
        Set<String> threads = ConcurrentHashMap.newKeySet();
        EventedSession session =
                new EventedSession(p -> threads.add(Thread.currentThread().getName()), new Full(2_000));

        Measurement run = new LoadDriver(session, scenario(2_000, 4_000), Progress.NONE).run();

        assertThat(session.mostInFlight).hasValue(2_000);
        assertThat(run.traces())
                .hasSize(4_000)
                .allSatisfy(t -> assertThat(t.outcome()).isEqualTo(Outcome.COMPLETED));
        assertThat(run.traces())
                .extracting(TokenTrace::request)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 4_000).boxed().toList());
        assertThat(run.traces()).extracting(TokenTrace::startNanos).isSorted();
        assertThat(threads).containsExactly("latency-budget preparing");
    }

    @Test
    void aRequestThatCannotBeMadeEndsTheRun() {
        EventedSession session = new EventedSession(
                p -> {
                    if (p == 9) {
                        throw new IllegalStateException("no room");
                    }
                },
                new Full(2));

        assertThatExceptionOfType(MeasurementException.class)
                .isThrownBy(() -> new LoadDriver(session, scenario(2, 100), Progress.NONE).run())
                .withMessageContaining("a request with a prompt of 8 tokens could not be prepared")
                .withMessageContaining("no room");
        assertThat(session.inFlight).hasValue(0);
        assertThat(session.prepares.get()).isLessThanOrEqualTo(11);
    }

    @Test
    void anInterruptCallsOffWhatIsInFlightAndKeepsWhatWasMeasured() throws Exception {
        CountDownLatch hang = new CountDownLatch(2);
        EventedSession.Server server = (prompt, answer) -> {
            // six of the warm-up, then four that complete
            if (prompt < 10) {
                answer.run();
            } else {
                hang.countDown();
            }
        };
        EventedSession session = new EventedSession(p -> {}, server);
        FutureTask<Boolean> isStillInterrupted = new FutureTask<>(() -> {
            List<TokenTrace> traces = new LoadDriver(session, scenario(2, 100), Progress.NONE)
                    .run()
                    .traces();
            assertThat(traces)
                    .extracting(TokenTrace::outcome)
                    .containsExactlyInAnyOrder(
                            Outcome.COMPLETED,
                            Outcome.COMPLETED,
                            Outcome.COMPLETED,
                            Outcome.COMPLETED,
                            Outcome.FAILED,
                            Outcome.FAILED);
            return Thread.currentThread().isInterrupted();
        });
        Thread caller = new Thread(isStillInterrupted);
        caller.start();
        hang.await();
        caller.interrupt();

        assertThat(isStillInterrupted.get()).isTrue();
        assertThat(session.inFlight).hasValue(0);
    }

    @Test
    void whoIsInterruptedWhileRequestsWaitToBeReadyGivesThemBack() throws Exception {
        CountDownLatch waits = new CountDownLatch(2);
        EventedSession session = new EventedSession(p -> {}, (prompt, answer) -> answer.run());
        session.ready = number -> {
            if (number < 10) {
                return CompletableFuture.completedFuture(null);
            }
            waits.countDown();
            return new CompletableFuture<>();
        };
        FutureTask<Measurement> run =
                new FutureTask<>(() -> new LoadDriver(session, scenario(2, 100), Progress.NONE).run());
        Thread caller = new Thread(run);
        caller.start();
        waits.await();
        caller.interrupt();

        assertThat(run.get().traces())
                .hasSize(4)
                .allSatisfy(t -> assertThat(t.outcome()).isEqualTo(Outcome.COMPLETED));
        assertThat(session.discarded).hasValue(2);
    }

    @Test
    void whoIsInterruptedWhileARequestIsMadeKeepsWhatWasMeasuredToo() throws Exception {
        CountDownLatch hang = new CountDownLatch(2);
        TargetSession session = new EventedSession(
                p -> {
                    if (p >= 10) {
                        hang.countDown();
                        awaitForEver();
                    }
                },
                (prompt, answer) -> answer.run());
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

    /** A request that is still made when another's end breaks the run. */
    @Test
    void whatAnEndThrowsIsThrownOnceAllHaveComeBack() {
        Thread caller = Thread.currentThread();
        CountDownLatch isMade = new CountDownLatch(1);
        CountDownLatch isBroken = new CountDownLatch(1);
        AtomicReference<Thread.State> whoWaits = new AtomicReference<>();
        EventedSession session = new EventedSession(
                p -> {
                    if (p == 1) {
                        isMade.countDown();
                        awaitUninterruptibly(isBroken);
                        whoWaits.set(stateOnceIdle(caller));
                    } else {
                        awaitUninterruptibly(isMade);
                    }
                },
                (prompt, answer) -> answer.run());
        AtomicInteger next = new AtomicInteger();

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> new EventedLoop(new Sending(session.clock()), 2)
                        .run(() -> Optional.of(next.getAndIncrement())
                                .filter(number -> number < 2)
                                .map(number -> new Request(
                                        number,
                                        8,
                                        2,
                                        0,
                                        () -> session.prepare(
                                                new GenerationRequest(8, 2, true, Sampling.GREEDY, number)),
                                        () -> {},
                                        trace -> {
                                            isBroken.countDown();
                                            throw new IllegalStateException("no gauge");
                                        }))))
                .withMessage("no gauge");
        assertThat(whoWaits).as("without a deadline").hasValue(Thread.State.WAITING);
    }

    private static Thread.State stateOnceIdle(Thread thread) {
        Thread.State state = thread.getState();
        while (state != Thread.State.WAITING && state != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
            state = thread.getState();
        }
        return state;
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean isAwaited = false;
        while (!isAwaited) {
            try {
                latch.await();
                isAwaited = true;
            } catch (InterruptedException e) {
                // It is called off later.
            }
        }
    }

    private static void awaitForEver() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("called off", e);
        }
    }

    private static Scenario scenario(int concurrency, int requests) {
        return new Scenario(
                new TreeSet<>(List.of(8)),
                requests,
                2,
                Sampling.GREEDY,
                concurrency,
                new WarmUpPlan(1_000_000, Long.MAX_VALUE, 3));
    }
}
