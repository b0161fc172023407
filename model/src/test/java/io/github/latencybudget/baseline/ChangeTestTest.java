package io.github.latencybudget.baseline;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.budget.RequestSample;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.trace.Traces;
import org.junit.jupiter.api.Test;

final class ChangeTestTest {

    private static final Tolerance TEN = Tolerance.ofPercent(10);

    /** Requests that share their fate are so many copies of one: they bound the change as the one would. */
    @Test
    void copiesThatWereInFlightTogetherSayNoMoreThanOne() {
        Change one = new ChangeTest(copies(40, 1, 0), copies(30, 1, 7), 512, TEN).typical();
        Change three = new ChangeTest(copies(40, 3, 0), copies(30, 3, 7), 512, TEN).typical();

        assertThat(three.lower()).isEqualTo(one.lower());
        assertThat(three.upper()).isEqualTo(one.upper());
        assertThat(three.ratio().getAsDouble())
                .isBetween(one.lower().getAsDouble(), one.upper().getAsDouble());
        assertThat(three.baseline()).isEqualTo(new Change.Side(one.baseline().value(), 120, 40));
    }

    @Test
    void aValueOfZeroHasNoRatio() {
        RequestSample some = copies(20, 1, 0);
        RequestSample zero =
                new RequestSample(Metric.TTFT, Traces.run(20, 0).measurement().traces(), 1);

        for (Change change : new Change[] {
            new ChangeTest(zero, some, 512, TEN).typical(),
            new ChangeTest(some, zero, 512, TEN).typical(),
            new ChangeTest(zero, some, 512, TEN).p95(),
            new ChangeTest(some, zero, 512, TEN).p95()
        }) {
            assertThat(change.status()).isEqualTo(ChangeStatus.INCONCLUSIVE);
            assertThat(change.ratio()).isEmpty();
            assertThat(change.line()).endsWith(": nothing observed");
            assertThat(change.reason())
                    .contains("a value of 0 has no ratio to another; correct the clock of the target");
        }
    }

    @Test
    void theValueOfASideIsTheMedianOfItsRequests() {
        RequestSample sample = new RequestSample(
                Metric.TTFT,
                Traces.run().add(1, 9).add(1, 1).add(1, 5).measurement().traces(),
                1);

        assertThat(new ChangeTest(sample, sample, 512, TEN).typical().run().value())
                .isEqualTo(5);
    }

    /** Successive values are far from one another, so that no resemblance counts. */
    private static RequestSample copies(int n, int copies, int shift) {
        Traces run = Traces.run();
        for (int i = 0; i < n; i++) {
            run.add(copies, 100 + shift + (i % 2 == 0 ? i : 2L * n - i));
        }
        return new RequestSample(Metric.TTFT, run.measurement().traces(), copies);
    }
}
