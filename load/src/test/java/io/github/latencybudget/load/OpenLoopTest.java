package io.github.latencybudget.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.metric.InFlight;
import io.github.latencybudget.metric.StreamMetrics;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenSink;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that are due by a schedule, on a time that the tests make. One thread does everything, so every number is known. */
@Timeout(60)
class OpenLoopTest {

    private static final long MS = 1_000_000;
    private static final int PLENTY = 10_000;

    private final VirtualTime time = new VirtualTime();
    private final List<Integer> prepared = new ArrayList<>();
    private final List<Integer> discarded = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private Consumer<TokenTrace> learnt = trace -> told.add(trace.request() + " " + trace.outcome());
    private int next;
    private int requests = Integer.MAX_VALUE;
    private Executor preparing = Runnable::run;
    private Executor learning = Runnable::run;

    @AfterEach
    void nobodyIsLeftInterrupted() {
        Thread.interrupted();
    }

    /** Case 21: the client is busy with each, and so comes to the second at 200 only, to the third at 400. */
    @Test
    void whatAClientSendsLateIsLateForTheUser() {
        List<TokenTrace> traces = run(
                limits(PLENTY, 10),
                number -> sink -> {
                    time.pass(190 * MS);
                    sink.token();
                    time.pass(10 * MS);
                    return CompletableFuture.completedFuture(null);
                },
                0,
                10,
                20);

        assertThat(traces)
                .extracting(
                        t -> StreamMetrics.ttftNanos(t).getAsLong() / MS,
                        t -> t.scheduleDelayNanos().getAsLong() / MS,
                        t -> (t.arrivalNanos(1) - t.sentNanos().getAsLong()) / MS)
                .containsExactly(tuple(190L, 0L, 190L), tuple(380L, 190L, 190L), tuple(570L, 380L, 190L));
    }

    /** Case 22. */
    @Test
    void whatWaitsForRoomInFlightHasWaitedSinceItWasDue() {
        List<TokenTrace> traces = run(limits(1, 2), served(500), 0, 0, 0);

        assertThat(traces)
                .extracting(
                        t -> t.scheduleDelayNanos().getAsLong() / MS,
                        t -> StreamMetrics.ttftNanos(t).getAsLong() / MS)
                .containsExactly(tuple(0L, 500L), tuple(500L, 1000L), tuple(1000L, 1500L));
        assertThat(InFlight.sent(traces).peak()).isEqualTo(1);
        assertThat(InFlight.due(traces).peak()).isEqualTo(3);
    }

    @Test
    void aSlowTargetIsAskedNoLessOften() {
        List<TokenTrace> traces = run(limits(PLENTY, 0), served(500), 0, 10, 20, 30, 40);

        assertThat(traces)
                .extracting(t -> t.startNanos() / MS, t -> t.sentNanos().getAsLong() / MS)
                .containsExactly(tuple(0L, 0L), tuple(10L, 10L), tuple(20L, 20L), tuple(30L, 30L), tuple(40L, 40L));
        assertThat(InFlight.sent(traces).peak()).isEqualTo(5);
    }

    @Test
    void whatFindsTheQueueFullIsDroppedAndSaysSo() {
        List<TokenTrace> traces = run(limits(1, 1), served(500), 0, 10, 20, 600, 610, 620);

        assertThat(traces)
                .extracting(
                        TokenTrace::request,
                        TokenTrace::outcome,
                        t -> t.reason().orElse("-"),
                        t -> t.startNanos() / MS)
                .containsExactly(
                        tuple(0, Outcome.COMPLETED, "-", 0L),
                        tuple(1, Outcome.COMPLETED, "-", 10L),
                        tuple(
                                2,
                                Outcome.DROPPED,
                                "it was due when 1 request was in flight and the queue of 1 was full",
                                20L),
                        tuple(3, Outcome.COMPLETED, "-", 600L),
                        tuple(
                                4,
                                Outcome.DROPPED,
                                "it was due when 1 request was in flight and the queue of 1 was full",
                                610L),
                        tuple(
                                5,
                                Outcome.DROPPED,
                                "it was due when 1 request was in flight and the queue of 1 was full",
                                620L));
        assertThat(told).hasSize(6).contains("2 DROPPED");
    }

