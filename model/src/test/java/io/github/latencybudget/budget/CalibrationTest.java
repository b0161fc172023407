package io.github.latencybudget.budget;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A small part of {@code docs/statistics.md}, with fixed seeds. */
final class CalibrationTest {

    private static final int GATES = 1500;
    private static final int MAX = 200;
    /** Three standard errors of a rate of 5%. */
    private static final double NOISE = 3 * Math.sqrt(0.05 * 0.95 / GATES);

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"SLOW_TIMES_03", "SUCCESSIVE_07"})
    void verdictsAreWrongAtMostAsOftenAsStated(Stream stream) {
        Calibration calibration = Calibration.of(stream, MAX * stream.inFlight(), GATES);

        Calibration.Result atTheLimit = calibration.at(1);

        assertThat(atTheLimit.pass()).as("at the limit, PASS").isLessThanOrEqualTo(0.05 + NOISE);
        assertThat(atTheLimit.breach()).as("at the limit, BREACH").isLessThanOrEqualTo(0.05 + NOISE);
        assertThat(calibration.at(1.05).pass()).as("above the limit, PASS").isLessThanOrEqualTo(0.05);
        assertThat(calibration.at(0.95).breach()).as("below the limit, BREACH").isLessThanOrEqualTo(0.05);
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"HEAVY_TAILED", "GAPS_HEAVY", "SLOW_TIMES_03"})
    void verdictsOnMeansAreWrongAtMostAsOftenAsStated(Stream stream) {
        holds(MeanCalibration.ofValues(stream, MAX * stream.inFlight(), GATES));
    }

    @ParameterizedTest
    @EnumSource(names = {"INDEPENDENT", "BIMODAL", "FOUR_IN_FLIGHT"})
    void verdictsOnTheSystemAreWrongAtMostAsOftenAsStated(Stream stream) {
        holds(MeanCalibration.ofSystem(stream, 4, MAX * 4, GATES));
    }

    private static void holds(MeanCalibration calibration) {
        MeanCalibration.Result atTheLimit = calibration.at(1);

        assertThat(atTheLimit.pass()).as("at the limit, PASS").isLessThanOrEqualTo(0.05 + NOISE);
        assertThat(atTheLimit.breach()).as("at the limit, BREACH").isLessThanOrEqualTo(0.05 + NOISE);
        assertThat(calibration.at(1.05).pass()).as("above the limit, PASS").isLessThanOrEqualTo(0.05);
        assertThat(calibration.at(0.95).breach()).as("below the limit, BREACH").isLessThanOrEqualTo(0.05);
    }

    /** Whose variance is nearly without end, no run tells: docs/statistics.md says how often a mean of it passes wrongly. */
    @Test
    void heavyTailsAreTheKnownLimitOfMeans() {
        MeanCalibration.Result result =
                MeanCalibration.ofValues(Stream.HEAVY_TAILED, MAX, GATES).at(1);

        assertThat(result.pass()).isBetween(0.05, 0.12);
        assertThat(result.breach()).isLessThanOrEqualTo(0.05);
    }

    /** Without the search for it, correlation makes more verdicts wrong than are allowed. */
    @Test
    void correlationBetweenRequestsMattersAndIsFound() {
        Calibration.Result result =
                Calibration.of(Stream.SUCCESSIVE_07, MAX, GATES).at(1);

        assertThat(result.correlated()).isGreaterThan(0.1);
        assertThat(result.fixedPass()).isGreaterThan(0.05 + NOISE);
        assertThat(result.pass()).isLessThanOrEqualTo(0.05);
    }

    /** What no test on a run without an exceedance can find: docs/statistics.md says how often it is wrong. */
    @Test
    void slowTimesThatLastAreTheKnownLimit() {
        assertThat(Calibration.of(Stream.SLOW_TIMES_03, MAX, GATES).at(1).pass())
                .isBetween(0.05, 0.15);
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 200, 0.5", "0.3, 1, 200, 0.1", "0, 4, 800, 0.4"})
    void verdictsOnADriftAreWrongAtMostAsOftenAsStated(double correlation, int inFlight, int requests, double power) {
        DriftRuleCalibration calibration = new DriftRuleCalibration(correlation, inFlight, requests, GATES);

        for (boolean isSteady : new boolean[] {false, true}) {
            DriftRuleCalibration.Result atTheLimit = calibration.at(DriftRuleCalibration.LIMIT, isSteady);

            assertThat(atTheLimit.pass()).as("at the limit, PASS").isLessThanOrEqualTo(0.05);
            assertThat(atTheLimit.breach()).as("at the limit, BREACH").isLessThanOrEqualTo(0.05);
            assertThat(calibration.at(0.3, isSteady).breach())
                    .as("three times the limit, BREACH")
                    .isGreaterThan(power);
        }
    }

    @Test
    void aHeldBudgetTakesHalfOfTheMostAndAGrosslyBrokenOneATenth() {
        Calibration calibration = Calibration.of(Stream.INDEPENDENT, MAX, GATES);

        assertThat(calibration.at(0.8).requests()).isLessThanOrEqualTo(MAX / 2.0);
        // The median is 0.72 of the P95.
        assertThat(calibration.at(1.4).requests()).isLessThanOrEqualTo(MAX / 10.0);
    }
}
