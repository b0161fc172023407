package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.trace.Conditions;
import io.github.latencybudget.trace.ThinkTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PromptWorkloadTest {

    @TempDir
    Path output;

    @InferenceTarget(model = "fake", target = FakeTarget.class, options = "memoryGiB=1")
    static class Drawn {
        @Test
        @LatencyBudget(promptTokens = 16, outputTokens = 3, ttftMs = 100, requests = 800)
        @PromptWorkload(
                promptTokens = {8, 16},
                weights = {3, 1})
        void judgesOneOfThem() {}
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class, options = "memoryGiB=1")
    static class DrawnRate {
        @Test
        @ThroughputBudget(
                promptTokens = {8, 16},
                concurrency = 1,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 2,
                minDecodeTgs = 90,
                outputTokens = 3)
        @PromptWorkload(
                promptTokens = {16, 8},
                weights = {2, 6})
        void judgesTheRate() {}
    }

    @Test
    void lengthsAreDrawnAndOnesThatNoLimitIsAboutAreLoad() {
        assertThat(Gates.failures(new Gates(output).run(Drawn.class))).isEmpty();

        Conditions conditions = conditions();
        assertThat(conditions.workload()).hasToString("8, 16 drawn 3:1");
        Map<Integer, Integer> planned = conditions.requestsByPromptTokens();
        assertThat(planned.get(8) + planned.get(16)).isEqualTo(800);
        assertThat(planned.get(16)).isBetween(150, 250);
    }

    @Test
    void aRateHoldsForTheShares() {
        assertThat(Gates.failures(new Gates(output).run(DrawnRate.class))).isEmpty();

        assertThat(new Gates(output).records().get(0).judgement().rules().get(0).rule())
                .contains("prompts of 8 and 16 tokens drawn 3:1");
    }

    private Conditions conditions() {
        GateRecord record = new Gates(output).records().get(0);
        return record.measurement().toMeasurement().conditions();
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class Thinking {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, ttftMs = 100, requests = 80)
        @PromptWorkload(thinkMs = 0.001, think = ThinkTime.Distribution.EXPONENTIAL)
        void gate() {}
    }

    @Test
    void usersMayThink() {
        assertThat(Gates.failures(new Gates(output).run(Thinking.class))).isEmpty();

        assertThat(conditions().workload().thinkTime())
                .hasValue(new ThinkTime(ThinkTime.Distribution.EXPONENTIAL, Duration.ofNanos(1000), 42));
        assertThat(conditions().load()).isEqualTo("concurrency 1, 0.000 s of thought, exponential");
    }

    static class NoTime {
        @Test
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @PromptWorkload(think = ThinkTime.Distribution.EXPONENTIAL)
        void gate() {}
    }

    static class TooLong {
        @Test
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @PromptWorkload(thinkMs = 3_600_001)
        void gate() {}
    }

    static class Nothing {
        @Test
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @PromptWorkload
        void gate() {}
    }

    static class InAnOpenLoop {
        @Test
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @OpenLoop(requestsPerSecond = 5)
        @PromptWorkload(thinkMs = 5)
        void gate() {}
    }

    static class ThinkingRate {
        @Test
        @ThroughputBudget(
                promptTokens = 8,
                concurrency = 32,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 2,
                minDecodeTgs = 40)
        @PromptWorkload(thinkMs = 60_000)
        void gate() {}
    }

    static class Lengths {
        @Test
        @LatencyBudget(promptTokens = 16, ttftMs = 100)
        @PromptWorkload(
                promptTokens = {8, 32},
                weights = {3, 1})
        void gate() {}
    }

    static class Weights {
        @Test
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @PromptWorkload(
                promptTokens = {8, 32},
                weights = {3})
        void gate() {}
    }

    static class NoWeight {
        @Test
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @PromptWorkload(
                promptTokens = {8, 32},
                weights = {3, 0})
        void gate() {}
    }

    static class Twice {
        @Test
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @PromptWorkload(
                promptTokens = {8, 8},
                weights = {3, 1})
        void gate() {}
    }

    static class NoLength {
        @Test
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @PromptWorkload(
                promptTokens = {},
                weights = {})
        void gate() {}
    }

    static class NoPrompt {
        @Test
        @LatencyBudget(promptTokens = 8, ttftMs = 100)
        @PromptWorkload(
                promptTokens = {8, 0},
                weights = {1, 1})
        void gate() {}
    }

    static class OtherRate {
        @Test
        @ThroughputBudget(
                promptTokens = 8,
                concurrency = 1,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 2,
                minDecodeTgs = 90)
        @PromptWorkload(
                promptTokens = {8, 16},
                weights = {3, 1})
        void gate() {}
    }

    @LatencyBudget(promptTokens = 8, ttftMs = 100)
    static class Apart {
        @Test
        @PromptWorkload(
                promptTokens = {8, 16},
                weights = {3, 1})
        void gate() {}
    }

    static Stream<Arguments> refusals() {
        return Stream.of(
                arguments(
                        NoTime.class,
                        "@PromptWorkload on NoTime.gate: `promptTokens = {}` is not allowed; name at least one prompt length, or a `file`"),
                arguments(
                        TooLong.class,
                        "@PromptWorkload on TooLong.gate: `thinkMs = 3600001.0` is not allowed; must be above 0 and at most an hour"),
                arguments(
                        Nothing.class,
                        "@PromptWorkload on Nothing.gate: `promptTokens = {}` is not allowed; name at least one prompt length, or a `file`"),
                arguments(
                        InAnOpenLoop.class,
                        "@PromptWorkload on InAnOpenLoop.gate: `thinkMs = 5.0` is not allowed; in an open loop, requests are due at a rate, however long somebody thinks; leave it out, or leave out @OpenLoop"),
                arguments(
                        ThinkingRate.class,
                        "@ThroughputBudget on ThinkingRate.gate: a rate in tokens holds for a concurrency, and of users who think fewer are in flight; move it to a test whose @PromptWorkload has no `thinkMs`"),
                arguments(
                        Lengths.class,
                        "@PromptWorkload on Lengths.gate: `promptTokens = [8, 32]` is not allowed; a budget on the same element is about prompts of [16] tokens; draw them all"),
                arguments(
                        Weights.class,
                        "@PromptWorkload on Weights.gate: `weights = [3]` is not allowed; give each length of `promptTokens` its weight: 2"),
                arguments(
                        NoWeight.class,
                        "@PromptWorkload on NoWeight.gate: `weights = 0` is not allowed; must be at least 1; leave out what is never drawn"),
                arguments(
                        Twice.class,
                        "@PromptWorkload on Twice.gate: `promptTokens = 8` is not allowed; it stands here twice; add up its weights"),
                arguments(
                        NoLength.class,
                        "@PromptWorkload on NoLength.gate: `promptTokens = {}` is not allowed; name at least one prompt length, or a `file`"),
                arguments(
                        NoPrompt.class,
                        "@PromptWorkload on NoPrompt.gate: `promptTokens = 0` is not allowed; a prompt has at least 1 token, BOS included"),
                arguments(
                        OtherRate.class,
                        "@ThroughputBudget on OtherRate.gate: `promptTokens = [8]` is not allowed; the budgets of one gate judge one run, and a rate holds for its prompt lengths only: name [8, 16] here, or move the budget to a test of its own"),
                arguments(
                        Apart.class,
                        "@PromptWorkload on Apart.gate: there is no budget on the element that has it, so it says what nobody runs; put it beside a budget"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void whatCannotBeMeantIsRefused(Class<?> fixture, String message) {
        new Gates(output).assertRefused(fixture, message);
    }
}
