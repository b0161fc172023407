package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.latencybudget.inference.FakeTarget;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Case 15 and its kind: what cannot be meant is refused by name, before anything is loaded. */
class ConfigurationErrorsTest {

    @TempDir
    Path output;

    @Retention(RetentionPolicy.RUNTIME)
    @Test
    @InferenceTarget(model = "fake:config", target = FakeTarget.class)
    @interface FakeGate {}

    static class NoLimit {
        @FakeGate
        @LatencyBudget(promptTokens = 512)
        void gate() {}
    }

    static class NoPromptTokens {
        @FakeGate
        @LatencyBudget(ttftMs = 450)
        void gate() {}
    }

    static class NegativeLimit {
        @FakeGate
        @LatencyBudget(promptTokens = 512, ttftMs = -1)
        void gate() {}
    }

    static class ZeroLimit {
        @FakeGate
        @LatencyBudget(promptTokens = 512, e2eP95Ms = 0)
        void gate() {}
    }

    static class NanLimit {
        @FakeGate
        @LatencyBudget(promptTokens = 512, itlP95Ms = Double.NaN)
        void gate() {}
    }

    static class InfiniteLimit {
        @FakeGate
        @LatencyBudget(promptTokens = 512, tpotP95Ms = Double.POSITIVE_INFINITY)
        void gate() {}
    }

    static class TinyLimit {
        @FakeGate
        @LatencyBudget(promptTokens = 512, ttftMs = 1e-9)
        void gate() {}
    }

    static class HugeLimit {
        @FakeGate
        @LatencyBudget(promptTokens = 512, ttftMs = 1e12)
        void gate() {}
    }

    static class ItlOfOneToken {
        @FakeGate
        @LatencyBudget(promptTokens = 512, outputTokens = 1, itlP95Ms = 50)
        void gate() {}
    }

    static class TpotOfOneToken {
        @FakeGate
        @LatencyBudget(promptTokens = 512, outputTokens = 1, tpotP95Ms = 50)
        void gate() {}
    }

    static class NoOutput {
        @FakeGate
        @LatencyBudget(promptTokens = 512, outputTokens = 0, ttftMs = 450)
        void gate() {}
    }

    static class NoRequests {
        @FakeGate
        @LatencyBudget(promptTokens = 512, requests = 0, ttftMs = 450)
        void gate() {}
    }

    static class PercentileOf100 {
        @FakeGate
        @LatencyBudget(promptTokens = 512, ttftMs = 450, ttftPercentile = 100)
        void gate() {}
    }

    static class PercentileAsAShare {
        @FakeGate
        @LatencyBudget(promptTokens = 512, ttftMs = 450, ttftPercentile = 0.95)
        void gate() {}
    }

    static class PercentileOfNothing {
        @FakeGate
        @LatencyBudget(promptTokens = 512, itlP95Ms = 50, ttftPercentile = 99)
        void gate() {}
    }

    static class Certainty {
        @FakeGate
        @LatencyBudget(promptTokens = 512, ttftMs = 450, confidence = 1)
        void gate() {}
    }

    static class SameLengthTwice {
        @FakeGate
        @LatencyBudget(promptTokens = 512, ttftMs = 450)
        @LatencyBudget(promptTokens = 512, itlP95Ms = 50)
        void gate() {}
    }

    static class OtherOutput {
        @FakeGate
        @LatencyBudget(promptTokens = 128, ttftMs = 300)
        @LatencyBudget(promptTokens = 512, ttftMs = 450, outputTokens = 128)
        void gate() {}
    }

    static class ThroughputWithoutLimit {
        @FakeGate
        @ThroughputBudget(promptTokens = 512, concurrency = 1, temperature = 0, topP = 1, maxDeviceMemoryGiB = 24)
        void gate() {}
    }

    static class ThroughputWithoutLengths {
        @FakeGate
        @ThroughputBudget(
                promptTokens = {},
                concurrency = 1,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 24,
                minDecodeTgs = 20)
        void gate() {}
    }

    static class ThroughputWithoutMemory {
        @FakeGate
        @ThroughputBudget(
                promptTokens = 512,
                concurrency = 1,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = Double.NaN,
                minDecodeTgs = 20)
        void gate() {}
    }

    static class ConcurrencyBelowOne {
        @FakeGate
        @LatencyBudget(promptTokens = 512, ttftMs = 450, concurrency = 0)
        void gate() {}
    }

    static class FewerRequestsThanInFlight {
        @FakeGate
        @ThroughputBudget(
                promptTokens = 512,
                concurrency = 8,
                requests = 7,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 24,
                minDecodeTgs = 20)
        void gate() {}
    }

