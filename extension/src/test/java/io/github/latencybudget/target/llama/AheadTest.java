package io.github.latencybudget.target.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.Sampling;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a step is begun before the one before it has ended, and what then must not happen. */
@Timeout(60)
class AheadTest {

    private static final Set<Integer> EOS = Set.of(2);

    private final Ahead decoding = new Ahead();
    private final Scheduler scheduler = new Scheduler("a model", decoding);

    /** Begins a step ahead whenever it may, and notes what it is asked for. */
    private static final class Ahead implements Decoding {

        private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
        private List<Sequence> ahead = List.of();
        private boolean fails;

        @Override
        public String description() {
            return "ahead";
        }

        @Override
        public void prepare(int sequences) {
            // nothing is needed
        }

        @Override
        public long[] prefill(List<Sequence> sequences) {
            requireNotAhead();
            asked.add("prefill " + sequences.size());
            return new long[sequences.size()];
        }

        @Override
        public long[] decode(List<Sequence> sequences, boolean again) {
            if (isAhead() && !ahead.equals(sequences)) {
                throw new IllegalStateException("ahead for others");
            }
            asked.add((isAhead() ? "ahead " : "decode ") + sequences.size());
            ahead = again ? List.copyOf(sequences) : List.of();
            if (fails) {
                fails = false;
                throw new EngineFailure("broken", null);
            }
            return new long[sequences.size()];
        }

        private void requireNotAhead() {
            if (isAhead()) {
                throw new IllegalStateException("a step was begun ahead");
            }
        }

        @Override
        public boolean isAhead() {
            return !ahead.isEmpty();
        }

        @Override
        public void dropAhead() {
            if (isAhead()) {
                asked.add("drop");
                ahead = List.of();
            }
        }

        @Override
        public float[] logits(int slot, long id, int place) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long[] takeDeviceNanos() {
            requireNotAhead();
            return new long[0];
        }

        @Override
        public void close() {
            requireNotAhead();
        }
    }

    private static Sequence sequence(int outputTokens, boolean ignoreEos) {
        return new Sequence(
                0,
                true,
                new long[] {1},
                new StopCondition(outputTokens, ignoreEos, EOS),
                Draws.of(Sampling.GREEDY, outputTokens, 0));
    }

    @AfterEach
    void end() {
        scheduler.end();
    }

    @Test
    void whatHasItsLengthIsAheadButForItsLastStep() throws InterruptedException {
        scheduler.run(sequence(4, true), 0, token -> {});

        assertThat(decoding.asked).containsExactly("prefill 1", "decode 1", "ahead 1", "ahead 1");
    }

    @Test
    void whatATokenCanEndIsNeverAhead() throws InterruptedException {
        scheduler.run(sequence(4, false), 0, token -> {});

        assertThat(decoding.asked).containsExactly("prefill 1", "decode 1", "decode 1", "decode 1");
    }

    @Test
    void aStepThatWasBegunAheadStartsWhereTheOneBeforeEnded() throws InterruptedException {
        scheduler.run(sequence(5, true), 0, token -> {});

        List<EngineStep> steps = scheduler.takeSteps();
        assertThat(steps).hasSize(5);
        assertThat(steps.get(3).startNanos()).isEqualTo(steps.get(2).endNanos());
        assertThat(steps.get(4).startNanos()).isEqualTo(steps.get(3).endNanos());
    }

    @Test
    void whoJoinsWaitsForTheStepThatWasBegun() throws InterruptedException {
        AtomicReference<Thread> other = new AtomicReference<>();

        scheduler.run(sequence(6, true), 0, token -> {
            if (decoding.isAhead() && other.get() == null) {
                other.set(new Thread(() -> join(sequence(3, true))));
                other.get().start();
                awaitWaiting(other.get());
            }
        });

        other.get().join();
        assertThat(decoding.asked)
                .containsExactly("prefill 1", "decode 1", "ahead 1", "prefill 1", "decode 2", "ahead 2", "decode 1");
    }

    private void join(Sequence sequence) {
        try {
            scheduler.run(sequence, 1, token -> {});
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Who waits has asked before. */
    private static void awaitWaiting(Thread thread) {
        while (thread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aSinkThatThrowsDropsWhatWasBegunForItsRequest() throws InterruptedException {
        assertThatThrownBy(() -> scheduler.run(sequence(6, true), 0, token -> {
                    if (decoding.isAhead()) {
                        throw new IllegalArgumentException("no more");
                    }
                }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no more");

        scheduler.run(sequence(2, true), 1, token -> {});
        assertThat(decoding.asked).containsExactly("prefill 1", "decode 1", "drop", "prefill 1", "decode 1");
    }

    @Test
    void aStepThatFailsDropsWhatWasBegunBehindIt() throws InterruptedException {
        decoding.fails = true;

        assertThatThrownBy(() -> scheduler.run(sequence(6, true), 0, token -> {}))
                .isInstanceOf(EngineFailure.class)
                .hasMessage("broken");

        scheduler.run(sequence(2, true), 1, token -> {});
        assertThat(decoding.asked).containsExactly("prefill 1", "decode 1", "drop", "prefill 1", "decode 1");
    }
}
