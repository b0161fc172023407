package io.github.latencybudget.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ExceedancesTest {

    private static final double ALPHA = Confidence.DEFAULT.alpha();

    // Evaluation case 2.
    @ParameterizedTest
    @CsvSource({"0.05, 59", "0.01, 299", "0.5, 5", "0.001, 2995"})
    void withoutAnExceedanceAPassTakesSoManyRequests(double allowedShare, int requests) {
        for (int gaps : new int[] {1, 127}) {
            assertThat(test(allowedShare, requests, gaps).mostForPass(ALPHA)).isNotNegative();
            assertThat(test(allowedShare, requests - 1, gaps).mostForPass(ALPHA))
                    .isEqualTo(-1);
            assertThat(test(allowedShare, 5, gaps).requestsForPass(0, ALPHA)).isEqualTo(requests);
        }
    }

    @Test
    void withoutAnExceedanceTheClusteredBoundIsTheBinomialProbability() {
        for (int n = 1; n < 400; n++) {
            assertThat(test(0.05, n, 127).probabilityOfSoFew(0)).isCloseTo(Math.pow(0.95, n), within(1e-12));
        }
    }

    @Test
    void theClusteredBoundIsThatOfTheMeanShareOfARequest() {
        ExceedanceTest test = test(0.05, 100, 10);

        // exp(-100 KL(0.01 || 0.05)) and exp(-100 KL(0.1 || 0.05)).
        assertThat(test.probabilityOfSoFew(10)).isCloseTo(0.084280, within(1e-6));
        assertThat(test.probabilityOfSoMany(100)).isCloseTo(0.126765, within(1e-6));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.001, 0.01, 0.05, 0.5})
    void theClusteredBoundIsNeverBelowTheExactTailWhereRequestsAreAllOrNothing(double allowedShare) {
        int gaps = 16;
        for (int n : new int[] {1, 7, 60, 300}) {
            Binomial requests = new Binomial(n, allowedShare);
            for (int slow = 0; slow <= n; slow++) {
                ExceedanceTest test = test(allowedShare, n, gaps);
                assertThat(test.probabilityOfSoFew(gaps * slow))
                        .isGreaterThanOrEqualTo(requests.atMost(slow) * (1 - 1e-9));
                assertThat(test.probabilityOfSoMany(gaps * slow))
                        .isGreaterThanOrEqualTo(requests.atLeast(slow) * (1 - 1e-9));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"60, 1", "60, 9", "1, 50", "500, 3"})
    void moreExceedancesAreLessLikeAPassAndMoreLikeABreach(int requests, int gaps) {
        ExceedanceTest test = test(0.05, requests, gaps);
        for (int e = 1; e <= requests * gaps; e++) {
            assertThat(test.probabilityOfSoFew(e)).isGreaterThanOrEqualTo(test.probabilityOfSoFew(e - 1) - 1e-12);
            assertThat(test.probabilityOfSoMany(e)).isLessThanOrEqualTo(test.probabilityOfSoMany(e - 1) + 1e-12);
        }
    }

    @Test
    void theThresholdsAreTheLastAndTheFirstThatDecide() {
        Random random = new Random(3);
        for (int round = 0; round < 500; round++) {
            ExceedanceTest test = test(
                    random.nextInt(1, 60) / 100.0,
                    random.nextInt(1, 200),
                    random.nextBoolean() ? 1 : random.nextInt(2, 20));
            int most = test.mostForPass(ALPHA);
            int fewest = test.fewestForBreach(ALPHA);

            assertThat(most).isLessThan(fewest);
            if (most >= 0) {
                assertThat(test.probabilityOfSoFew(most)).isLessThanOrEqualTo(ALPHA);
            }
            assertThat(test.probabilityOfSoFew(most + 1)).isGreaterThan(ALPHA);
            if (fewest <= test.values()) {
                assertThat(test.probabilityOfSoMany(fewest)).isLessThanOrEqualTo(ALPHA);
            }
            assertThat(test.probabilityOfSoMany(fewest - 1)).isGreaterThan(ALPHA);
        }
    }

    @Test
    void theRequestsNeededAreTheFewestThatPass() {
        Random random = new Random(4);
        int undecided = 0;
        while (undecided < 300) {
            int gaps = random.nextBoolean() ? 1 : random.nextInt(2, 20);
            int requests = random.nextInt(1, 200);
            // Some requests gave fewer gaps than the longest.
            int values = requests * gaps - (gaps == 1 ? 0 : random.nextInt(requests));
            ExceedanceTest test = new ExceedanceTest(0.05, requests, values, gaps, 1);
            int exceedances = random.nextInt(1 + values / 10);
            if (exceedances <= test.mostForPass(ALPHA)) {
                continue;
            }
            undecided++;
            int more = test.requestsForPass(exceedances, ALPHA) - requests;

            assertThat(afterMore(test, more).mostForPass(ALPHA)).isGreaterThanOrEqualTo(exceedances);
            assertThat(afterMore(test, more - 1).mostForPass(ALPHA)).isLessThan(exceedances);
        }
    }

    @Test
    void moreRequestsThanAnIntHoldsAreTheLargestInt() {
        assertThat(new ExceedanceTest(1e-5, 1, 4096, 4096, 1).requestsForPass(4096, ALPHA))
                .isBetween(574_000, 575_000);
        assertThat(new ExceedanceTest(1e-5, 100_000, 100_000, 1, 1).requestsForPass(100_000, ALPHA))
                .isEqualTo(Integer.MAX_VALUE);
    }

    private static ExceedanceTest test(double allowedShare, int requests, int gaps) {
        return new ExceedanceTest(allowedShare, requests, requests * gaps, gaps, 1);
    }

    private static ExceedanceTest afterMore(ExceedanceTest test, int requests) {
        return new ExceedanceTest(
                test.allowedShare(),
                test.requests() + requests,
                test.values() + requests * test.mostPerRequest(),
                test.mostPerRequest(),
                1);
    }

    @Test
    void ofThoseInFlightTogetherOneCounts() {
        assertThat(new ExceedanceTest(0.05, 59 * 8, 59 * 8, 1, 8).probabilityOfSoFew(0))
                .isCloseTo(Math.pow(0.95, 59), within(1e-12));
        assertThat(new ExceedanceTest(0.05, 100, 100, 1, 8).requestsForPass(0, ALPHA))
                .isEqualTo(59 * 8);
        assertThat(new ExceedanceTest(0.05, 100, 6300, 63, 8).requestsForPass(0, ALPHA))
                .isEqualTo(59 * 8);
    }
}
