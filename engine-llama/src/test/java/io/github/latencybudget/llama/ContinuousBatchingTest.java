package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.Sampling;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sequences of one model join and leave between steps, and none changes what another gives. */
class ContinuousBatchingTest {

    private static final Sampling DRAWN = new Sampling(0.9, 40, 0.95, 1.1, 7);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private LlamaSession session;

    @BeforeEach
    void open() {
        session = Models.open("synthetic:tiny");
    }

    @AfterEach
    void close() {
        session.close();
        threads.shutdownNow();
    }

    private record Case(long[] prompt, int output, Sampling sampling) {

        /** Prompts and outputs of all lengths; every third is drawn. */
        static Case of(int number) {
            long[] prompt = new Prompts(1, 2048, Set.of(2), 42).prompt(1 + 37 * number % 150, number);
            return new Case(prompt, 1 + 13 * number % 40, number % 3 == 2 ? DRAWN : Sampling.GREEDY);
        }

        long[] ids(LlamaSession session) {
            LongStream.Builder ids = LongStream.builder();
            session.generate(
                    prompt, new StopCondition(output, true, Set.of()), Draws.of(sampling, output, prompt.length), ids);
            return ids.build().toArray();
        }
    }

    private <T> List<T> together(List<Callable<T>> work) throws Exception {
        CountDownLatch ready = new CountDownLatch(work.size());
        List<Future<T>> results = new ArrayList<>();
        for (Callable<T> one : work) {
            results.add(threads.submit(() -> {
                ready.countDown();
                ready.await();
                return one.call();
            }));
        }
        List<T> values = new ArrayList<>();
        for (Future<T> result : results) {
            values.add(result.get(60, TimeUnit.SECONDS));
        }
        return values;
    }

    private void checkTogether(LlamaSession together, LlamaSession alone, int sequences) throws Exception {
        List<Case> cases = IntStream.range(0, sequences).mapToObj(Case::of).toList();
        List<long[]> expected = cases.stream().map(c -> c.ids(alone)).toList();
        List<long[]> actual = together(
                cases.stream().<Callable<long[]>>map(c -> () -> c.ids(together)).toList());
        for (int i = 0; i < sequences; i++) {
            assertThat(actual.get(i)).as("sequence %s", i).containsExactly(expected.get(i));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 7, 64})
    void eachGivesWhatItGivesAlone(int sequences) throws Exception {
        checkTogether(session, session, sequences);
    }

    @Tag("gpu")
    @ParameterizedTest
    @CsvSource({"2, plain", "64, plain", "5, kernels"})
    void eachGivesWhatItGivesAloneOnTheGpu(int sequences, String decode) throws Exception {
        Models.assumeCuda();
        try (LlamaSession gpu = Models.open("synthetic:tiny", "cuda:0", "fp32", "decode=" + decode)) {
            checkTogether(gpu, gpu, sequences);
        }
    }

    private static GenerationRequest request(int prompt, int output, int number) {
        return new GenerationRequest(prompt, output, true, Sampling.GREEDY, number);
    }

    @Test
    void theStepsSayWhoSharedTheEngineWithWhom() throws Exception {
        List<Generation> generations = IntStream.range(0, 5)
                .mapToObj(i -> session.prepare(request(10 + 100 * i, 5 + 10 * i, i)))
                .toList();
        long before = System.nanoTime();
        together(generations.stream()
                .<Callable<Boolean>>map(g -> () -> {
                    g.run(() -> {});
                    return true;
                })
                .toList());
        long after = System.nanoTime();

        List<EngineStep> steps = session.takeSteps();

        for (int i = 0; i < 5; i++) {
            int request = i;
            List<EngineStep.Kind> kinds = steps.stream()
                    .filter(s -> s.requests().contains(request))
                    .map(EngineStep::kind)
                    .toList();
            assertThat(kinds).hasSize(5 + 10 * i).first().isEqualTo(EngineStep.Kind.PREFILL);
            assertThat(kinds.subList(1, kinds.size())).containsOnly(EngineStep.Kind.DECODE);
        }
        long end = before;
        for (EngineStep step : steps) {
            assertThat(step.startNanos()).isGreaterThanOrEqualTo(end);
            end = step.endNanos();
            assertThat(step.deviceNanos()).as("there is no CUDA device").isEmpty();
        }
        assertThat(end).isLessThanOrEqualTo(after);
        assertThat(steps.stream().anyMatch(s -> s.requests().size() > 1)).isTrue();
        assertThat(session.takeSteps()).as("taken").isEmpty();
    }

    @Test
    void aSinkThatFailsEndsItsOwnRequestOnly() throws Exception {
        Generation failing = session.prepare(request(20, 200, 0));
        Generation other = session.prepare(request(20, 200, 1));
        AtomicInteger tokens = new AtomicInteger();
        List<Throwable> failures = together(List.of(
                () -> {
                    try {
                        failing.run(() -> {
                            if (tokens.incrementAndGet() == 5) {
                                throw new IllegalStateException("full");
                            }
                        });
                        return new AssertionError("it did not fail");
                    } catch (IllegalStateException e) {
                        return e;
                    }
                },
                () -> {
                    AtomicInteger all = new AtomicInteger();
                    other.run(all::incrementAndGet);
                    return new Throwable("all " + all);
                }));
        assertThat(failures.get(0)).hasMessage("full");
        assertThat(tokens).hasValue(5);
        assertThat(failures.get(1)).hasMessage("all 200");
    }

