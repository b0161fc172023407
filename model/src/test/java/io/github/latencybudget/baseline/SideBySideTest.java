package io.github.latencybudget.baseline;

import static io.github.latencybudget.trace.Traces.MS;
import static io.github.latencybudget.trace.Traces.times;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.latencybudget.budget.Confidence;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.trace.Chunks;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Traces;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class SideBySideTest {

    @Test
    void theFactorIsThatOfTheSecondToTheFirst() {
        SideBySide both = both(run(100, 10), run(150, 12));

        assertThat(both.refusals()).isEmpty();
        TargetRatio ttft = both.ratios().get(0);
        assertThat(ttft.name()).isEqualTo("TTFT for prompts of 512 tokens");
        assertThat(ttft.ratio().getAsDouble()).isCloseTo(1.5, within(0.01));
        assertThat(ttft.lower().getAsDouble()).isLessThan(1.5).isGreaterThan(1.4);
        assertThat(ttft.upper().getAsDouble()).isGreaterThan(1.5).isLessThan(1.6);
        assertThat(ttft.reason()).isEmpty();
        assertThat(ratio(both, Metric.TPOT).ratio().getAsDouble()).isCloseTo(1.2, within(1e-9));
        assertThat(ratio(both, Metric.DECODE_TGS).ratio().getAsDouble()).isCloseTo(1 / 1.2, within(1e-9));
    }

    /** Whoever stops as soon as a rule is decided has looked at what the factor is of. */
    @Test
    void runsThatEndedOnceTheyWereDecidedHaveNoBounds() {
        SideBySide both = SideBySide.of(
                new SideBySide.Run("local", run(100, 10)),
                new SideBySide.Run("served", run(150, 12)),
                Confidence.DEFAULT,
                false);

        assertThat(both.ratios()).allSatisfy(r -> {
            assertThat(r.ratio()).isPresent();
            assertThat(r.lower()).isEmpty();
            assertThat(r.upper()).isEmpty();
            assertThat(r.reason().orElseThrow()).startsWith("no bounds: the runs ended once");
        });
    }

    @Test
    void otherLoadsHaveNoFactor() {
        SideBySide both = both(
                run(100, 10),
                Traces.run(60, 100 * MS, times(3, 10 * MS)).concurrency(4).measurement());

        assertThat(both.ratios()).isEmpty();
        assertThat(both.refusals())
                .startsWith(
                        "output tokens: local has 10, served 4", "load: local has concurrency 1, served concurrency 4");
    }

    @Test
    void aRunThatShowsNothingHasNoFactor() {
        assertThat(both(run(100, 10), traces(100, 10).cold(512).measurement()).refusals())
                .singleElement()
                .asString()
                .startsWith("served: ");
        assertThat(both(
                                Traces.run()
                                        .add(Outcome.FAILED, "broke", 0)
                                        .declaring(10)
                                        .measurement(),
                                run(100, 10))
                        .refusals())
                .contains("local: no request completed");
    }

    @Test
    void aRateWithoutItsMemoryIsLeftOut() {
        SideBySide both =
                both(run(100, 10), traces(100, 10).memory(OptionalLong.empty()).measurement());

        assertThat(both.ratios()).noneMatch(r -> r.metric() == Metric.DECODE_TGS);
        assertThat(both.leftOut())
                .containsExactly(
                        "decode TGS: the device memory of served is not known, and a TGS value without it says nothing; TPOT says how fast tokens come");
    }

    /** All gaps of 0: the chunks came in one read. */
    @Test
    void aMedianOfNothingHasNoRatio() {
        TargetRatio itl = ratio(both(run(100, 10), run(100, 0)), Metric.ITL);

        assertThat(itl.ratio()).isEmpty();
        assertThat(itl.reason())
                .hasValue(
                        "a value of 0 has no ratio: tokens came in one read with others; compare TPOT, which they do not change");
    }

    /** The factor of the others would stand for all. */
    @Test
    void aMetricThatSomeRequestsDidNotGiveIsLeftOut() {
        Measurement chunks = traces(100, 10)
                .chunks(1, Chunks.ofUnknownSizes(new long[] {100 * MS, 150 * MS}, 10))
                .measurement();
        SideBySide both = both(run(100, 10), chunks);

        assertThat(both.leftOut())
                .containsExactly("ITL for prompts of 512 tokens: 1 of 61 requests of served gave no value");
        assertThat(both.ratios()).noneMatch(r -> r.metric() == Metric.ITL).anyMatch(r -> r.metric() == Metric.TPOT);
    }

    /** A length that was never measured has no completed request to lack a value. */
    @Test
    void aLengthWithoutARequestIsRefused() {
        SideBySide both = both(
                traces(100, 10).planned(128, 60).planned(512, 60).measurement(),
                traces(100, 10).planned(128, 60).planned(512, 60).measurement());

        assertThat(both.ratios()).noneMatch(r -> r.promptTokens() == 128);
        assertThat(both.leftOut()).contains("TTFT for prompts of 128 tokens: no request of local completed");
    }

    @Test
    void tooFewHaveAFactorWithoutBounds() {
        TargetRatio ttft = ratio(
                both(
                        Traces.run(2, 100 * MS, times(9, 10 * MS)).measurement(),
                        Traces.run(2, 200 * MS, times(9, 10 * MS)).measurement()),
                Metric.TTFT);

        assertThat(ttft.ratio()).hasValue(2);
        assertThat(ttft.lower()).isEmpty();
        assertThat(ttft.reason()).hasValue("too few requests for bounds on both sides; measure more");
    }

    private static SideBySide both(Measurement local, Measurement served) {
        return SideBySide.of(
                new SideBySide.Run("local", local), new SideBySide.Run("served", served), Confidence.DEFAULT, true);
    }

    private static TargetRatio ratio(SideBySide both, Metric metric) {
        return both.ratios().stream()
                .filter(r -> r.metric() == metric)
                .findFirst()
                .orElseThrow();
    }

    private static Measurement run(long ttftMs, long gapMs) {
        return traces(ttftMs, gapMs).measurement();
    }

    /** 60 requests whose TTFT is spread by up to 5% to either side. */
    private static Traces traces(long ttftMs, long gapMs) {
        Traces traces = Traces.run();
        for (int i = 0; i < 60; i++) {
            traces.add(1, ttftMs * MS * (95 + 7 * i % 11) / 100, times(9, gapMs * MS));
        }
        return traces;
    }
}