    static class OtherConcurrency {
        @FakeGate
        @LatencyBudget(promptTokens = 512, ttftMs = 450)
        @ThroughputBudget(
                promptTokens = 512,
                concurrency = 4,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 24,
                minDecodeTgs = 20)
        void gate() {}
    }

    static class ThroughputOfOneToken {
        @FakeGate
        @ThroughputBudget(
                promptTokens = 512,
                concurrency = 1,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 24,
                minDecodeTgs = 20,
                outputTokens = 1)
        void gate() {}
    }

    static class ThroughputOfOtherLengths {
        @FakeGate
        @LatencyBudget(promptTokens = 128, ttftMs = 300)
        @ThroughputBudget(
                promptTokens = 512,
                concurrency = 1,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 24,
                minDecodeTgs = 20)
        void gate() {}
    }

    static class Template {
        @RepeatedTest(2)
        @LatencyBudget(promptTokens = 512, ttftMs = 450)
        void gate() {}
    }

    static Stream<Arguments> wrong() {
        return Stream.of(
                arguments(
                        NoLimit.class,
                        "@LatencyBudget on NoLimit.gate: no limit is set; set at least one of `ttftMs`, `ttftMeanMs`, `ttfoP95Ms`, `itlP50Ms`, `itlP95Ms`, `itlP99Ms`, `itlMeanMs`, `requestItlP95Ms`, `iclP95Ms`, `tpotP95Ms`, `tpotMeanMs`, `e2eP95Ms`, `e2eMeanMs`"),
                arguments(
                        NoPromptTokens.class,
                        "@LatencyBudget on NoPromptTokens.gate: `promptTokens = 0` is not allowed; a limit is bound to a prompt length: name it, in tokens, BOS included, at least 1"),
                arguments(
                        NegativeLimit.class,
                        "@LatencyBudget on NegativeLimit.gate: `ttftMs = -1.0` is not allowed; must be above 0 and finite"),
                arguments(
                        ZeroLimit.class,
                        "@LatencyBudget on ZeroLimit.gate: `e2eP95Ms = 0.0` is not allowed; must be above 0 and finite"),
                arguments(
                        NanLimit.class,
                        "@LatencyBudget on NanLimit.gate: `itlP95Ms = NaN` is not allowed; must be above 0 and finite"),
                arguments(
                        InfiniteLimit.class,
                        "@LatencyBudget on InfiniteLimit.gate: `tpotP95Ms = Infinity` is not allowed; must be above 0 and finite"),
                arguments(
                        TinyLimit.class,
                        "@LatencyBudget on TinyLimit.gate: `ttftMs = 1.0E-9` is not allowed; a limit is between one nanosecond and one day, in milliseconds"),
                arguments(
                        HugeLimit.class,
                        "@LatencyBudget on HugeLimit.gate: `ttftMs = 1.0E12` is not allowed; a limit is between one nanosecond and one day, in milliseconds"),
                arguments(
                        ItlOfOneToken.class,
                        "@LatencyBudget on ItlOfOneToken.gate: `itlP95Ms = 50.0` is not allowed; with `outputTokens = 1` there is no gap between tokens; use 2 or more"),
                arguments(
                        TpotOfOneToken.class,
                        "@LatencyBudget on TpotOfOneToken.gate: `tpotP95Ms = 50.0` is not allowed; with `outputTokens = 1` there is no gap between tokens; use 2 or more"),
                arguments(
                        NoOutput.class,
                        "@LatencyBudget on NoOutput.gate: `outputTokens = 0` is not allowed; must be at least 1"),
                arguments(
                        NoRequests.class,
                        "@LatencyBudget on NoRequests.gate: `requests = 0` is not allowed; must be at least 1"),
                arguments(
                        PercentileOf100.class,
                        "@LatencyBudget on PercentileOf100.gate: `ttftPercentile = 100.0` is not allowed; must be at least 1 and below 100, in percent such as 95, with at most three decimals"),
                arguments(
                        PercentileAsAShare.class,
                        "@LatencyBudget on PercentileAsAShare.gate: `ttftPercentile = 0.95` is not allowed; must be at least 1 and below 100, in percent such as 95, with at most three decimals"),
                arguments(
                        PercentileOfNothing.class,
                        "@LatencyBudget on PercentileOfNothing.gate: `ttftPercentile = 99.0` is not allowed; it is about `ttftMs`, which is not set"),
                arguments(
                        Certainty.class,
                        "@LatencyBudget on Certainty.gate: `confidence = 1.0` is not allowed; must be at least 0.5 and below 1"),
                arguments(
                        SameLengthTwice.class,
                        "@LatencyBudget on SameLengthTwice.gate: `promptTokens = 512` is not allowed; another budget on the same element is about this prompt length already; put all its limits into one"),
                arguments(
                        OtherOutput.class,
                        "@LatencyBudget on OtherOutput.gate: `outputTokens = 128` is not allowed; another budget of this gate says 64, and one gate is one run: make them equal"),
                arguments(
                        ThroughputWithoutLimit.class,
                        "@ThroughputBudget on ThroughputWithoutLimit.gate: no limit is set; set at least one of `minDecodeTgs`, `minRequestTgs`, `minTgs`"),
                arguments(
                        ThroughputWithoutLengths.class,
                        "@ThroughputBudget on ThroughputWithoutLengths.gate: `promptTokens = {}` is not allowed; name at least one prompt length"),
                arguments(
                        ThroughputWithoutMemory.class,
                        "@ThroughputBudget on ThroughputWithoutMemory.gate: `maxDeviceMemoryGiB = NaN` is not allowed; must be above 0 and finite"),
                arguments(
                        ConcurrencyBelowOne.class,
                        "@LatencyBudget on ConcurrencyBelowOne.gate: `concurrency = 0` is not allowed; must be at least 1"),
                arguments(
                        FewerRequestsThanInFlight.class,
                        "@ThroughputBudget on FewerRequestsThanInFlight.gate: `requests = 7` is not allowed; with `concurrency = 8` so few are never in flight together; measure at least as many"),
                arguments(
                        OtherConcurrency.class,
                        "@ThroughputBudget on OtherConcurrency.gate: `concurrency = 4` is not allowed; another budget of this gate says 1, and one gate is one run: make them equal"),
                arguments(
                        ThroughputOfOneToken.class,
                        "@ThroughputBudget on ThroughputOfOneToken.gate: `minDecodeTgs = 20.0` is not allowed; with `outputTokens = 1` there is no gap between tokens; use 2 or more"),
                arguments(
                        ThroughputOfOtherLengths.class,
                        "@ThroughputBudget on ThroughputOfOtherLengths.gate: `promptTokens = [512]` is not allowed; the budgets of one gate judge one run, and a rate holds for its prompt lengths only: name [128, 512] here, or move the budget to a test of its own"));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void isRefusedByNameBeforeAnythingIsLoaded(Class<?> fixture, String message) {
        FakeTarget.OPENED.clear();

        new Gates(output).assertRefused(fixture, message);

        assertThat(FakeTarget.OPENED).isEmpty();
        assertThat(new Gates(output).records())
                .singleElement()
                .satisfies(r -> assertThat(r.error()).isEqualTo(message));
    }

    @Test
    void aTemplateInvocationIsNoGate() {
        assertThat(new Gates(output).run(Template.class).allEvents().failed().stream())
                .as("the template or each of its invocations fails")
                .isNotEmpty();
        assertThat(new Gates(output).failure(Template.class))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessageStartingWith("@LatencyBudget on Template.gate: a gate is a plain @Test;");
    }

    static class Right {
        @FakeGate
        @LatencyBudget(promptTokens = 512, ttftMs = 450)
        void gate() {}
    }

    @ParameterizedTest
    @MethodSource("wrongSettings")
    void aWrongSettingIsRefused(String key, String value, String message) {
        new Gates(output).with(key, value).assertRefused(Right.class, message);
    }

    static Stream<Arguments> wrongSettings() {
        return Stream.of(
                arguments(
                        "latencybudget.device.wait-seconds",
                        "1.5",
                        "`latencybudget.device.wait-seconds = 1.5` is not allowed; it is a whole number of seconds from 0, which is not to wait, to 999999999"),
                arguments(
                        "latencybudget.device.locks",
                        "a\0b",
                        "`latencybudget.device.locks` is not allowed (its value is not printed, because it may be a key); it is a folder"),
                arguments("latencybudget.seed", "many", "`seed = many` is not allowed; it is a whole number"),
                arguments(
                        "latencybudget.options",
                        "threads",
                        "`options = threads` is not allowed; an option is a name, `=` and a value"));
    }

    @Test
    void aSettingThatThereIsNotIsRefused() {
        System.setProperty("latencybudget.modell", "tiny");
        try {
            new Gates(output)
                    .assertRefused(
                            Right.class,
                            "`latencybudget.modell` is not allowed; there is no such setting; did you mean `latencybudget.model`? There are latencybudget.model, latencybudget.device, latencybudget.dtype, latencybudget.seed, latencybudget.options, latencybudget.gpu, latencybudget.output, latencybudget.progress, latencybudget.run, latencybudget.baselines, latencybudget.baseline.update, latencybudget.gates, latencybudget.gates.update, latencybudget.served.model, latencybudget.served.dtype, latencybudget.served.options, latencybudget.device.locks, latencybudget.device.wait-seconds and the guards, latencybudget.guards.other-processes and the like");
        } finally {
            System.clearProperty("latencybudget.modell");
        }
    }
}