    /** As a sink in Kotlin can. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void throwUndeclared(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @Test
    void aSinkThatThrowsWhatIsCheckedEndsItsOwnRequestOnly() throws Exception {
        Generation failing = session.prepare(request(20, 5, 0));
        Future<?> failed = threads.submit(() -> {
            failing.run(() -> ContinuousBatchingTest.<RuntimeException>throwUndeclared(new IOException("full")));
            return true;
        });

        assertThatThrownBy(() -> failed.get(20, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("java.io.IOException: full");
        AtomicInteger all = new AtomicInteger();
        session.prepare(request(20, 5, 1)).run(all::incrementAndGet);
        assertThat(all).hasValue(5);
    }

    /** Of as many as there may be at a time, and one more. */
    @Test
    void requestsThatWillNotRunLeaveTheirPlacesToOthers() throws Exception {
        for (int i = 0; i <= session.maxConcurrency(); i++) {
            session.prepare(request(20, 5, i)).discard();
        }

        AtomicInteger all = new AtomicInteger();
        session.prepare(request(20, 5, 1)).run(all::incrementAndGet);
        assertThat(all).hasValue(5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"run", "close"})
    void aSinkThatWouldWaitForItsOwnModelIsRefused(String what) throws Exception {
        Generation other = session.prepare(request(20, 5, 1));
        Generation failing = session.prepare(request(20, 5, 0));
        Future<?> failed = threads.submit(() -> {
            failing.run(() -> {
                try {
                    if (what.equals("run")) {
                        other.run(() -> {});
                    } else {
                        session.close();
                    }
                } catch (RuntimeException e) {
                    throw e;
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            return true;
        });

        assertThatThrownBy(() -> failed.get(20, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(MeasurementException.class)
                .hasMessage("tiny was used from within a sink: a sink takes a token and returns");
        AtomicInteger all = new AtomicInteger();
        session.prepare(request(20, 5, 2)).run(all::incrementAndGet);
        assertThat(all).hasValue(5);
    }

    @Test
    void anInterruptedRequestLeavesTheBatchAndTellsNothingMore() throws Exception {
        Generation endless = session.prepare(request(20, 2000, 0));
        AtomicInteger tokens = new AtomicInteger();
        CountDownLatch begun = new CountDownLatch(3);
        Future<Integer> interrupted = threads.submit(() -> {
            try {
                endless.run(() -> {
                    tokens.incrementAndGet();
                    begun.countDown();
                });
                return -1;
            } catch (InterruptedException e) {
                return tokens.get();
            }
        });
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
        Generation other = session.prepare(request(20, 50, 1));
        threads.shutdownNow();
        int known = interrupted.get(60, TimeUnit.SECONDS);
        assertThat(known).isBetween(3, 1999);

        AtomicInteger all = new AtomicInteger();
        other.run(all::incrementAndGet);
        assertThat(all).hasValue(50);
        assertThat(tokens).as("after the interrupt").hasValue(known);
    }

    @Test
    void closingEndsWhatIsInFlightWithItsReason() throws Exception {
        Generation endless = session.prepare(request(20, 2000, 0));
        CountDownLatch begun = new CountDownLatch(3);
        Future<?> running = threads.submit(() -> {
            endless.run(begun::countDown);
            return true;
        });
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
        session.close();
        assertThatThrownBy(() -> running.get(60, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(MeasurementException.class)
                .hasMessage("the session of tiny was closed while it generated");
    }

    @Test
    void moreThanThereIsRoomForAreRefusedAndRoomComesBack() throws Exception {
        List<Generation> all = IntStream.range(0, session.maxConcurrency())
                .mapToObj(i -> session.prepare(request(4, 2, i)))
                .toList();
        assertThatThrownBy(() -> session.prepare(request(4, 2, 64)))
                .isInstanceOf(MeasurementException.class)
                .hasMessage("64 requests are prepared and have not ended: run them first, there are no more at a time");
        all.get(7).run(() -> {});
        session.prepare(request(4, 2, 64)).run(() -> {});
        assertThat(session.description().details().get("kv cache so far"))
                .isEqualTo("for 64 sequences at a time, 384 tokens together, 1572864 bytes");
    }

    @ParameterizedTest
    @CsvSource({"useCache=off, 'for 1 sequence at a time, 0 tokens together, 0 bytes'", "useCache=adaptive, "})
    void withoutACacheEveryTokenIsTheSame(String option, String details) throws Exception {
        try (LlamaSession other = Models.open("synthetic:tiny", "cpu", "", option)) {
            for (int number : new int[] {0, 1, 2, 5, 31, 32, 33}) {
                long[] prompt = new Prompts(1, 2048, Set.of(2), 42).prompt(number + 1, number);
                Case one = new Case(prompt, 20, number % 2 == 0 ? Sampling.GREEDY : DRAWN);
                assertThat(one.ids(other)).containsExactly(one.ids(session));
            }
            if (details != null) {
                assertThat(other.description().details()).containsEntry("kv cache so far", details);
            }
            checkTogether(other, session, 9);
        }
    }

    @Test
    void thePromptDecidesWhetherThereIsACache() {
        assertThat(Arrays.asList(31, 32, 33)).map(KvMode.from(32)::isCached).containsExactly(false, true, true);
        assertThat(KvMode.from(32)).hasToString("from prompts of 32 tokens on");
    }
}
