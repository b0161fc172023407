package io.github.latencybudget.baseline;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.baseline.ComparisonCalibration.Result;
import io.github.latencybudget.budget.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A small part of the table of {@code docs/baselines.md}, with fixed seeds. */
final class ComparisonCalibrationTest {

    private static final int COMPARISONS = 600;
    private static final int REQUESTS = 120;
    /** Three standard errors of a rate of 5%. */
    private static final double NOISE = 3 * Math.sqrt(0.05 * 0.95 / COMPARISONS);

    @ParameterizedTest
    @EnumSource
    void typicalChangesAreWrongAtMostAsOftenAsStated(Stream stream) {
        ComparisonCalibration calibration =
                new ComparisonCalibration(stream, REQUESTS * stream.inFlight(), COMPARISONS);

        Result equal = calibration.at(1, Change.Statistic.TYPICAL);
        assertThat(equal.above()).as("lower bound").isLessThanOrEqualTo(0.05 + NOISE);
        assertThat(equal.below()).as("upper bound").isLessThanOrEqualTo(0.05 + NOISE);
        assertThat(equal.share(ChangeStatus.WORSE)).as("equal, WORSE").isLessThanOrEqualTo(0.01);

        Result justWorse = calibration.at(1.1, Change.Statistic.TYPICAL);
        assertThat(justWorse.share(ChangeStatus.WORSE))
                .as("at the tolerance, WORSE")
                .isLessThanOrEqualTo(0.05 + NOISE);
        assertThat(justWorse.passes()).as("at the tolerance, passes").isLessThanOrEqualTo(0.05 + NOISE);
    }

    @ParameterizedTest
    @EnumSource(names = {"INDEPENDENT", "HEAVY_TAILED", "GAPS_07", "GAPS_HEAVY", "FOUR_IN_FLIGHT"})
    void changesOfTheP95AreWrongAtMostAsOftenAsStated(Stream stream) {
        Result justWorse = new ComparisonCalibration(stream, REQUESTS * stream.inFlight(), COMPARISONS)
                .at(1.1, Change.Statistic.P95);

        assertThat(justWorse.above()).as("lower bound").isLessThanOrEqualTo(0.05 + NOISE);
        assertThat(justWorse.below()).as("upper bound").isLessThanOrEqualTo(0.05 + NOISE);
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 8, 15, 40})
    void fewRequestsAreNotLessSure(int requests) {
        Result equal =
                new ComparisonCalibration(Stream.HEAVY_TAILED, requests, COMPARISONS).at(1, Change.Statistic.TYPICAL);

        assertThat(equal.above()).isLessThanOrEqualTo(0.05 + NOISE);
        assertThat(equal.below()).isLessThanOrEqualTo(0.05 + NOISE);
    }

    @Test
    void whatIsTheSameAndWhatIsWorseIsShown() {
        ComparisonCalibration calibration = new ComparisonCalibration(Stream.INDEPENDENT, REQUESTS, COMPARISONS);

        assertThat(calibration.at(1, Change.Statistic.TYPICAL).share(ChangeStatus.SAME))
                .isGreaterThan(0.9);
        assertThat(calibration.at(1.25, Change.Statistic.TYPICAL).share(ChangeStatus.WORSE))
                .isGreaterThan(0.95);
        assertThat(calibration.at(0.75, Change.Statistic.TYPICAL).share(ChangeStatus.IMPROVED))
                .isGreaterThan(0.95);
    }
}
