package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.budget.Status;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.scripted.Answer;
import io.github.latencybudget.scripted.Fault;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.scripted.ServedRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Gates on an endpoint, from annotation to record. The limits are far from the schedule, since time is real here. */
class EndpointGateTest {

    private static final String KEY = "canary-7d31f0aa";

    @TempDir
    Path output;

    static class Lenient {
        @Test
        @LatencyBudget(promptTokens = 32, outputTokens = 40, requests = 64, ttftMs = 20_000)
        void gate() {}
    }

    static class Twice {
        @Test
        @LatencyBudget(promptTokens = 32, outputTokens = 40, requests = 64, ttftMs = 20_000)
        void first() {}

        @Test
        @LatencyBudget(promptTokens = 32, outputTokens = 40, requests = 64, ttftMs = 20_000)
        void second() {}
    }

    /** Once the client was measured, the target is sent prompts of a length that the file has. */
    static class OfAFile {
        @Test
        @LatencyBudget(outputTokens = 8, requests = 64, e2eP95Ms = 20_000)
        @PromptWorkload(file = "prompts/mixed.jsonl")
        void gate() {}
    }

    static class TooStrict {
        @Test
        @LatencyBudget(promptTokens = 32, outputTokens = 8, requests = 20, ttftMs = 0.001)
        void gate() {}
    }

    static class EndToEnd {
        @Test
        @LatencyBudget(promptTokens = 32, outputTokens = 8, requests = 64, e2eP95Ms = 20_000)
        void gate() {}
    }

    @InferenceTarget(value = "openai:http://localhost:1?header.X-Api-Key=canary", model = "synthetic:tiny")
    static class BothNames {
        @Test
        @LatencyBudget(promptTokens = 32, outputTokens = 8, ttftMs = 100)
        void gate() {}
    }

    @InferenceTarget("openai:http://localhost:1/v1?model=m")
    static class Unreachable {
        @Test
        @LatencyBudget(promptTokens = 32, outputTokens = 8, ttftMs = 100)
        void gate() {}
    }

    private Gates gates(ScriptedServer server) {
        return new Gates(output)
                .with("latencybudget.model", "openai:" + server.url())
                .with("latencybudget.guards.max-drift", "off");
    }

    /** A warm-up asks for 32 tokens at most, however many runs it takes. */
    private static Function<ServedRequest, Answer> failingOnceWarm(Fault fault) {
        OpenAiScript good = new OpenAiScript(0, 0);
        OpenAiScript failing = good.failing(fault, 0);
        return request -> (request.body().contains("\"max_tokens\":40") ? failing : good).apply(request);
    }

    private Status status() {
        return new Gates(output).records().get(0).judgement().status();
    }

