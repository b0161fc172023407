package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.trace.Sampling;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** How tokens are chosen is a condition of the run, that its budgets name and agree in. */
class SamplingAttributesTest {

    @TempDir
    Path output;

    @Retention(RetentionPolicy.RUNTIME)
    @Test
    @InferenceTarget(model = "fake:sampling", seed = "17", options = "memoryGiB=2", target = FakeTarget.class)
    @interface FakeGate {}

    static class NegativeTemperature {
        @FakeGate
        @LatencyBudget(promptTokens = 512, ttftMs = 450, temperature = -1)
        void gate() {}
    }

    static class NegativeTopK {
        @FakeGate
        @LatencyBudget(promptTokens = 512, ttftMs = 450, temperature = 1, topK = -1)
        void gate() {}
    }

    static class LargeTopP {
        @FakeGate
        @LatencyBudget(promptTokens = 512, ttftMs = 450, temperature = 1, topP = 1.5)
        void gate() {}
    }

    static class NoPenalty {
        @FakeGate
        @LatencyBudget(promptTokens = 512, ttftMs = 450, repetitionPenalty = 0)
        void gate() {}
    }

    static class GreedyTopP {
        @FakeGate
        @ThroughputBudget(
                promptTokens = 512,
                concurrency = 1,
                temperature = 0,
                topP = 0.9,
                maxDeviceMemoryGiB = 24,
                minDecodeTgs = 20)
        void gate() {}
    }

    static class GreedyTopK {
        @FakeGate
        @LatencyBudget(promptTokens = 512, ttftMs = 450, topK = 40)
        void gate() {}
    }

    static class OtherTemperature {
        @FakeGate
        @LatencyBudget(promptTokens = 512, ttftMs = 450, temperature = 0.8, topP = 0.9)
        @ThroughputBudget(
                promptTokens = 512,
                concurrency = 1,
                temperature = 0.7,
                topP = 0.9,
                maxDeviceMemoryGiB = 24,
                minDecodeTgs = 20)
        void gate() {}
    }

    static class OtherPenalty {
        @FakeGate
        @LatencyBudget(promptTokens = 128, ttftMs = 300)
        @LatencyBudget(promptTokens = 512, ttftMs = 450, repetitionPenalty = 1.2)
        void gate() {}
    }

    static Stream<Arguments> wrong() {
        return Stream.of(
                arguments(
                        NegativeTemperature.class,
                        "@LatencyBudget on NegativeTemperature.gate: `temperature = -1.0` is not allowed; must be 0 for greedy decoding, or finite and at least 1.0E-4"),
                arguments(
                        NegativeTopK.class,
                        "@LatencyBudget on NegativeTopK.gate: `topK = -1` is not allowed; must be at least 1, or 0 for all tokens"),
                arguments(
                        LargeTopP.class,
                        "@LatencyBudget on LargeTopP.gate: `topP = 1.5` is not allowed; must be above 0 and at most 1"),
                arguments(
                        NoPenalty.class,
                        "@LatencyBudget on NoPenalty.gate: `repetitionPenalty = 0.0` is not allowed; must be above 0 and finite; 1 is no penalty"),
                arguments(
                        GreedyTopP.class,
                        "@ThroughputBudget on GreedyTopP.gate: `topP = 0.9` is not allowed; with `temperature = 0` each token is the most probable one, and this has no effect; set a temperature, or leave it out"),
                arguments(
                        GreedyTopK.class,
                        "@LatencyBudget on GreedyTopK.gate: `topK = 40` is not allowed; with `temperature = 0` each token is the most probable one, and this has no effect; set a temperature, or leave it out"),
                arguments(
                        OtherTemperature.class,
                        "@ThroughputBudget on OtherTemperature.gate: `temperature = 0.7` is not allowed; another budget of this gate says 0.8, and one gate is one run: make them equal"),
                arguments(
                        OtherPenalty.class,
                        "@LatencyBudget on OtherPenalty.gate: `repetitionPenalty = 1.2` is not allowed; another budget of this gate says 1.0, and one gate is one run: make them equal"));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void isRefusedByName(Class<?> fixture, String message) {
        new Gates(output).assertRefused(fixture, message);
    }

    static class Sampled {
        @FakeGate
        @LatencyBudget(
                promptTokens = 512,
                ttftMs = 450,
                temperature = 0.8,
                topK = 40,
                topP = 0.9,
                repetitionPenalty = 1.1)
        @ThroughputBudget(
                promptTokens = 512,
                concurrency = 1,
                temperature = 0.8,
                topK = 40,
                topP = 0.9,
                repetitionPenalty = 1.1,
                maxDeviceMemoryGiB = 24,
                minDecodeTgs = 20)
        void gate() {}
    }

    static class Greedy {
        @FakeGate
        @LatencyBudget(promptTokens = 512, ttftMs = 450)
        void gate() {}
    }

    @Test
    void isAConditionOfTheRunAndItsRules() {
        new Gates(output).run(Sampled.class).testEvents().assertStatistics(s -> s.succeeded(1));

        GateRecord record = new Gates(output).records().get(0);
        assertThat(record.measurement().toMeasurement().conditions().sampling())
                .isEqualTo(new Sampling(0.8, 40, 0.9, 1.1, 17));
        assertThat(record.judgement().rules())
                .anySatisfy(r ->
                        assertThat(r.scope()).contains("temperature 0.8, top-k 40, top-p 0.9, repetition penalty 1.1"));
    }

    @Test
    void isGreedyUnlessSaid() {
        new Gates(output).run(Greedy.class).testEvents().assertStatistics(s -> s.succeeded(1));

        assertThat(new Gates(output)
                        .records()
                        .get(0)
                        .measurement()
                        .toMeasurement()
                        .conditions()
                        .sampling())
                .isEqualTo(Sampling.GREEDY);
    }
}
