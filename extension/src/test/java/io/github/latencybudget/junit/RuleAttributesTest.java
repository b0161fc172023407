package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.latencybudget.budget.Status;
import io.github.latencybudget.inference.FakeTarget;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.testkit.engine.EngineExecutionResults;

/** The attributes that set limits on means, shares, the system and the run. */
class RuleAttributesTest {

    private static final double GIB = 1L << 30;

    @TempDir
    Path output;

    /** Each request has a TTFT of 100 ms and gaps of 10 ms. */
    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class Broken {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, ttftMeanMs = 50)
        void ttftMean() {}

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, ttfoP95Ms = 99)
        void ttfo() {}

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlMeanMs = 5)
        void itlMean() {}

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, requestItlP95Ms = 9)
        void requestItl() {}

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, iclP95Ms = 9)
        void icl() {}

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, tpotMeanMs = 5)
        void tpotMean() {}

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, e2eMeanMs = 60)
        void e2eMean() {}

        @Test
        @GoodputBudget(promptTokens = 8, outputTokens = 3, ttftMs = 99, minGoodput = 0.95)
        void goodTtft() {}

        @Test
        @GoodputBudget(promptTokens = 8, outputTokens = 3, itlMs = 9, minGoodput = 0.95)
        void goodItl() {}

        @Test
        @GoodputBudget(promptTokens = 8, outputTokens = 3, tpotMs = 9, minGoodput = 0.95)
        void goodTpot() {}

        @Test
        @GoodputBudget(promptTokens = 8, outputTokens = 3, e2eMs = 119, minGoodput = 0.95)
        void goodE2e() {}

        @Test
        @GoodputBudget(promptTokens = 8, outputTokens = 3, ttftMs = 99, itlMs = 9, minFluidity = 0.9)
        void fluidity() {}

        @Test
        @TtftByPromptLength(
                promptTokens = {4, 8},
                outputTokens = 3,
                value = {@TtftByPromptLength.Bound(upToTokens = 4, ms = 100), @TtftByPromptLength.Bound(ms = 99)})
        void table() {}
    }

    @InferenceTarget(
            model = "fake",
            target = FakeTarget.class,
            options = {"memoryGiB=2", "failEvery=2"})
    static class BrokenRun {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        @RunBudget(maxFailureShare = 0.05)
        void failures() {}
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class, options = "memoryGiB=2")
    static class BrokenDevice {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        @RunBudget(maxDeviceMemoryGiB = 1.9)
        void memory() {}

        /** 3 tokens in 120 ms. */
        @Test
        @ThroughputBudget(
                promptTokens = 8,
                outputTokens = 3,
                concurrency = 1,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 2,
                minTgs = 50)
        void system() {}
    }

    @InferenceTarget(
            model = "fake",
            target = FakeTarget.class,
            options = {"slowerByMs=1", "gapSlowerByMs=0.1"})
    static class BrokenDrift {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, requests = 60, e2eP95Ms = 100_000)
        @RunBudget(maxTtftDrift = 0.1)
        void ttft() {}

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, requests = 60, e2eP95Ms = 100_000)
        @RunBudget(maxTpotDrift = 0.1)
        void tpot() {}
    }

    /** Case 17. */
    @Test
    void everyAttributeThatSetsALimitCanFail() {
        Gates gates = new Gates(output);

        EngineExecutionResults results =
                gates.run(Broken.class, BrokenRun.class, BrokenDevice.class, BrokenDrift.class);

        results.testEvents().assertStatistics(s -> s.started(18).failed(18));
        assertThat(gates.records())
                .hasSize(18)
                .allSatisfy(r -> assertThat(r.judgement().status())
                        .as(r.gate().toString())
                        .isEqualTo(Status.BREACH));
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class, options = "memoryGiB=2")
    static class Holding {
        @Test
        @LatencyBudget(
                promptTokens = 8,
                outputTokens = 3,
                ttftMeanMs = 101,
                ttfoP95Ms = 100,
                itlMeanMs = 11,
                requestItlP95Ms = 10,
                iclP95Ms = 10,
                tpotMeanMs = 12,
                e2eMeanMs = 121)
        @GoodputBudget(
                promptTokens = 8,
                outputTokens = 3,
                ttftMs = 100,
                itlMs = 10,
                tpotMs = 13,
                e2eMs = 122,
                minGoodput = 0.94,
                minFluidity = 0.93)
        @ThroughputBudget(
                promptTokens = 8,
                outputTokens = 3,
                concurrency = 1,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 2,
                minTgs = 24)
        @RunBudget(maxFailureShare = 0.06, maxTtftDrift = 0.1, maxTpotDrift = 0.2, maxDeviceMemoryGiB = 2)
        void gate() {}

        @Test
        @TtftByPromptLength(
                promptTokens = {8, 4, 9},
                outputTokens = 3,
                percentile = 90,
                value = {
                    @TtftByPromptLength.Bound(upToTokens = 4, ms = 100),
                    @TtftByPromptLength.Bound(upToTokens = 8, ms = 110),
                    @TtftByPromptLength.Bound(ms = 120)
                })
        void table() {}
    }

    @Test
    void everyLimitIsAboutItsOwnQuantity() {
        Gates gates = new Gates(output);

        EngineExecutionResults results = gates.run(Holding.class);

        results.testEvents().assertStatistics(s -> s.succeeded(2));
        assertThat(gates.records())
                .flatExtracting(r -> r.judgement().rules().stream()
                        .map(rule -> tuple(rule.label(), rule.percentile(), rule.limit()))
                        .toList())
                .containsExactlyInAnyOrder(
                        tuple("mean TTFT", null, 101e6),
                        tuple("TTFO", 95.0, 100e6),
                        tuple("mean ITL", null, 11e6),
                        tuple("request ITL P95", 95.0, 10e6),
                        tuple("ICL", 95.0, 10e6),
                        tuple("mean TPOT", null, 12e6),
                        tuple("mean E2E", null, 121e6),
                        tuple("goodput", null, 0.94),
                        tuple("fluidity", null, 0.93),
                        tuple("system TGS", null, 24.0),
                        tuple("failure share", null, 0.06),
                        tuple("TTFT drift", null, 0.1),
                        tuple("TPOT drift", null, 0.2),
                        tuple("peak device memory", null, 2 * GIB),
                        tuple("TTFT", 90.0, 100e6),
                        tuple("TTFT", 90.0, 110e6),
                        tuple("TTFT", 90.0, 120e6));
        assertThat(gates.records())
                .flatExtracting(r -> r.judgement().rules())
                .extracting("rule")
                .contains(
                        "goodput at least 94.0% of requests (TTFT at most 100.0 ms for prompts of 8 tokens, ITL at most 10.0 ms for prompts of 8 tokens, TPOT at most 13.0 ms for prompts of 8 tokens, E2E at most 122.0 ms for prompts of 8 tokens)",
                        "TTFT P90 at most 100.0 ms for prompts of 1 to 4 tokens",
                        "TTFT P90 at most 110.0 ms for prompts of 5 to 8 tokens",
                        "TTFT P90 at most 120.0 ms for prompts of above 8 tokens");
    }

    static class NoGoodput {
        @ConfigurationErrorsTest.FakeGate
        @GoodputBudget(promptTokens = 8, ttftMs = 100)
        void gate() {}
    }

    static class GoodputOfNothing {
        @ConfigurationErrorsTest.FakeGate
        @GoodputBudget(promptTokens = 8, minGoodput = 0.9)
        void gate() {}
    }

    static class AllGood {
        @ConfigurationErrorsTest.FakeGate
        @GoodputBudget(promptTokens = 8, ttftMs = 100, minGoodput = 1)
        void gate() {}
    }

    static class FluidityWithoutItl {
        @ConfigurationErrorsTest.FakeGate
        @GoodputBudget(promptTokens = 8, ttftMs = 100, minFluidity = 0.9)
        void gate() {}
    }

    static class FluidityOfNan {
        @ConfigurationErrorsTest.FakeGate
        @GoodputBudget(promptTokens = 8, ttftMs = 100, itlMs = 10, minFluidity = Double.NaN)
        void gate() {}
    }

    static class GoodItlOfOneToken {
        @ConfigurationErrorsTest.FakeGate
        @GoodputBudget(promptTokens = 8, outputTokens = 1, itlMs = 10, minGoodput = 0.9)
        void gate() {}
    }

    static class NegativeE2e {
        @ConfigurationErrorsTest.FakeGate
        @GoodputBudget(promptTokens = 8, e2eMs = -1, minGoodput = 0.9)
        void gate() {}
    }

    static class TwiceGood {
        @ConfigurationErrorsTest.FakeGate
        @GoodputBudget(promptTokens = 8, ttftMs = 100, minGoodput = 0.9)
        @GoodputBudget(promptTokens = 8, e2eMs = 100, minGoodput = 0.9)
        void gate() {}
    }

    static class RunAlone {
        @ConfigurationErrorsTest.FakeGate
        @RunBudget(maxDeviceMemoryGiB = 2)
        void gate() {}
    }

    static class RunOfNothing {
        @ConfigurationErrorsTest.FakeGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @RunBudget
        void gate() {}
    }

    static class NoFailureAtAll {
        @ConfigurationErrorsTest.FakeGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @RunBudget(maxFailureShare = 0)
        void gate() {}
    }

    static class AnyDrift {
        @ConfigurationErrorsTest.FakeGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @RunBudget(maxTtftDrift = 1)
        void gate() {}
    }

    static class DriftOfNoGap {
        @ConfigurationErrorsTest.FakeGate
        @LatencyBudget(promptTokens = 8, outputTokens = 1, ttftMs = 100)
        @RunBudget(maxTpotDrift = 0.1)
        void gate() {}
    }

    static class NoMemory {
        @ConfigurationErrorsTest.FakeGate
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @RunBudget(maxDeviceMemoryGiB = Double.NaN)
        void gate() {}
    }

    static class NoRow {
        @ConfigurationErrorsTest.FakeGate
        @TtftByPromptLength(
                promptTokens = 8,
                value = {})
        void gate() {}
    }

    static class RowsInDisorder {
        @ConfigurationErrorsTest.FakeGate
        @TtftByPromptLength(
                promptTokens = {4, 8},
                value = {
                    @TtftByPromptLength.Bound(upToTokens = 8, ms = 1),
                    @TtftByPromptLength.Bound(upToTokens = 4, ms = 1)
                })
        void gate() {}
    }

    static class RowNeverMeasured {
        @ConfigurationErrorsTest.FakeGate
        @TtftByPromptLength(
                promptTokens = {4, 9},
                value = {
                    @TtftByPromptLength.Bound(upToTokens = 4, ms = 1),
                    @TtftByPromptLength.Bound(upToTokens = 8, ms = 1),
                    @TtftByPromptLength.Bound(ms = 1)
                })
        void gate() {}
    }

    static class LengthInNoRow {
        @ConfigurationErrorsTest.FakeGate
        @TtftByPromptLength(
                promptTokens = {4, 9},
                value = @TtftByPromptLength.Bound(upToTokens = 8, ms = 1))
        void gate() {}
    }

    static class RowWithoutATime {
        @ConfigurationErrorsTest.FakeGate
        @TtftByPromptLength(promptTokens = 4, value = @TtftByPromptLength.Bound(ms = 0))
        void gate() {}
    }

    static class RowsOfTheLargest {
        @ConfigurationErrorsTest.FakeGate
        @TtftByPromptLength(promptTokens = 4, percentile = 100, value = @TtftByPromptLength.Bound(ms = 1))
        void gate() {}
    }

    static class OtherOutput {
        @ConfigurationErrorsTest.FakeGate
        @LatencyBudget(promptTokens = 8, outputTokens = 32, ttftMs = 100)
        @GoodputBudget(promptTokens = 8, ttftMs = 100, minGoodput = 0.9)
        void gate() {}
    }

    static class InfiniteSystem {
        @ConfigurationErrorsTest.FakeGate
        @ThroughputBudget(
                promptTokens = 8,
                concurrency = 1,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 2,
                minTgs = Double.POSITIVE_INFINITY)
        void gate() {}
    }

    static Stream<Arguments> wrong() {
        String share = "must be above 0 and below 1, for no number of requests shows what holds without exception";
        return Stream.of(
                arguments(
                        NoGoodput.class,
                        "@GoodputBudget on NoGoodput.gate: no limit is set; set at least one of `minGoodput`, `minFluidity`"),
                arguments(
                        GoodputOfNothing.class,
                        "@GoodputBudget on GoodputOfNothing.gate: no limit is set; set at least one of `ttftMs`, `itlMs`, `tpotMs`, `e2eMs`"),
                arguments(AllGood.class, "@GoodputBudget on AllGood.gate: `minGoodput = 1.0` is not allowed; " + share),
                arguments(
                        FluidityWithoutItl.class,
                        "@GoodputBudget on FluidityWithoutItl.gate: `minFluidity = 0.9` is not allowed; it takes `ttftMs` and `itlMs`, by which each token has a time"),
                arguments(
                        FluidityOfNan.class,
                        "@GoodputBudget on FluidityOfNan.gate: `minFluidity = NaN` is not allowed; " + share),
                arguments(
                        GoodItlOfOneToken.class,
                        "@GoodputBudget on GoodItlOfOneToken.gate: `itlMs = 10.0` is not allowed; with `outputTokens = 1` there is no gap between tokens; use 2 or more"),
                arguments(
                        NegativeE2e.class,
                        "@GoodputBudget on NegativeE2e.gate: `e2eMs = -1.0` is not allowed; must be above 0 and finite"),
                arguments(
                        TwiceGood.class,
                        "@GoodputBudget on TwiceGood.gate: `promptTokens = 8` is not allowed; another budget on the same element is about this prompt length already; put all its limits into one"),
                arguments(
                        RunAlone.class,
                        "@RunBudget on RunAlone.gate: it says nothing about what to run; put it beside a @LatencyBudget, or another budget with a prompt length"),
                arguments(
                        RunOfNothing.class,
                        "@RunBudget on RunOfNothing.gate: no limit is set; set at least one of `maxFailureShare`, `maxTtftDrift`, `maxTpotDrift`, `maxDeviceMemoryGiB`"),
                arguments(
                        NoFailureAtAll.class,
                        "@RunBudget on NoFailureAtAll.gate: `maxFailureShare = 0.0` is not allowed; " + share),
                arguments(AnyDrift.class, "@RunBudget on AnyDrift.gate: `maxTtftDrift = 1.0` is not allowed; " + share),
                arguments(
                        DriftOfNoGap.class,
                        "@RunBudget on DriftOfNoGap.gate: `maxTpotDrift = 0.1` is not allowed; with `outputTokens = 1` there is no gap between tokens; use 2 or more"),
                arguments(
                        NoMemory.class,
                        "@RunBudget on NoMemory.gate: `maxDeviceMemoryGiB = NaN` is not allowed; must be above 0 and finite"),
                arguments(
                        NoRow.class,
                        "@TtftByPromptLength on NoRow.gate: `value = {}` is not allowed; name at least one row"),
                arguments(
                        RowsInDisorder.class,
                        "@TtftByPromptLength on RowsInDisorder.gate: `upToTokens = 4` is not allowed; the rows are in the order of their lengths, each above the one before; it has to be at least 9"),
                arguments(
                        RowNeverMeasured.class,
                        "@TtftByPromptLength on RowNeverMeasured.gate: `promptTokens = [4, 9]` is not allowed; no length is in the row of 5 to 8 tokens, which would not be measured; name one, or leave the row out"),
                arguments(
                        LengthInNoRow.class,
                        "@TtftByPromptLength on LengthInNoRow.gate: `promptTokens = [4, 9]` is not allowed; a length of 9 tokens is in no row; add a row for it"),
                arguments(
                        RowWithoutATime.class,
                        "@TtftByPromptLength on RowWithoutATime.gate: `ms = 0.0` is not allowed; must be above 0 and finite"),
                arguments(
                        RowsOfTheLargest.class,
                        "@TtftByPromptLength on RowsOfTheLargest.gate: `percentile = 100.0` is not allowed; must be at least 1 and below 100, in percent such as 95, with at most three decimals"),
                arguments(
                        OtherOutput.class,
                        "@GoodputBudget on OtherOutput.gate: `outputTokens = 64` is not allowed; another budget of this gate says 32, and one gate is one run: make them equal"),
                arguments(
                        InfiniteSystem.class,
                        "@ThroughputBudget on InfiniteSystem.gate: `minTgs = Infinity` is not allowed; must be above 0 and finite"));
    }

    /** Case 15. */
    @ParameterizedTest
    @MethodSource("wrong")
    void whatCannotBeMeantIsRefusedByName(Class<?> fixture, String message) {
        new Gates(output).assertRefused(fixture, message);
    }
}
