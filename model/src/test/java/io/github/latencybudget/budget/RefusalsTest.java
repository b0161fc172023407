package io.github.latencybudget.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.Traces;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RefusalsTest {

    private static final ThroughputConditions CONDITIONS =
            ThroughputConditions.of(List.of(512), Sampling.GREEDY, 1, 24L << 30);

    @Test
    void aBudgetHasARule() {
        assertThatIllegalArgumentException()
                .isThrownBy(Budget::of)
                .withMessage("a budget without a rule: a gate never passes on nothing");
    }

    @Test
    void verdictsHaveAVerdict() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> new Verdicts(Traces.run(1, 1).measurement(), Confidence.DEFAULT, List.of(), List.of()))
                .withMessage("no verdict: a gate never passes on nothing");
    }

    @Test
    void aTtftLimitNamesItsPromptLength() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> new LatencyRule(Metric.TTFT, Percentile.P95, Duration.ofMillis(450), Optional.empty()))
                .withMessage("a TTFT limit has to name the prompt length that it holds for");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-0.05S", "PT2400H0.000000001S", "PT2562047788015215H"})
    void aLatencyLimitIsAboveZeroAndNotWithoutEnd(Duration limit) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LatencyRule.itl(Percentile.P95, limit))
                .withMessage("limit = %s: must be above zero and at most 100 days", limit);
    }

    @Test
    void noRuleIsAboutTheLargestValue() {
        Percentile all = Percentile.of(100);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> LatencyRule.itl(all, Duration.ofMillis(50)))
                .withMessageStartingWith("percentile = 100: no number of requests shows");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ThroughputRule(Metric.DECODE_TGS, all, 50, CONDITIONS))
                .withMessageStartingWith("share = 100: no number of requests shows");
    }

    @ParameterizedTest
    @EnumSource(names = {"DECODE_TGS", "REQUEST_TGS"})
    void aRateWithoutConditionsIsNotARule(Metric rate) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LatencyRule(rate, Percentile.P95, Duration.ofMillis(1), Optional.empty()))
                .withMessage("%s is not a time: use a ThroughputRule, which names its conditions", rate.label());
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"DECODE_TGS", "REQUEST_TGS"})
    void aTimeIsNotARate(Metric time) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ThroughputRule(time, Percentile.P95, 50, CONDITIONS))
                .withMessage("%s is not a rate: use a LatencyRule", time.label());
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY})
    void aRateIsAboveZeroAndFinite(double rate) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ThroughputRule(Metric.DECODE_TGS, Percentile.P95, rate, CONDITIONS))
                .withMessage("minTokensPerSecond = %s: must be above 0 and finite", rate);
    }

    @Test
    void aShareInPlaceOfAPercentileIsRefused() {
        Percentile meantAs95 = Percentile.of(0.95);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LatencyRule.itl(meantAs95, Duration.ofMillis(50)))
                .withMessage(
                        "percentile = P0.95: must be at least 1, in percent such as 95, and not a share such as 0.95");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ThroughputRule(Metric.DECODE_TGS, meantAs95, 50, CONDITIONS))
                .withMessageStartingWith("share = P0.95: ");
    }

    @Test
    void conditionsNameAllFour() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ThroughputConditions.of(List.of(), Sampling.GREEDY, 1, 1))
                .withMessage("promptTokens = []: must name at least one length, each at least 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ThroughputConditions.of(List.of(0, 512), Sampling.GREEDY, 1, 1))
                .withMessage("promptTokens = [0, 512]: must name at least one length, each at least 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ThroughputConditions.of(List.of(512), Sampling.GREEDY, 0, 1))
                .withMessage("concurrency = 0: must be at least 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ThroughputConditions.of(List.of(512), Sampling.GREEDY, 1, 0))
                .withMessage("maxDeviceMemoryBytes = 0: must be at least 1");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 1, -0.1, 1.5, Double.NaN})
    void aShareIsAboveZeroAndBelowOne(double share) {
        String rule = ": must be above 0 and below 1, for no number of requests shows what holds without exception";
        Duration limit = Duration.ofMillis(50);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> GoodputRule.atLeast(share, RequestLimit.itl(limit)))
                .withMessage("minShare = " + share + rule);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FluidityRule(PromptLength.exactly(1), limit, limit, share))
                .withMessage("minShare = " + share + rule);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FailureRule.atMost(share))
                .withMessage("maxShare = " + share + rule);
    }

    @Test
    void everyLimitOnATimeIsAboveZero() {
        PromptLength length = PromptLength.exactly(512);
        Duration limit = Duration.ofMillis(50);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> MeanLatencyRule.itl(Duration.ZERO))
                .withMessage("limit = PT0S: must be above zero and at most 100 days");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RequestItlRule.of(Percentile.P95, Percentile.P95, Duration.ZERO))
                .withMessage("limit = PT0S: must be above zero and at most 100 days");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RequestLimit.tpot(Duration.ZERO))
                .withMessage("limit = PT0S: must be above zero and at most 100 days");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FluidityRule(length, Duration.ZERO, limit, 0.9))
                .withMessage("ttftLimit = PT0S: must be above zero and at most 100 days");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FluidityRule(length, limit, Duration.ZERO, 0.9))
                .withMessage("itlLimit = PT0S: must be above zero and at most 100 days");
    }

    @Test
    void everyLimitOnTtftOrTtfoNamesItsPromptLength() {
        Duration limit = Duration.ofMillis(50);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MeanLatencyRule(Metric.TTFT, limit, Optional.empty()))
                .withMessage("a TTFT limit has to name the prompt length that it holds for");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RequestLimit(Metric.TTFT, limit, Optional.empty()))
                .withMessage("a TTFT limit has to name the prompt length that it holds for");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LatencyRule(Metric.TTFO, Percentile.P95, limit, Optional.empty()))
                .withMessage("a TTFO limit has to name the prompt length that it holds for");
    }

    @Test
    void rulesWithoutALimitOrWithOneThatNothingReachesAreRefused() {
        Duration limit = Duration.ofMillis(50);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> GoodputRule.atLeast(0.9))
                .withMessage("goodput without a limit: every request would be good; name at least one");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RequestItlRule.of(Percentile.of(100), Percentile.P95, limit))
                .withMessageStartingWith("percentile = 100: no number of requests shows");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeviceMemoryRule.atMostBytes(0))
                .withMessage("maxBytes = 0: must be at least 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SystemThroughputRule(Double.NaN, CONDITIONS))
                .withMessage("minTokensPerSecond = NaN: must be above 0 and finite");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MeanLatencyRule(Metric.DECODE_TGS, limit, Optional.empty()))
                .withMessage("decode TGS is not a time: use a ThroughputRule, which names its conditions");
    }

    @ParameterizedTest
    @CsvSource({"0, 512", "-1, 512", "513, 512"})
    void promptLengthsAreInOrder(int min, int max) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PromptLength.between(min, max))
                .withMessage("promptTokens = %s to %s: must be at least 1 and in order", min, max);
    }

    @Test
    void nothingIsLongerThanTheLongestPrompt() {
        assertThatIllegalArgumentException().isThrownBy(() -> PromptLength.above(Integer.MAX_VALUE));
    }

    @Test
    void promptLengthsIncludeTheirEnds() {
        assertThat(PromptLength.between(129, 512).includes(129)).isTrue();
        assertThat(PromptLength.between(129, 512).includes(512)).isTrue();
        assertThat(PromptLength.between(129, 512).includes(128)).isFalse();
        assertThat(PromptLength.between(129, 512).includes(513)).isFalse();
        assertThat(PromptLength.above(512).includes(512)).isFalse();
        assertThat(PromptLength.above(512)).hasToString("above 512");
        assertThat(PromptLength.between(129, 512)).hasToString("129 to 512");
        assertThat(PromptLength.exactly(512)).hasToString("512");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.49, 1, 1.5, -1, Double.NaN})
    void aConfidenceIsAtLeastAHalfAndBelowOne(double level) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Confidence(level))
                .withMessage("confidence = %s: must be at least 0.5 and below 1", level);
    }

    @ParameterizedTest
    @CsvSource({"0.95, 95%", "0.999, 99.9%", "0.5, 50%"})
    void aConfidenceIsPrintedAsAPercentage(double level, String printed) {
        assertThat(new Confidence(level)).hasToString(printed);
    }
}
