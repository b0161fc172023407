package io.github.latencybudget.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PreparersTest {

    /** A user can have thought to the end at the moment at which a run is called off, and its loop waits for all. */
    @Test
    void whatComesAfterAllWasCalledOffIsDoneByWhoeverAsks() {
        List<Thread> by = new ArrayList<>();
        try (Preparers preparers = new Preparers(2)) {
            preparers.callOff();

            preparers.execute(() -> by.add(Thread.currentThread()));
        }

        assertThat(by).containsExactly(Thread.currentThread());
    }
}
