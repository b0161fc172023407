package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.trace.EngineStep;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a step is begun before the one before it has ended, and what then must not happen. */
@Timeout(60)
class AheadTest {

    private final NotedDecoding decoding = new NotedDecoding();
    private final Scheduler scheduler = new Scheduler("a model", decoding, () -> 0);

    @AfterEach
    void end() {
        scheduler.end();
    }

    @Test
    void whatHasItsLengthIsAheadButForItsLastStep() throws InterruptedException {
        scheduler.run(NotedDecoding.sequence(4, true), 0, token -> {});

        assertThat(decoding.asked()).containsExactly("prefill 1", "decode 1", "ahead 1", "ahead 1");
    }

    @Test
    void whatATokenCanEndIsNeverAhead() throws InterruptedException {
        scheduler.run(NotedDecoding.sequence(4, false), 0, token -> {});

        assertThat(decoding.asked()).containsExactly("prefill 1", "decode 1", "decode 1", "decode 1");
    }

    @Test
    void aStepThatWasBegunAheadStartsWhereTheOneBeforeEnded() throws InterruptedException {
        scheduler.run(NotedDecoding.sequence(5, true), 0, token -> {});

        List<EngineStep> steps = scheduler.takeSteps();
        assertThat(steps).hasSize(5);
        assertThat(steps.get(3).startNanos()).isEqualTo(steps.get(2).endNanos());
        assertThat(steps.get(4).startNanos()).isEqualTo(steps.get(3).endNanos());
    }

    @Test
    void whoJoinsWaitsForTheStepThatWasBegun() throws InterruptedException {
        AtomicReference<Thread> other = new AtomicReference<>();

        scheduler.run(NotedDecoding.sequence(6, true), 0, token -> {
            if (decoding.isAhead() && other.get() == null) {
                other.set(new Thread(() -> join(NotedDecoding.sequence(3, true))));
                other.get().start();
                awaitWaiting(other.get());
            }
        });

        other.get().join();
        assertThat(decoding.asked())
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
        assertThatThrownBy(() -> scheduler.run(NotedDecoding.sequence(6, true), 0, token -> {
                    if (decoding.isAhead()) {
                        throw new IllegalArgumentException("no more");
                    }
                }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no more");

        scheduler.run(NotedDecoding.sequence(2, true), 1, token -> {});
        assertThat(decoding.asked()).containsExactly("prefill 1", "decode 1", "drop", "prefill 1", "decode 1");
    }

    @Test
    void aStepThatFailsDropsWhatWasBegunBehindIt() throws InterruptedException {
        decoding.failNext();

        assertThatThrownBy(() -> scheduler.run(NotedDecoding.sequence(6, true), 0, token -> {}))
                .isInstanceOf(EngineFailure.class)
                .hasMessage("broken");

        scheduler.run(NotedDecoding.sequence(2, true), 1, token -> {});
        assertThat(decoding.asked()).containsExactly("prefill 1", "decode 1", "drop", "prefill 1", "decode 1");
    }
}