    @Test
    void aLimitThatHoldsPasses() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0).caching(0))) {
            gates(server).run(Lenient.class).testEvents().assertStatistics(s -> s.succeeded(1));

            GateRecord gate = new Gates(output).records().get(0);
            assertThat(gate.judgement().status()).isEqualTo(Status.PASS);
            assertThat(gate.measurement().model()).isEqualTo("scripted");
            assertThat(gate.measurement().settings()).containsEntry("prefix cache", "cold");
            assertThat(gate.measurement().requests()).allSatisfy(r -> {
                assertThat(r.exchange().tokenSource()).isEqualTo("usage");
                assertThat(r.cachedPromptTokens()).isZero();
            });
        }
    }

    @Test
    void promptsOfAFileAreMeasuredWithAllGuardsOn() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0).caching(0))) {
            gates(server).run(OfAFile.class).testEvents().assertStatistics(s -> s.succeeded(1));

            GateRecord gate = new Gates(output).records().get(0);
            assertThat(gate.judgement().status()).isEqualTo(Status.PASS);
            assertThat(gate.measurement().watch().client()).isPresent();
        }
    }

    /** What the first gate has sent is in the server's cache, and both have numbers from the same on. */
    @Test
    void noPromptOfAGateComesAgainInTheNext() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0).caching(0))) {
            gates(server).run(Twice.class).testEvents().assertStatistics(s -> s.succeeded(2));

            assertThat(server.requests().stream().map(ServedRequest::body).filter(b -> b.contains("\"stream\":true")))
                    .hasSizeGreaterThan(128)
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void aLimitThatIsBrokenIsABreach() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0))) {
            // No client tells times as exactly as that.
            assertThat(gates(server)
                            .with("latencybudget.guards.max-client-error-share", "off")
                            .failure(TooStrict.class))
                    .isInstanceOf(AssertionError.class);
            assertThat(status()).isEqualTo(Status.BREACH);
        }
    }

    @Test
    void aLimitBelowWhatTheClientCanTellShowsNeither() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0))) {
            assertThat(gates(server).failure(TooStrict.class))
                    .hasMessageContaining(
                            "the client does not tell times exactly enough: against a server of its own it had a P99 error of ");
            assertThat(status()).isEqualTo(Status.INCONCLUSIVE);
            assertThat(new Gates(output).records().get(0).measurement().watch().client())
                    .isPresent();
        }
    }

    @Test
    void anAnswerThatIsNotStreamedShowsItsE2eAndNoTtft() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0))) {
            gates(server)
                    .with("latencybudget.options", "stream=false")
                    .run(EndToEnd.class)
                    .testEvents()
                    .assertStatistics(s -> s.succeeded(1));
            GateRecord gate = new Gates(output).records().get(0);
            assertThat(gate.measurement().requests())
                    .allSatisfy(r -> assertThat(r.isWhole()).isTrue());
            assertThat(gate.measurement().warmUp().series().get(0).ttftNanos()).isEmpty();
            assertThat(gate.measurement().warmUp().series().get(0).e2eNanos()).hasSizeGreaterThanOrEqualTo(3);
        }
    }

    @Test
    void aLimitOnTtftIsNotShownByAnAnswerThatIsNotStreamed() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0))) {
            assertThat(gates(server)
                            .with("latencybudget.options", "stream=false")
                            .failure(Lenient.class))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining(
                            "64 completed requests gave a value of TTFT: the answer was not streamed, so only its E2E and its number of tokens are known; have the server stream it, or judge E2E");
            assertThat(status()).isEqualTo(Status.INCONCLUSIVE);
        }
    }

    @Test
    void requestsThatFailMakeItInconclusive() {
        try (ScriptedServer server = ScriptedServer.start(failingOnceWarm(Fault.ERROR_EVENT))) {
            assertThat(gates(server).failure(Lenient.class))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("the server sent an error inside the stream: out of memory (code 500)");
            assertThat(status()).isEqualTo(Status.INCONCLUSIVE);
        }
    }

    /** Case 26. */
    @Test
    void promptsFromACacheMakeItInconclusive() {
        try (ScriptedServer server =
                ScriptedServer.start(new OpenAiScript(0, 0, OptionalInt.of(31), Optional.empty(), 0))) {
            assertThat(gates(server).failure(Lenient.class)).hasMessageContaining("served from a prefix cache");
            assertThat(status()).isEqualTo(Status.INCONCLUSIVE);
        }
    }

    @Test
    void aFaultInTheWarmUpSaysWhatItIs() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0).failing(Fault.TOO_MANY, 0))) {
            assertThat(gates(server).failure(Lenient.class))
                    .isInstanceOf(MeasurementException.class)
                    .hasMessageContaining("429 from " + server.url());
        }
    }

    @Test
    void aServerThatIsNotThereIsNamed() {
        assertThat(new Gates(output).failure(Unreachable.class))
                .isInstanceOf(MeasurementException.class)
                .hasMessageStartingWith("http://localhost:1: nothing listens there (")
                .hasMessageContaining("); start the server, or correct the port in the endpoint's URL");
    }

    @Test
    void valueAndModelAreOneAttribute() {
        new Gates(output)
                .assertRefused(
                        BothNames.class,
                        "@InferenceTarget: `value = openai:http://localhost:1` and `model = synthetic:tiny` are the same attribute; leave one out");
    }

    @Test
    void aKeyIsInNoFileThatIsWritten() throws IOException {
        Path keyFile = Files.writeString(output.resolve("key"), KEY);
        try (ScriptedServer server = ScriptedServer.start(failingOnceWarm(Fault.UNAUTHORISED))) {
            Throwable failure = gates(server)
                    .with("latencybudget.output", output.resolve("out").toString())
                    .with("latencybudget.options", "keyFile=" + keyFile)
                    .failure(Lenient.class);

            assertThat(failure).hasMessageContaining("401 from ").hasMessageNotContaining("canary");
            assertThat(server.requests().get(0).header("authorization")).isEqualTo("Bearer " + KEY);
        }
        try (Stream<Path> files = Files.walk(output.resolve("out"))) {
            assertThat(files.filter(Predicate.not(Files::isDirectory)))
                    .isNotEmpty()
                    .allSatisfy(f -> assertThat(Files.readString(f)).doesNotContain("canary"));
        }
    }

    /** As editors on Windows save it. */
    @Test
    void aKeyFileMayBeginWithAByteOrderMark() throws IOException {
        Path keyFile = Files.writeString(output.resolve("key"), "\uFEFF" + KEY + "\r\n");
        try (ScriptedServer server = ScriptedServer.start(failingOnceWarm(Fault.UNAUTHORISED))) {
            gates(server)
                    .with("latencybudget.output", output.resolve("out").toString())
                    .with("latencybudget.options", "keyFile=" + keyFile)
                    .failure(Lenient.class);

            assertThat(server.requests().get(0).header("authorization")).isEqualTo("Bearer " + KEY);
        }
    }

    @Test
    void aKeyFileInUtf16IsNamed() throws IOException {
        Path keyFile = Files.write(output.resolve("key"), KEY.getBytes(StandardCharsets.UTF_16));

        assertThat(new Gates(output.resolve("out"))
                        .with("latencybudget.options", "keyFile=" + keyFile)
                        .failure(Unreachable.class))
                .isInstanceOf(MeasurementException.class)
                .hasMessage("option keyFile = %s is UTF-16, not UTF-8: save it as UTF-8", keyFile);
    }
}
