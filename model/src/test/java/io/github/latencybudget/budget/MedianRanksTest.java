package io.github.latencybudget.budget;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MedianRanksTest {

    /** As in tables of the sign test: of 20 signs at most 5 of one kind are this improbable, of 66 at most 24. */
    @ParameterizedTest
    @CsvSource({"6, 0.025, 1", "8, 0.025, 1", "9, 0.025, 2", "20, 0.025, 6", "66, 0.025, 25", "66, 0.0125, 24"})
    void theLowerRankIsThatOfTheSignTest(int n, double alpha, int rank) {
        MedianRanks ranks = new MedianRanks(n, n, alpha);

        assertThat(ranks.lower()).isEqualTo(rank);
        assertThat(ranks.upper()).isEqualTo(n + 1 - rank);
    }

    @Test
    void fiveAreTooFew() {
        assertThat(new MedianRanks(5, 5, 0.025).exist()).isFalse();
        assertThat(new MedianRanks(6, 6, 0.025).exist()).isTrue();
        assertThat(new MedianRanks(6, 0, 0.025).exist()).isFalse();
    }

    @Test
    void valuesThatCountTogetherGiveTheShareOfFewer() {
        assertThat(new MedianRanks(80, 20, 0.025).lower()).isEqualTo(21);
    }

    /** Normal: half less 1.96 times half the root. */
    @Test
    void manyAreNoTrouble() {
        assertThat((double) new MedianRanks(1_000_000, 1_000_000, 0.025).lower())
                .isCloseTo(500_000 - 980, Offset.offset(2.0));
    }
}
