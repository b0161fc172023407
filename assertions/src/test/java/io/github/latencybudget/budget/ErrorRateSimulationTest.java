package io.github.latencybudget.budget;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
            ExceedanceTest test = new ExceedanceTest(SHARE, requests, requests * GAPS, GAPS, 1);

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
        ExceedanceTest test = new ExceedanceTest(SHARE, requests, requests, 1, 1);

        assertErrorRates(test, random -> {
            int exceedances = 0;
            for (int i = 0; i < requests; i++) {
                exceedances += random.nextDouble() < SHARE ? 1 : 0;
            }
            return exceedances;
        });
    }

    /** The worst of sharing an engine: of the requests in flight together all are beyond the limit, or none. */
    @ParameterizedTest
    @CsvSource({"4, 59", "4, 100", "16, 59"})
    void requestsInFlightTogetherAreJudgedWronglyAtMostAsOftenAsStated(int inFlight, int rounds) {
        int requests = inFlight * rounds;

        assertErrorRates(new ExceedanceTest(SHARE, requests, requests, 1, inFlight), inRounds(inFlight, rounds));
    }

    /** Why that is a rule of its own: as samples of their own they would be judged wrongly far more often. */
    @Test
    void requestsInFlightTogetherAreNoIndependentSamples() {
        double falsePasses = errorRates(new ExceedanceTest(SHARE, 4 * 100, 4 * 100, 1, 1), inRounds(4, 100))
                .falsePasses();

        assertThat(falsePasses).isGreaterThan(2 * Confidence.DEFAULT.alpha());
    }

    private static ToIntFunction<Random> inRounds(int inFlight, int rounds) {
        return random -> {
            int exceedances = 0;
            for (int i = 0; i < rounds; i++) {
                exceedances += random.nextDouble() < SHARE ? inFlight : 0;
            }
            return exceedances;
        };
    }

    private record ErrorRates(double falsePasses, double falseBreaches) {}

    private static void assertErrorRates(ExceedanceTest test, ToIntFunction<Random> run) {
        double alpha = Confidence.DEFAULT.alpha();
        ErrorRates rates = errorRates(test, run);
        double standardError = Math.sqrt(alpha * (1 - alpha) / RUNS);

        assertThat(rates.falsePasses()).as("false passes").isLessThanOrEqualTo(alpha + 3 * standardError);
        assertThat(rates.falseBreaches()).as("false breaches").isLessThanOrEqualTo(alpha + 3 * standardError);
    }

    private static ErrorRates errorRates(ExceedanceTest test, ToIntFunction<Random> run) {
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

        return new ErrorRates(passes / (double) RUNS, breaches / (double) RUNS);
    }
}
