package io.github.latencybudget.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AxisTest {

    @Test
    void labelsRoundValuesInTheUnit() {
        assertThat(new Axis(0, 55e6, 10, 560, Axis.MILLISECONDS).ticks())
                .extracting(Axis.Tick::at, Axis.Tick::label)
                .containsExactly(
                        tuple("10.0", "0"),
                        tuple("110.0", "10"),
                        tuple("210.0", "20"),
                        tuple("310.0", "30"),
                        tuple("410.0", "40"),
                        tuple("510.0", "50"));
    }

    @Test
    void drawsWhatLiesBeyondAtTheEdge() {
        Axis y = new Axis(0, 100, 200, 0, Axis.ONE);

        assertThat(y.at(25)).isEqualTo("150.0");
        assertThat(y.at(1e300)).isEqualTo("0.0");
        assertThat(y.at(-1)).isEqualTo("200.0");
    }

    @ParameterizedTest
    @ValueSource(doubles = {1e-6, 0.003, 0.99, 1, 1.01, 7, 9.99, 10, 63, 99, 1_015, 123_456_789})
    void anyRangeGetsAFewLabels(double range) {
        assertThat(new Axis(0, range, 0, 500, Axis.ONE).ticks()).hasSizeBetween(3, 8);
    }
}
