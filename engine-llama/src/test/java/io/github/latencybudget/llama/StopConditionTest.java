package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;

class StopConditionTest {

    /** {@return how many of these ids an output takes} */
    private static int length(StopCondition stop, long... ids) {
        LongPredicate isLast = stop.start();
        for (int i = 0; i < ids.length; i++) {
            if (isLast.test(ids[i])) {
                return i + 1;
            }
        }
        return -1;
    }

    /** Case 7. */
    @Test
    void endsWithTheFirstEndOfSequence() {
        assertThat(length(new StopCondition(6, false, Set.of(2)), 10, 1, 5, 3, 2, 2))
                .isEqualTo(5);
    }

    @Test
    void goesOnToTheDeclaredLengthWhereEosIsIgnored() {
        assertThat(length(new StopCondition(6, true, Set.of(2)), 10, 1, 5, 3, 2, 2))
                .isEqualTo(6);
    }

    @Test
    void endsAtTheDeclaredLength() {
        assertThat(length(new StopCondition(2, false, Set.of(2)), 10, 1, 5)).isEqualTo(2);
    }

    @Test
    void theFirstTokenMayBeTheLast() {
        assertThat(length(new StopCondition(4, false, Set.of(2, 7)), 7, 1)).isEqualTo(1);
        assertThat(length(new StopCondition(1, true, Set.of()), 7, 1)).isEqualTo(1);
    }

    @Test
    void everyOutputIsCountedByItself() {
        StopCondition stop = new StopCondition(2, true, Set.of());
        LongPredicate one = stop.start();
        LongPredicate other = stop.start();
        assertThat(one.test(1)).isFalse();
        assertThat(other.test(1)).isFalse();
        assertThat(one.test(1)).isTrue();
        assertThat(other.test(1)).isTrue();
    }
}
