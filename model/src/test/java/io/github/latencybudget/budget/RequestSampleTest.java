package io.github.latencybudget.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Traces;
import org.junit.jupiter.api.Test;

final class RequestSampleTest {

    @Test
    void aRequestGivesTheMedianOfItsGaps() {
        Traces run = Traces.run().add(1, 9, 5, 1, 3).add(1, 9, 8, 8, 2, 1);

        assertThat(sample(Metric.ITL, run, 1).levels()).containsExactly(3, 2);
        assertThat(sample(Metric.TTFT, run, 1).levels()).containsExactly(9, 9);
    }

    @Test
    void whatDidNotCompleteOrGaveNothingHasNoPart() {
        Traces run =
                Traces.run().add(1, 9, 5).add(Outcome.FAILED, "broke", 0, 1, 7).add(1, 9);

        assertThat(sample(Metric.ITL, run, 1).levels()).containsExactly(5);
    }

    @Test
    void thoseInFlightTogetherAreWorthOne() {
        Traces run = Traces.run();
        for (int i = 0; i < 44; i++) {
            run.add(1, i % 2 == 0 ? 1 : 2);
        }

        assertThat(sample(Metric.TTFT, run, 1).independentRequests()).isEqualTo(44);
        assertThat(sample(Metric.TTFT, run, 4).independentRequests()).isEqualTo(11);
    }

    /** Of a series that rises, successive ranks correlate by nearly 1. */
    @Test
    void successiveOnesThatResembleOneAnotherAreWorthLess() {
        Traces rising = Traces.run();
        for (int i = 1; i <= 100; i++) {
            rising.add(1, i);
        }
        double correlation = SerialCorrelation.of(sample(Metric.TTFT, rising, 1).levels(), 100, 1)
                .coefficient();

        assertThat(correlation).isGreaterThan(0.97);
        double most = Math.min(0.98, correlation);
        assertThat(sample(Metric.TTFT, rising, 1).independentRequests())
                .isCloseTo(100 * (1 - most) / (1 + most), within(1e-9));
    }

    @Test
    void ofFewNothingIsSaidAboutResemblance() {
        Traces run = Traces.run();
        for (int i = 1; i <= 12; i++) {
            assertThat(sample(Metric.TTFT, run, 1).independentRequests()).isEqualTo(i - 1);
            run.add(1, i);
        }
        assertThat(sample(Metric.TTFT, run, 1).independentRequests()).isLessThan(12);
    }

    private static RequestSample sample(Metric metric, Traces run, int inFlight) {
        return new RequestSample(metric, run.measurement().traces(), inFlight);
    }
}
