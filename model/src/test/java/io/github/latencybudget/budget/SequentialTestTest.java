package io.github.latencybudget.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SequentialTestTest {

    private static final double ALPHA = Confidence.DEFAULT.alpha();

    /** The fixed-sample counts are the fewest that any valid test can take: 59, 299, 5 and 2995. */
    @ParameterizedTest
    @CsvSource({"0.05, 59, 64", "0.01, 299, 325", "0.5, 5, 5", "0.1, 29, 32", "0.001, 2995, 3261"})
    void withoutAnExceedanceItTakesFewMoreThanAFixedSample(double allowedShare, int fixed, int sequential) {
        assertThat((int) Math.ceil(Math.log(ALPHA) / Math.log1p(-allowedShare))).isEqualTo(fixed);

        assertThat(holdsAfter(allowedShare, 0)).isEqualTo(sequential);
    }

    @ParameterizedTest
    @CsvSource({"1, 135", "2, 179", "3, 220", "5, 297"})
    void withExceedancesItTakesMore(int exceedances, int samples) {
        assertThat(holdsAfter(0.05, exceedances)).isEqualTo(samples);
    }

    @ParameterizedTest
    @CsvSource({"0.01, 2", "0.05, 2", "0.1, 3", "0.5, 7"})
    void aGrossBreachTakesAHandful(double allowedShare, int samples) {
        SequentialTest test = new SequentialTest(Bet.onShare(allowedShare), ALPHA, 1);
        while (test.brokenAfter() == 0) {
            test.add(1);
        }

        assertThat(test.brokenAfter()).isEqualTo(samples);
        assertThat(test.holdsAfter()).isZero();
    }

    /** Each capital, by another formula: a mixture of likelihood ratios of samples that are 0 or 1. */
    @Test
    void itStopsWhereTheLikelihoodRatiosDo() {
        Random random = new Random(1);
        for (int round = 0; round < 300; round++) {
            double allowed = random.nextInt(1, 60) / 100.0;
            double share = random.nextDouble() < 0.5 ? allowed * random.nextDouble() : random.nextDouble();
            SequentialTest test = new SequentialTest(Bet.onShare(allowed), ALPHA, 1);
            int holdsAfter = 0;
            int brokenAfter = 0;
            int beyond = 0;
            for (int n = 1; n <= 300; n++) {
                int y = random.nextDouble() < share ? 1 : 0;
                beyond += y;
                test.add(y);
                holdsAfter = holdsAfter == 0 && toHold(allowed, n, beyond) >= 1 / ALPHA ? n : holdsAfter;
                brokenAfter = brokenAfter == 0 && toBeBroken(allowed, n, beyond) >= 1 / ALPHA ? n : brokenAfter;
            }

            assertThat(test.holdsAfter()).isEqualTo(holdsAfter);
            assertThat(test.brokenAfter()).isEqualTo(brokenAfter);
        }
    }

    /** Not simulated but counted: over all series of 0 and 1 at the allowed share, the worst case for both. */
    @ParameterizedTest
    @ValueSource(doubles = {0.5, 0.1, 0.05, 0.01})
    void theExactProbabilityOfAWrongVerdictIsAtMostAlpha(double allowed) {
        for (double alpha : new double[] {0.01, 0.05, 0.2}) {
            assertThat(probability(2000, allowed, (n, k) -> toHold(allowed, n, k) >= 1 / alpha))
                    .isBetween(0.6 * alpha, alpha);
            assertThat(probability(2000, allowed, (n, k) -> toBeBroken(allowed, n, k) >= 1 / alpha))
                    .isBetween(0.1 * alpha, alpha);
        }
    }

    /** Whatever the shares are spread like: on average nothing is won where the mean is the allowed one. */
    @Test
    void onAverageNothingIsWon() {
        Random random = new Random(2);
        for (int round = 0; round < 200; round++) {
            double allowed = random.nextDouble(0.001, 0.999);
            double below = random.nextDouble(0, allowed);
            double above = random.nextDouble(allowed, 1);
            double weight = (above - allowed) / (above - below);
            DoubleUnaryOperator toHold = y -> ShareCapital.onLessThan(allowed).bet(y);
            DoubleUnaryOperator toBeBroken =
                    y -> ShareCapital.onMoreThan(allowed).bet(y);

            for (DoubleUnaryOperator capital : new DoubleUnaryOperator[] {toHold, toBeBroken}) {
                double expected = weight * capital.applyAsDouble(below) + (1 - weight) * capital.applyAsDouble(above);
                assertThat(expected).isCloseTo(1, within(1e-9));
                assertThat(Math.min(capital.applyAsDouble(0), capital.applyAsDouble(1)))
                        .isNotNegative();
            }
        }
    }

    @Test
    void theSamplesNeededAreTheFewestThatHold() {
        Random random = new Random(3);
        for (int round = 0; round < 300; round++) {
            double allowed = random.nextInt(1, 60) / 100.0;
            int before = random.nextInt(0, 100);
            long seed = random.nextLong();
            double next = random.nextInt(4) / 4.0;
            int needed = after(allowed, before, seed).samplesToHold(0, next);

            SequentialTest brute = after(allowed, before, seed);
            brute.add(next);
            while (brute.holdsAfter() == 0) {
                brute.add(0);
            }
            assertThat(needed).isEqualTo(brute.holdsAfter());
        }
    }

    @Test
    void moreSamplesThanAnIntHoldsAreTheLargestInt() {
        SequentialTest test = new SequentialTest(Bet.onShare(1e-5), ALPHA, 1);
        for (int i = 0; i < 100_000; i++) {
            test.add(1);
        }

        assertThat(test.samplesToHold(0)).isEqualTo(Integer.MAX_VALUE);
    }

    private static SequentialTest after(double allowed, int samples, long seed) {
        Random random = new Random(seed);
        SequentialTest test = new SequentialTest(Bet.onShare(allowed), ALPHA, 1);
        for (int i = 0; i < samples; i++) {
            test.add(random.nextDouble() < 0.1 ? random.nextDouble() : 0);
        }
        return test;
    }

    private static int holdsAfter(double allowedShare, int exceedances) {
        SequentialTest test = new SequentialTest(Bet.onShare(allowedShare), ALPHA, 1);
        while (test.holdsAfter() == 0) {
            test.add(test.samples() < exceedances ? 1 : 0);
        }
        return test.holdsAfter();
    }

    private static double toHold(double allowed, int n, int beyond) {
        return mixture(allowed, n, beyond, new double[] {0, 0.1, 0.25, 0.5}, new double[] {0.5, 0.25, 0.15, 0.1});
    }

    private static double toBeBroken(double allowed, int n, int beyond) {
        return mixture(allowed, n, beyond, new double[] {1, 2, 4, 10, 30}, new double[] {0.2, 0.25, 0.25, 0.2, 0.1});
    }

    private static double mixture(double allowed, int n, int beyond, double[] odds, double[] parts) {
        double sum = 0;
        for (int i = 0; i < odds.length; i++) {
            double q = odds[i] * allowed / (1 - allowed + odds[i] * allowed);
            sum += parts[i] * Math.pow(q / allowed, beyond) * Math.pow((1 - q) / (1 - allowed), n - beyond);
        }
        return sum;
    }

    private interface Boundary {
        boolean isReached(int n, int beyond);
    }

    /** By the distribution of the number beyond, step by step, less those series that were stopped. */
    private static double probability(int samples, double share, Boundary boundary) {
        double[] going = {1};
        double stopped = 0;
        for (int n = 1; n <= samples; n++) {
            double[] next = new double[n + 1];
            for (int k = 0; k < n; k++) {
                next[k] += going[k] * (1 - share);
                next[k + 1] += going[k] * share;
            }
            for (int k = 0; k <= n; k++) {
                if (next[k] > 1e-18 && boundary.isReached(n, k)) {
                    stopped += next[k];
                    next[k] = 0;
                }
            }
            going = next;
        }
        return stopped;
    }
}
