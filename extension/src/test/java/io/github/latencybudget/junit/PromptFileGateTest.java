package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.latencybudget.budget.Status;
import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.junit.TtftByPromptLength.Bound;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.MeasurementEntry;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PromptFileGateTest {

    @TempDir
    Path output;

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class ByLength {
        @Test
        @TtftByPromptLength(
                outputTokens = 3,
                requests = 120,
                confidence = 0.6,
                value = {@Bound(upToTokens = 10, ms = 100), @Bound(ms = 150)})
        @LatencyBudget(outputTokens = 3, requests = 120, confidence = 0.6, itlP95Ms = 10)
        @PromptWorkload(file = "prompts/mixed.jsonl")
        void gate() {}
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class RowMissing {
        @Test
        @TtftByPromptLength(
                outputTokens = 3,
                requests = 120,
                confidence = 0.6,
                value = @Bound(upToTokens = 10, ms = 100))
        @PromptWorkload(file = "prompts/mixed.jsonl")
        void gate() {}
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class, options = "maxConcurrency=2")
    static class Conversations {
        @Test
        @LatencyBudget(outputTokens = 3, requests = 300, concurrency = 2, itlP95Ms = 9)
        @PromptWorkload(file = "prompts/conversations.jsonl")
        void gate() {}
    }

    private GateRecord record() {
        return new Gates(output).records().get(0);
    }

    @Test
    void eachRequestIsJudgedByItsLength() {
        assertThat(Gates.failures(new Gates(output).run(ByLength.class))).isEmpty();

        MeasurementEntry measured = record().measurement();
        assertThat(measured.workload().toString())
                .startsWith("file prompts/mixed.jsonl, sha256 ")
                .endsWith(", 120 conversations of 1 turn, 55 of them repeated");
        assertThat(measured.requests())
                .extracting(MeasurementEntry.Request::promptTokens)
                .contains(5, 9, 20, 22)
                .doesNotContain(0);
        assertThat(measured.requests())
                .allSatisfy(r -> assertThat(r.requestedOutputTokens()).isEqualTo(r.promptTokens() >= 20 ? 2 : 3));
        assertThat(measured.requestsByPromptTokens().values().stream()
                        .mapToInt(i -> i)
                        .sum())
                .isEqualTo(measured.requests().size());
        assertThat(measured.warmUp().series()).hasSize(3).allMatch(series -> series.warm());
    }

    @Test
    void aLengthInNoRowKeepsTheGateFromPassing() {
        Throwable failure = new Gates(output).failure(RowMissing.class);

        assertThat(record().judgement().status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(failure)
                .hasMessageContaining(
                        " requests had prompts of 20 to 22 tokens, which no limit on TTFT is about; add a row for such prompts, or leave them out of the file");
    }

    @Test
    void aConversationGoesOnWithItsAnswers() {
        new Gates(output).failure(Conversations.class);

        MeasurementEntry measured = record().measurement();
        // BOS and three words; then those, the answer of three tokens and two words.
        assertThat(measured.requestsByPromptTokens().keySet()).containsExactly(4, 9);
        assertThat(record().judgement().rules().get(0).evidence().requestsPerSample())
                .isEqualTo(4);
    }

    static class Lengths {
        @Test
        @LatencyBudget(itlP95Ms = 9)
        @PromptWorkload(file = "prompts/mixed.jsonl", promptTokens = 8, weights = 1)
        void gate() {}
    }

    static class TtftOfAll {
        @Test
        @LatencyBudget(ttftMs = 9)
        @PromptWorkload(file = "prompts/mixed.jsonl")
        void gate() {}
    }

    static class NoFile {
        @Test
        @LatencyBudget(itlP95Ms = 9)
        @PromptWorkload(file = "prompts/none.jsonl")
        void gate() {}
    }

    static class Table {
        @Test
        @TtftByPromptLength(promptTokens = 8, value = @Bound(ms = 9))
        @PromptWorkload(file = "prompts/mixed.jsonl")
        void gate() {}
    }

    static class Rate {
        @Test
        @ThroughputBudget(
                promptTokens = 8,
                concurrency = 1,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 2,
                minDecodeTgs = 90)
        @PromptWorkload(file = "prompts/mixed.jsonl")
        void gate() {}
    }

    static class Swept {
        @Test
        @LatencyBudget(itlP95Ms = 9)
        @LoadSweep(concurrency = {1, 2})
        @PromptWorkload(file = "prompts/mixed.jsonl")
        void gate() {}
    }

    static class Drift {
        @Test
        @LatencyBudget(itlP95Ms = 9)
        @RunBudget(maxTpotDrift = 0.1)
        @PromptWorkload(file = "prompts/mixed.jsonl")
        void gate() {}
    }

    static class TurnsAtARate {
        @Test
        @LatencyBudget(itlP95Ms = 9)
        @OpenLoop(requestsPerSecond = 5)
        @PromptWorkload(file = "prompts/conversations.jsonl")
        void gate() {}
    }

    static Stream<Arguments> refusals() {
        return Stream.of(
                arguments(
                        TurnsAtARate.class,
                        "@PromptWorkload on TurnsAtARate.gate: `file = prompts/conversations.jsonl` is not allowed; prompts/conversations.jsonl has conversations of up to 2 turns, each sent after the answer to the one before, and requests of an open loop are due whatever was answered; measure it in a closed loop, or name a file of single prompts"),
                arguments(
                        Lengths.class,
                        "@PromptWorkload on Lengths.gate: `file = prompts/mixed.jsonl` is not allowed; its prompts have their own lengths; leave `promptTokens` and `weights` out"),
                arguments(
                        TtftOfAll.class,
                        "@LatencyBudget on TtftOfAll.gate: `promptTokens = 0` is not allowed; `ttftMs` is bound to a prompt length; name it, or use @TtftByPromptLength"),
                arguments(
                        NoFile.class,
                        "@PromptWorkload on NoFile.gate: `file = prompts/none.jsonl` is not allowed; prompts/none.jsonl is neither a file below the working directory nor on the class path; correct the name, or put it into src/test/resources"),
                arguments(
                        Table.class,
                        "@TtftByPromptLength on Table.gate: `promptTokens = [8]` is not allowed; the file of @PromptWorkload says which lengths are run; leave it out"),
                arguments(
                        Rate.class,
                        "@ThroughputBudget on Rate.gate: a rate names the prompt lengths that it holds for, and those of a file are not known before it has run; give @PromptWorkload `promptTokens` and `weights`, or leave the rate out"),
                arguments(
                        Swept.class,
                        "@LoadSweep on Swept.gate: each of its loads would be sent the same prompts again, which a server may have cached by then; draw made ones by `promptTokens` and `weights` of @PromptWorkload, or measure the file under one load"),
                arguments(
                        Drift.class,
                        "@RunBudget on Drift.gate: a drift is one at a prompt length, and the prompts of a file have many; leave it out, for the guard `max-drift` looks at all of them"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void whatCannotBeMeantIsRefused(Class<?> fixture, String message) {
        new Gates(output).assertRefused(fixture, message);
    }
}