    @Test
    void whatWasReadyAndIsDroppedIsGivenBack() {
        run(limits(1, 0), served(500), 0, 10, 20);

        assertThat(prepared).containsExactly(0, 1, 2);
        assertThat(discarded).containsExactly(1, 2);
    }

    @Test
    void noMoreAreHeldThanTheTargetCanHave() {
        List<Integer> held = new ArrayList<>();
        List<TokenTrace> traces = run(
                new OpenLoop.Limits(2, 10, 2, Long.MAX_VALUE),
                number -> sink -> {
                    held.add(prepared.size() - number);
                    return in(500, sink);
                },
                0,
                10,
                20,
                30);

        assertThat(held).containsExactly(2, 1, 1, 1);
        assertThat(traces).extracting(t -> t.sentNanos().getAsLong() / MS).containsExactly(0L, 10L, 500L, 510L);
    }

    @Test
    void requestsAreMadeReadyBeforeTheyAreDueAndNotLongBefore() {
        List<Long> at = new ArrayList<>();
        preparing = work -> {
            at.add(time.clock().nanos() / MS);
            time.in(300 * MS, work);
        };

        List<TokenTrace> traces = run(limits(PLENTY, 10), served(50), 0, 500, 5_000, 5_500);

        assertThat(at).containsExactly(0L, 0L, 4_300L, 4_800L);
        assertThat(traces)
                .extracting(TokenTrace::scheduleDelayNanos)
                .allSatisfy(delay -> assertThat(delay).hasValue(0));
    }

    @Test
    void whatIsDueAfterTheTimeIsNoPartOfTheRun() {
        List<TokenTrace> traces = run(new OpenLoop.Limits(PLENTY, 10, PLENTY, 30 * MS), served(500), 0, 10, 20, 30, 40);

        assertThat(traces).hasSize(3).allSatisfy(t -> assertThat(t.outcome()).isEqualTo(Outcome.COMPLETED));
    }

    @Test
    void noMoreAreDueThanThereAre() {
        requests = 2;

        assertThat(run(limits(PLENTY, 10), served(500), 0, 10, 20, 30)).hasSize(2);
    }

    @Test
    void tenThousandAreInFlightAtATime() {
        long[] due = new long[PLENTY];
        for (int i = 0; i < due.length; i++) {
            due[i] = i / 10;
        }

        List<TokenTrace> traces = run(limits(PLENTY, 0), served(100_000), due);

        assertThat(InFlight.sent(traces).peak()).isEqualTo(PLENTY);
        assertThat(traces)
                .extracting(TokenTrace::scheduleDelayNanos)
                .allSatisfy(delay -> assertThat(delay).hasValue(0));
    }

    @Test
    void whoIsInterruptedCallsOffWhatIsInFlightAndGivesBackWhatIsReady() {
        List<CompletableFuture<?>> sent = new ArrayList<>();

        List<TokenTrace> traces = run(
                limits(PLENTY, 10),
                number -> sink -> {
                    if (number == 2) {
                        time.in(5 * MS, Thread.currentThread()::interrupt);
                    }
                    CompletableFuture<@Nullable Void> done = in(500, sink);
                    sent.add(done);
                    return done;
                },
                0,
                10,
                20,
                30,
                40);

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        assertThat(traces)
                .extracting(
                        TokenTrace::request,
                        TokenTrace::outcome,
                        t -> t.reason().orElseThrow())
                .containsExactly(
                        tuple(0, Outcome.FAILED, "interrupted"),
                        tuple(1, Outcome.FAILED, "interrupted"),
                        tuple(2, Outcome.FAILED, "interrupted"));
        assertThat(sent).hasSize(3).allSatisfy(done -> assertThat(done).isCancelled());
        assertThat(discarded).containsExactly(3, 4);
    }

