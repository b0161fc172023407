package io.github.latencybudget.budget;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.function.ToIntFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rate of wrong verdicts where the true share beyond the limit is exactly the allowed one, the worst case for both. */
final class ErrorRateSimulationTest {

    private static final double SHARE = 0.05;
    private static final int RUNS = 3_000;
    private static final int GAPS = 20;

    /** How many of a request's gaps lie beyond the limit: each stream has the mean share of {@link #SHARE}. */
    private enum Stream {
        INDEPENDENT {
            @Override
            int exceedances(Random random) {
                return draw(random, SHARE);
            }
        },
        /** A request is slow as a whole or not at all. */
        ALL_OR_NOTHING {
            @Override
            int exceedances(Random random) {
                return random.nextDouble() < SHARE ? GAPS : 0;
            }
        },
        /** A tenth of the requests have half of their gaps beyond the limit. */
        RANDOM_EFFECT {
            @Override
            int exceedances(Random random) {
                return random.nextDouble() < 0.1 ? draw(random, 10 * SHARE) : 0;
            }
        },
        /** Slow and fast stretches within a request: once beyond the limit, four fifths of the next gaps are too. */
        AUTOCORRELATED {
            @Override
            int exceedances(Random random) {
                boolean isSlow = random.nextDouble() < SHARE;
                int slow = 0;
                for (int i = 0; i < GAPS; i++) {
                    slow += isSlow ? 1 : 0;
                    isSlow = random.nextDouble() < (isSlow ? 0.8 : 0.2 * SHARE / (1 - SHARE));
                }
                return slow;
            }
        };

        abstract int exceedances(Random random);

        private static int draw(Random random, double share) {
            int slow = 0;
            for (int i = 0; i < GAPS; i++) {
                slow += random.nextDouble() < share ? 1 : 0;
            }
            return slow;
        }
    }

    @ParameterizedTest
    @EnumSource
    void gapsAreJudgedWronglyAtMostAsOftenAsStated(Stream stream) {
        for (int requests : new int[] {59, 100, 300}) {
            ExceedanceTest test = new ExceedanceTest(SHARE, requests, requests * GAPS, GAPS);

            assertErrorRates(test, random -> {
                int exceedances = 0;
                for (int i = 0; i < requests; i++) {
                    exceedances += stream.exceedances(random);
                }
                return exceedances;
            });
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {59, 100, 300})
    void independentValuesAreJudgedWronglyAtMostAsOftenAsStated(int requests) {
        ExceedanceTest test = new ExceedanceTest(SHARE, requests, requests, 1);

        assertErrorRates(test, random -> {
            int exceedances = 0;
            for (int i = 0; i < requests; i++) {
                exceedances += random.nextDouble() < SHARE ? 1 : 0;
            }
            return exceedances;
        });
    }

    private static void assertErrorRates(ExceedanceTest test, ToIntFunction<Random> run) {
        double alpha = Confidence.DEFAULT.alpha();
        int mostForPass = test.mostForPass(alpha);
        int fewestForBreach = test.fewestForBreach(alpha);
        Random random = new Random(5);
        int passes = 0;
        int breaches = 0;
        for (int i = 0; i < RUNS; i++) {
            int exceedances = run.applyAsInt(random);
            passes += exceedances <= mostForPass ? 1 : 0;
            breaches += exceedances >= fewestForBreach ? 1 : 0;
        }
        double standardError = Math.sqrt(alpha * (1 - alpha) / RUNS);

        assertThat(passes / (double) RUNS).as("false passes").isLessThanOrEqualTo(alpha + 3 * standardError);
        assertThat(breaches / (double) RUNS).as("false breaches").isLessThanOrEqualTo(alpha + 3 * standardError);
    }
}
