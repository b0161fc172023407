package io.github.latencybudget.baseline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.latencybudget.budget.RequestSample;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.trace.Traces;
import java.util.List;
import java.util.OptionalDouble;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** What has to hold of any two runs. */
final class ChangePropertiesTest {

    private static final Tolerance TEN = Tolerance.ofPercent(10);

    @Property(tries = 300)
    void theOtherWayRoundAChangeIsItsInverse(
            @ForAll @Size(min = 1, max = 120) List<@IntRange(min = 1, max = 1000) Integer> before,
            @ForAll @Size(min = 1, max = 120) List<@IntRange(min = 1, max = 1000) Integer> now) {
        ChangeTest there = test(before, now, 1);
        ChangeTest back = test(now, before, 1);

        assertInverse(there.typical(), back.typical());
        assertInverse(there.p95(), back.p95());
    }

    private static void assertInverse(Change there, Change back) {
        assertThat(there.ratio().getAsDouble() * back.ratio().getAsDouble()).isCloseTo(1, within(1e-9));
        assertThat(there.lower().isPresent()).isEqualTo(back.upper().isPresent());
        assertThat(there.lower().orElse(1) * back.upper().orElse(1)).isCloseTo(1, within(1e-9));
        assertThat(there.baseline()).isEqualTo(back.run());
    }

    @Property(tries = 300)
    void theRatioLiesWithinItsBoundsAndGrowsWithTheRun(
            @ForAll @Size(min = 1, max = 120) List<@IntRange(min = 1, max = 1000) Integer> before,
            @ForAll @Size(min = 1, max = 120) List<@IntRange(min = 1, max = 1000) Integer> now,
            @ForAll @IntRange(min = 2, max = 50) int factor) {
        for (Change.Statistic statistic : Change.Statistic.values()) {
            Change one = change(test(before, now, 1), statistic);
            Change more = change(test(before, now, factor), statistic);

            assertThat(one.ratio().getAsDouble())
                    .isBetween(one.lower().orElse(0), one.upper().orElse(Double.POSITIVE_INFINITY));
            assertThat(more.ratio().getAsDouble())
                    .isCloseTo(
                            factor * one.ratio().getAsDouble(),
                            within(1e-9 * factor * one.ratio().getAsDouble()));
            assertSame(more.lower(), one.lower(), factor);
            assertSame(more.upper(), one.upper(), factor);
        }
    }

    private static void assertSame(OptionalDouble more, OptionalDouble one, int factor) {
        assertThat(more.isPresent()).isEqualTo(one.isPresent());
        assertThat(more.orElse(0)).isCloseTo(factor * one.orElse(0), within(1e-9 * factor * (1 + one.orElse(0))));
    }

    /** Exactly the table of the statuses, for times: of rates the mirror image is tested by example. */
    @Property(tries = 300)
    void theStatusIsThatOfTheInterval(
            @ForAll @Size(min = 5, max = 60) List<@IntRange(min = 90, max = 110) Integer> before,
            @ForAll @Size(min = 5, max = 60) List<@IntRange(min = 80, max = 125) Integer> now) {
        Change change = test(before, now, 1).typical();
        double lower = change.lower().orElse(0);
        double upper = change.upper().orElse(Double.POSITIVE_INFINITY);

        assertThat(change.status())
                .isEqualTo(
                        lower > 1.1
                                ? ChangeStatus.WORSE
                                : upper > 1.1
                                        ? ChangeStatus.INCONCLUSIVE
                                        : upper < 0.9
                                                ? ChangeStatus.IMPROVED
                                                : lower < 0.9 ? ChangeStatus.NOT_WORSE : ChangeStatus.SAME);
        assertThat(change.reason().isPresent()).isEqualTo(change.status() == ChangeStatus.INCONCLUSIVE);
    }

    private static Change change(ChangeTest test, Change.Statistic statistic) {
        return statistic == Change.Statistic.TYPICAL ? test.typical() : test.p95();
    }

    private static ChangeTest test(List<Integer> before, List<Integer> now, int factor) {
        return new ChangeTest(sample(before, 1), sample(now, factor), 512, TEN);
    }

    private static RequestSample sample(List<Integer> values, int factor) {
        Traces run = Traces.run();
        values.forEach(v -> run.add(1, (long) v * factor));
        return new RequestSample(Metric.TTFT, run.measurement().traces(), 1);
    }
}
