package io.github.latencybudget.target.llama;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DecodeLoopTest {

    /** Gives these ids one after the other. */
    private static final class Script implements DecodeLoop.Decoder {

        private final long[] ids;
        private int next;

        Script(long... ids) {
            this.ids = ids;
        }

        @Override
        public long prefill() {
            return ids[next++];
        }

        @Override
        public long decode() {
            assertThat(next).as("prefill comes first").isPositive();
            return ids[next++];
        }
    }

    private static List<Long> run(DecodeLoop loop, Script script) {
        List<Long> ids = new ArrayList<>();
        loop.run(script, ids::add);
        return ids;
    }

    @Test
    void endsWithTheFirstEndOfSequence() {
        Script script = new Script(10, 1, 5, 3, 2, 2);
        assertThat(run(new DecodeLoop(6, false, Set.of(2)), script)).containsExactly(10L, 1L, 5L, 3L, 2L);
    }

    @Test
    void goesOnToTheDeclaredLengthWhereEosIsIgnored() {
        Script script = new Script(10, 1, 5, 3, 2, 2);
        assertThat(run(new DecodeLoop(6, true, Set.of(2)), script)).containsExactly(10L, 1L, 5L, 3L, 2L, 2L);
    }

    @Test
    void decodesNothingThatNobodyAskedFor() {
        Script script = new Script(10, 1, 5);
        assertThat(run(new DecodeLoop(2, false, Set.of(2)), script)).containsExactly(10L, 1L);
        assertThat(script.next).isEqualTo(2);
    }

    @Test
    void theFirstTokenMayBeTheLast() {
        assertThat(run(new DecodeLoop(4, false, Set.of(2, 7)), new Script(7, 1)))
                .containsExactly(7L);
        assertThat(run(new DecodeLoop(1, true, Set.of()), new Script(7, 1))).containsExactly(7L);
    }
}
