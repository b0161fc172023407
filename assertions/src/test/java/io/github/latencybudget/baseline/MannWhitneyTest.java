package io.github.latencybudget.baseline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MannWhitneyTest {

    /** Published critical values of U, one-sided: the largest that is significant, so the rank is one more. */
    @ParameterizedTest
    @CsvSource({
        "3, 3, 0.05, 0",
        "5, 5, 0.05, 4",
        "5, 5, 0.025, 2",
        "10, 10, 0.05, 27",
        "10, 10, 0.025, 23",
        "8, 12, 0.05, 26"
    })
    void ranksAreThePublishedCriticalValues(int first, int second, double alpha, int critical) {
        assertThat(new MannWhitney(first, second).rank(alpha)).isEqualTo(critical + 1);
    }

    /** The oracle goes through every order of the values. */
    @Test
    void ranksAreThoseOfAllOrders() {
        for (int first = 1; first <= 6; first++) {
            for (int second = 1; second <= 6; second++) {
                for (double alpha : new double[] {0.01, 0.05, 0.1, 0.3}) {
                    assertThat(new MannWhitney(first, second).rank(alpha))
                            .as("%s and %s at %s", first, second, alpha)
                            .isEqualTo(byEveryOrder(first, second, alpha));
                }
            }
        }
    }

    private static int byEveryOrder(int first, int second, double alpha) {
        int[] counts = new int[first * second + 1];
        int all = first + second;
        int orders = 0;
        for (int ofFirst = 0; ofFirst < 1 << all; ofFirst++) {
            if (Integer.bitCount(ofFirst) == first) {
                counts[pairsAbove(ofFirst, all)]++;
                orders++;
            }
        }
        int rank = 0;
        int sum = counts[0];
        while (sum <= alpha * orders) {
            rank++;
            sum += counts[rank];
        }
        return rank;
    }

    private static int pairsAbove(int ofFirst, int all) {
        int pairs = 0;
        int below = 0;
        for (int place = 0; place < all; place++) {
            if ((ofFirst >> place & 1) == 1) {
                pairs += below;
            } else {
                below++;
            }
        }
        return pairs;
    }

    /** Where the exact distribution ends and the approximation begins, neither may jump, nor be less careful. */
    @Test
    void theApproximationGoesOnWhereTheExactDistributionEnds() {
        for (double alpha : new double[] {0.005, 0.025, 0.05}) {
            long[] shares = IntStream.of(50, 51)
                    .mapToLong(n -> Math.round(1e4 * new MannWhitney(n, 50).rank(alpha) / (n * 50)))
                    .toArray();

            assertThat(shares[1]).isBetween(shares[0] - 5, shares[0] + 30);
        }
    }

    @Test
    void tooFewHaveNoBound() {
        assertThat(new MannWhitney(0, 50).rank(0.05)).isZero();
        assertThat(new MannWhitney(0, 5000).rank(0.05)).isZero();
        assertThat(new MannWhitney(1, 18).rank(0.05)).isZero();
        assertThat(new MannWhitney(1, 19).rank(0.05)).isEqualTo(1);
    }
}
