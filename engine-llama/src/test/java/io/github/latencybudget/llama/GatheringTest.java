package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who waits for whom before a prefill. */
@Timeout(60)
class GatheringTest {

    private static final Duration LONGER_THAN_THE_TEST = Duration.ofMinutes(10);

    private final NotedDecoding decoding = new NotedDecoding();

    @Test
    void whatIsPreparedTogetherIsPrefilledTogether() throws InterruptedException {
        Scheduler scheduler = new Scheduler("a model", decoding, () -> 2, LONGER_THAN_THE_TEST);
        Thread other = new Thread(() -> run(scheduler, 1));
        other.start();
        run(scheduler, 0);
        other.join();
        scheduler.end();

        assertThat(decoding.asked()).containsExactly("prefill 2", "decode 2");
    }

    @Test
    void whatIsPreparedAloneWaitsForNobody() {
        Scheduler scheduler = new Scheduler("a model", decoding, () -> 1, LONGER_THAN_THE_TEST);
        run(scheduler, 0);
        scheduler.end();

        assertThat(decoding.asked()).containsExactly("prefill 1", "decode 1");
    }

    @Test
    void whatIsPreparedAndNotRunIsWaitedForNoLongerThanAMoment() {
        Scheduler scheduler = new Scheduler("a model", decoding, () -> 2, Duration.ofMillis(1));
        run(scheduler, 0);
        scheduler.end();

        assertThat(decoding.asked()).containsExactly("prefill 1", "decode 1");
    }

    private static void run(Scheduler scheduler, int number) {
        try {
            scheduler.run(NotedDecoding.sequence(2, true), number, token -> {});
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