    @Test
    void aRequestThatCannotBeMadeEndsTheRun() {
        List<CompletableFuture<?>> sent = new ArrayList<>();

        assertThatExceptionOfType(MeasurementException.class)
                .isThrownBy(() -> run(
                        limits(PLENTY, 10),
                        number -> {
                            if (number == 2) {
                                throw new MeasurementException("no room");
                            }
                            return sink -> {
                                CompletableFuture<@Nullable Void> done = in(5_000, sink);
                                sent.add(done);
                                return done;
                            };
                        },
                        0,
                        10,
                        2_000))
                .withMessage("no room");
        assertThat(sent).hasSize(2).allSatisfy(done -> assertThat(done).isCancelled());
    }

    @Test
    void aRequestThatBreaksIsAFailedTraceAndTheOthersGoOn() {
        List<TokenTrace> traces = run(
                limits(PLENTY, 10),
                number -> sink -> {
                    if (number == 1) {
                        throw new OutOfMemoryError("no room for a buffer");
                    }
                    return in(5, sink);
                },
                0,
                10,
                20);

        assertThat(traces)
                .extracting(TokenTrace::outcome, t -> t.reason().orElse("-"))
                .containsExactly(
                        tuple(Outcome.COMPLETED, "-"),
                        tuple(Outcome.FAILED, "no room for a buffer"),
                        tuple(Outcome.COMPLETED, "-"));
    }

    @Test
    void whatIsLearntFromARequestMayEndTheRunToo() {
        learnt = trace -> {
            throw new IllegalStateException("no gauge");
        };

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> run(limits(PLENTY, 10), served(5), 0, 10))
                .withMessage("no gauge");
    }

    /** Who learns may be behind when the last request is over. */
    @Test
    void whatIsLearntFromTheLastRequestIsWaitedFor() {
        learning = work -> time.in(50 * MS, work);
        learnt = trace -> {
            if (trace.request() == 1) {
                throw new IllegalStateException("no gauge");
            }
        };

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> run(limits(PLENTY, 10), served(5), 0, 10))
                .withMessage("no gauge");
    }

    @Test
    void allIsLearntOnceARunIsOver() {
        learning = work -> time.in(50 * MS, work);

        run(limits(1, 0), served(5), 0, 1, 10);

        assertThat(told).containsExactly("1 DROPPED", "0 COMPLETED", "2 COMPLETED");
    }

    /** What a target makes of a request once it is sent. */
    private interface Answering {
        CompletableFuture<@Nullable Void> start(TokenSink sink);
    }

    /** Makes a request ready. */
    private interface Target {
        Answering prepare(int number);
    }

    private Target served(long afterMillis) {
        return number -> sink -> in(afterMillis, sink);
    }

    private CompletableFuture<@Nullable Void> in(long millis, TokenSink sink) {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        time.in(millis * MS, () -> {
            if (!done.isDone()) {
                sink.token();
                done.complete(null);
            }
        });
        return done;
    }

    private static OpenLoop.Limits limits(int inFlight, int queued) {
        return new OpenLoop.Limits(inFlight, queued, PLENTY, Long.MAX_VALUE);
    }

    private List<TokenTrace> run(OpenLoop.Limits limits, Target target, long... dueMillis) {
        Iterator<Long> due = LongStream.of(dueMillis).boxed().iterator();
        requests = Math.min(requests, dueMillis.length);
        EndedRequests ended = new EndedRequests();
        new OpenLoop(
                        limits,
                        time.clock(),
                        new OpenLoop.Threads(work -> preparing.execute(work), work -> learning.execute(work), time),
                        ended)
                .run(
                        () -> due.hasNext() ? due.next() * MS : Long.MAX_VALUE - 1,
                        () -> next < requests ? Optional.of(request(next++, target)) : Optional.empty());
        return ended.byStart();
    }

    private Request request(int number, Target target) {
        return new Request(number, 8, 1, 0, () -> generation(number, target), () -> {}, trace -> learnt.accept(trace));
    }

    private Generation generation(int number, Target target) {
        Answering answering = target.prepare(number);
        prepared.add(number);
        return new Generation() {
            @Override
            public int promptTokens() {
                return 8;
            }

            @Override
            public void run(TokenSink sink) {
                throw new UnsupportedOperationException("a thread of its own is not needed");
            }

            @Override
            public CompletableFuture<@Nullable Void> start(TokenSink sink) {
                return answering.start(sink);
            }

            @Override
            public void discard() {
                discarded.add(number);
            }
        };
    }
}
