package io.github.latencybudget.baseline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
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

    /** The oracle counts orders by another recursion: from the largest of the second sample on. */
    @Test
    void theApproximationIsAFewRanksTooCarefulAtMostAndOneTooBold() {
        for (int[] sizes : new int[][] {{51, 50}, {60, 60}, {20, 140}}) {
            double[] probabilities = byRecursion(sizes[0], sizes[1]);
            for (double alpha : new double[] {0.005, 0.025, 0.05, 0.25}) {
                int rank = 0;
                for (double sum = probabilities[0]; sum <= alpha; sum += probabilities[rank]) {
                    rank++;
                }

                assertThat(new MannWhitney(sizes[0], sizes[1]).rank(alpha))
                        .as("%s and %s at %s", sizes[0], sizes[1], alpha)
                        .isBetween(rank - 5L, rank + 1L);
            }
        }
    }

    /** U is a sum over the first sample of how many of the second lie below each, in ascending order. */
    private static double[] byRecursion(int first, int second) {
        double[][] ways = new double[first + 1][first * second + 1];
        ways[0][0] = 1;
        for (int below = 0; below <= second; below++) {
            for (int n = 1; n <= first; n++) {
                for (int u = below; u <= first * second; u++) {
                    ways[n][u] += ways[n - 1][u - below];
                }
            }
        }
        double all = Arrays.stream(ways[first]).sum();
        return Arrays.stream(ways[first]).map(w -> w / all).toArray();
    }

    @Test
    void tooFewHaveNoBound() {
        assertThat(new MannWhitney(0, 50).rank(0.05)).isZero();
        assertThat(new MannWhitney(0, 5000).rank(0.05)).isZero();
        assertThat(new MannWhitney(1, 18).rank(0.05)).isZero();
        assertThat(new MannWhitney(1, 19).rank(0.05)).isEqualTo(1);
    }
}
