package io.github.latencybudget.junit;

import static io.github.latencybudget.junit.GateListenerTest.launch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.github.latencybudget.budget.Confidence;
import io.github.latencybudget.budget.Status;
import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.GateRecord.TestEnding;
import io.github.latencybudget.record.SideEntry;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.scripted.ServedRequest;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.SharedPrompts;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.testkit.engine.EngineExecutionResults;

/** One load on two targets, on a scripted clock where nothing else is said. */
class ComparedGateTest {

    @TempDir
    Path output;

    static Optional<ComparedRuns> given = Optional.empty();

    @LocalAgainstServed(
            local = @InferenceTarget(target = FakeTarget.class, model = "compared:local", options = "ttftMs=100"),
            served = @InferenceTarget(target = FakeTarget.class, model = "compared:served", options = "ttftMs=150"),
            prompts = SharedPrompts.LENGTHS)
    static class Chat {
        @Test
        @LatencyBudget(promptTokens = 64, ttftMs = 200, outputTokens = 8, requests = 100)
        void answers(ComparedRuns runs) {
            given = Optional.of(runs);
        }
    }

    static class ServedBreaches {
        @Test
        @LatencyBudget(promptTokens = 64, ttftMs = 120, outputTokens = 8, requests = 80)
        @LocalAgainstServed(
                local = @InferenceTarget(target = FakeTarget.class, model = "compared:local"),
                served = @InferenceTarget(target = FakeTarget.class, model = "compared:slow", options = "ttftMs=150"),
                prompts = SharedPrompts.LENGTHS)
        void answers() {}
    }

    static class ServedIsNotThere {
        @Test
        @LatencyBudget(promptTokens = 64, ttftMs = 120, outputTokens = 8, requests = 80)
        @LocalAgainstServed(
                local = @InferenceTarget(target = FakeTarget.class, model = "compared:local"),
                served =
                        @InferenceTarget(
                                target = FakeTarget.class,
                                model = "compared:gone",
                                options = "openFails=nothing listens there; start it"),
                prompts = SharedPrompts.LENGTHS)
        void answers() {}
    }

    static class ServedIsNotApplicable {
        @Test
        @LatencyBudget(promptTokens = 64, ttftMs = 120, outputTokens = 8, requests = 80, device = "NVIDIA H200")
        @LocalAgainstServed(
                local =
                        @InferenceTarget(
                                target = FakeTarget.class,
                                model = "compared:h200",
                                options = "deviceName=NVIDIA H200"),
                served = @InferenceTarget(target = FakeTarget.class, model = "compared:served"),
                prompts = SharedPrompts.LENGTHS)
        void answers() {}
    }

    static class LocalBreaksAndServedIsNotApplicable {
        @Test
        @LatencyBudget(promptTokens = 64, ttftMs = 90, outputTokens = 8, requests = 80, device = "NVIDIA H200")
        @LocalAgainstServed(
                local =
                        @InferenceTarget(
                                target = FakeTarget.class,
                                model = "compared:h200",
                                options = "deviceName=NVIDIA H200"),
                served = @InferenceTarget(target = FakeTarget.class, model = "compared:served"),
                prompts = SharedPrompts.LENGTHS)
        void answers() {}
    }

    static class Texts {
        @Test
        @LatencyBudget(promptTokens = 24, ttftMs = 20_000, outputTokens = 8, requests = 64)
        @LocalAgainstServed(local = @InferenceTarget(target = FakeTarget.class, model = "compared:texts"))
        void answers() {}
    }

    @TestMethodOrder(MethodOrderer.MethodName.class)
    static class TextsAfterOthers {
        @Test
        @LatencyBudget(promptTokens = 16, ttftMs = 20_000, outputTokens = 8, requests = 64)
        @LatencyBudget(promptTokens = 24, ttftMs = 20_000, outputTokens = 8, requests = 64)
        void a() {}

        @Test
        @LatencyBudget(promptTokens = 24, ttftMs = 20_000, outputTokens = 8, requests = 64)
        @LocalAgainstServed(
                local =
                        @InferenceTarget(
                                target = FakeTarget.class,
                                model = "compared:texts-after",
                                options = "ttftMs=90"))
        void b() {}
    }

    static class WithoutTexts {
        @Test
        @LatencyBudget(promptTokens = 64, ttftMs = 200, outputTokens = 8)
        @LocalAgainstServed(
                local = @InferenceTarget(target = FakeTarget.class, model = "compared:local"),
                served = @InferenceTarget(target = FakeTarget.class, model = "compared:no-texts"))
        void answers() {}
    }

    static class ServedIsLocal {
        @Test
        @LatencyBudget(promptTokens = 64, ttftMs = 200, outputTokens = 8)
        @LocalAgainstServed(served = @InferenceTarget("models/tiny?proxy=http://user:canary@proxy"))
        void answers() {}
    }

    static class LocalIsServed {
        @Test
        @LatencyBudget(promptTokens = 64, ttftMs = 200, outputTokens = 8)
        @LocalAgainstServed(
                local = @InferenceTarget("openai:http://localhost:1/v1?header.X-Api-Key=canary"),
                served = @InferenceTarget("openai:http://localhost:2"))
        void answers() {}
    }

    static class OtherSeeds {
        @Test
        @LatencyBudget(promptTokens = 64, ttftMs = 200, outputTokens = 8)
        @LocalAgainstServed(
                local = @InferenceTarget(seed = "1"),
                served = @InferenceTarget(value = "openai:http://localhost:2", seed = "2"))
        void answers() {}
    }

    static class WithBaseline {
        @Test
        @LatencyBudget(promptTokens = 64, ttftMs = 200, outputTokens = 8)
        @LocalAgainstServed(served = @InferenceTarget("openai:http://localhost:2"))
        @ComparedWithBaseline
        void answers() {}
    }

    static class OfAFile {
        @Test
        @LatencyBudget(itlP95Ms = 50, outputTokens = 8)
        @PromptWorkload(file = "prompts/mixed.jsonl")
        @LocalAgainstServed(served = @InferenceTarget("openai:http://localhost:2"))
        void answers() {}
    }

    static class OfASweep {
        @Test
        @LatencyBudget(promptTokens = 64, itlP95Ms = 50, outputTokens = 8)
        @LoadSweep(concurrency = {1, 2})
        @LocalAgainstServed(served = @InferenceTarget("openai:http://localhost:2"))
        void answers() {}
    }

    static class ThirdTarget {
        @Test
        @LatencyBudget(promptTokens = 64, ttftMs = 200, outputTokens = 8)
        @InferenceTarget("synthetic:tiny")
        @LocalAgainstServed(served = @InferenceTarget("openai:http://localhost:2"))
        void answers() {}
    }

    static class WithoutBudget {
        @Test
        @LocalAgainstServed(served = @InferenceTarget("openai:http://localhost:2"))
        void answers() {}
    }

    static class AsksForOne {
        @Test
        @LatencyBudget(promptTokens = 64, ttftMs = 200, outputTokens = 8, requests = 80)
        @LocalAgainstServed(
                local = @InferenceTarget(target = FakeTarget.class, model = "compared:local"),
                served = @InferenceTarget(target = FakeTarget.class, model = "compared:served"),
                prompts = SharedPrompts.LENGTHS)
        void answers(Measurement run) {}
    }

    @InferenceTarget(target = FakeTarget.class, model = "compared:local")
    static class AsksForBoth {
        @Test
        @LatencyBudget(promptTokens = 64, ttftMs = 200, outputTokens = 8, requests = 80)
        void answers(ComparedRuns runs) {}
    }

    private Gates gates() {
        return new Gates(output);
    }

    private List<GateRecord> records() {
        return gates().records();
    }

    @Test
    void eachRunHasARecordAndIsJudgedByTheSameBudget() {
        gates().run(Chat.class).testEvents().assertStatistics(s -> s.succeeded(1));

        assertThat(records())
                .extracting(
                        r -> r.gate().methodName(),
                        GateRecord::displayName,
                        r -> r.judgement().status(),
                        r -> r.measurement().model(),
                        r -> r.measurement().requests().size())
                .containsExactly(
                        tuple(
                                "answers(ComparedRuns) [local]",
                                "answers(ComparedRuns) [local]",
                                Status.PASS,
                                "compared:local",
                                100),
                        tuple(
                                "answers(ComparedRuns) [served]",
                                "answers(ComparedRuns) [served]",
                                Status.PASS,
                                "compared:served",
                                100));
        String load = Chat.class.getName() + "#answers(ComparedRuns)";
        assertThat(records())
                .extracting(GateRecord::side)
                .containsExactly(
                        new SideEntry(load, "local", 0, SharedPrompts.LENGTHS, true),
                        new SideEntry(load, "served", 1, SharedPrompts.LENGTHS, true));
    }

    @Test
    void theBodyHasBothRuns() {
        gates().run(Chat.class);

        ComparedRuns runs = given.orElseThrow();
        assertThat(runs.local().conditions().model()).isEqualTo("compared:local");
        assertThat(runs.sideBySide(Confidence.DEFAULT).ratios().get(0).ratio().getAsDouble())
                .isCloseTo(1.5, within(1e-9));
    }

    @Test
    void aBreachOfOneFailsTheTestAndNamesTheRun() {
        assertThat(gates().failure(ServedBreaches.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("[served] [compared:slow ")
                .hasMessageContaining("BREACH  TTFT P95 at most 120.0 ms for prompts of 64 tokens: observed 150.0 ms");
        assertThat(records()).extracting(r -> r.judgement().status()).containsExactly(Status.PASS, Status.BREACH);
    }

    @Test
    void whatWasMeasuredIsJudgedWhereTheOtherCannotBe() {
        assertThat(gates().failure(ServedIsNotThere.class))
                .isInstanceOf(MeasurementException.class)
                .hasMessage("nothing listens there; start it");
        assertThat(records())
                .extracting(
                        GateRecord::state,
                        GateRecord::error,
                        r -> Optional.ofNullable(r.judgement())
                                .map(j -> j.status())
                                .orElse(null))
                .containsExactly(
                        tuple(GateRecord.State.ENDED, null, Status.PASS),
                        tuple(GateRecord.State.ENDED, "nothing listens there; start it", null));
    }

    @Test
    void whereTheOtherIsNotApplicableTheTestDidNotFail() {
        gates().run(ServedIsNotApplicable.class).testEvents().assertStatistics(s -> s.aborted(1));

        assertThat(records())
                .extracting(
                        GateRecord::state,
                        r -> Optional.ofNullable(r.test())
                                .map(TestEnding::status)
                                .orElse(null))
                .containsExactly(
                        tuple(GateRecord.State.ENDED, TestEnding.Status.ABORTED),
                        tuple(GateRecord.State.NOT_APPLICABLE, null));
    }

    @Test
    void aBreachIsNotHiddenByTheOtherThatIsNotApplicable() {
        EngineExecutionResults results = gates().run(LocalBreaksAndServedIsNotApplicable.class);

        results.testEvents().assertStatistics(s -> s.failed(1));
        assertThat(Gates.failure(results)).hasMessageContaining("BREACH  TTFT P95 at most 90.0 ms");
    }

    static class FirstBreaks {
        @Test
        @LatencyBudget(promptTokens = 64, ttftMs = 120, outputTokens = 8, requests = 80)
        @LocalAgainstServed(
                local =
                        @InferenceTarget(
                                target = FakeTarget.class,
                                model = "compared:gone",
                                options = "openFails=gone"),
                served = @InferenceTarget(target = FakeTarget.class, model = "compared:served"),
                prompts = SharedPrompts.LENGTHS)
        void answers() {}

        @Test
        @Disabled("not today")
        @LatencyBudget(promptTokens = 64, ttftMs = 120, outputTokens = 8, requests = 80)
        @LocalAgainstServed(served = @InferenceTarget("openai:http://localhost:1"))
        void skipped() {}
    }

    /** None of the two is missing from a report. */
    @Test
    void bothArePlannedAndEndWhereTheTestDoes() {
        launch(output, FirstBreaks.class);

        assertThat(records())
                .extracting(r -> r.gate().methodName(), GateRecord::state, GateRecord::error, GateRecord::skipReason)
                .containsExactlyInAnyOrder(
                        tuple("answers() [local]", GateRecord.State.ENDED, "gone", null),
                        tuple(
                                "answers() [served]",
                                GateRecord.State.ENDED,
                                "the test failed before its measurement by io.github.latencybudget.inference.MeasurementException",
                                null),
                        tuple("skipped() [local]", GateRecord.State.SKIPPED, null, "not today"),
                        tuple("skipped() [served]", GateRecord.State.SKIPPED, null, "not today"));
    }

    /** Request by request, whatever the warm-ups took. */
    @Test
    void theLocalTargetIsGivenTheTextsThatTheServedOneIsSent() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0).caching(0))) {
            gates().with("latencybudget.served.model", "openai:" + server.url())
                    .with("latencybudget.served.options", "api=completions")
                    .with("latencybudget.options", "ttftMs=90")
                    .with("latencybudget.guards.max-drift", "off")
                    .run(Texts.class)
                    .testEvents()
                    .assertStatistics(s -> s.succeeded(1));

            assertThat(textsOf("compared:texts")).hasSize(64).isEqualTo(lastPrompts(server, 64));
            assertThat(records().get(0).measurement().settings())
                    .containsEntry("prompts", "the texts of the other target");
            assertThat(records().get(0).side().prompts()).isEqualTo(SharedPrompts.TEXTS);
        }
    }

    /** Of prompts of two lengths, every other one of the second length was sent. */
    @Test
    void theTextsAreTheSameWhereAGateBeforeWasSentSomeOfThem() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0).caching(0))) {
            gates().with("latencybudget.model", "openai:" + server.url())
                    .with("latencybudget.options", "api=completions")
                    .with("latencybudget.served.model", "openai:" + server.url())
                    .with("latencybudget.served.options", "api=completions")
                    .with("latencybudget.guards.max-drift", "off")
                    .run(TextsAfterOthers.class);

            assertThat(textsOf("compared:texts-after")).hasSize(64).isEqualTo(lastPrompts(server, 64));
        }
    }

    private static Set<String> textsOf(String model) {
        return FakeTarget.TEXTS.get(model).entrySet().stream()
                .filter(e -> e.getKey() >= 500_000)
                .map(e -> e.getValue())
                .collect(Collectors.toSet());
    }

    private static Set<String> lastPrompts(ScriptedServer server, int requests) {
        List<ServedRequest> asked = server.requests();
        return asked.subList(asked.size() - requests, asked.size()).stream()
                .map(r -> prompt(r.body()))
                .collect(Collectors.toSet());
    }

    private static String prompt(String body) {
        Matcher matcher = Pattern.compile("\"prompt\":\"([^\"]*)\"").matcher(body);
        return matcher.find() ? matcher.group(1) : "";
    }

    @Test
    void aTargetWithoutTextsSaysWhatToDo() {
        assertThat(gates().failure(WithoutTexts.class))
                .isInstanceOf(MeasurementException.class)
                .hasMessage(
                        "the prompts of compared:no-texts are no texts, so no other target can have the same: let both have prompts of their own, of the same lengths");
    }

    @Test
    void targetsThatCannotBeMeantAreRefused() {
        gates().assertRefused(
                        ServedIsLocal.class,
                        "@LocalAgainstServed on ServedIsLocal.answers: `served = models/tiny` is not allowed; it is the target behind an endpoint; name it as @InferenceTarget(\"openai:...\"), or by latencybudget.served.model");
        gates().assertRefused(
                        LocalIsServed.class,
                        "@LocalAgainstServed on LocalIsServed.answers: `local = openai:http://localhost:1/v1` is not allowed; it is the target in this process; name a folder or synthetic: and a shape");
        assertThat(gates().failure(OtherSeeds.class))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessageStartingWith(
                        "@LocalAgainstServed on OtherSeeds.answers: `served = @InferenceTarget(seed = \"2\")` is not allowed; both targets have one load");
        gates().assertRefused(
                        WithBaseline.class,
                        "@LocalAgainstServed on WithBaseline.answers: a gate with @ComparedWithBaseline has one run, and this has two; put the baseline on a test of its own");
        gates().assertRefused(
                        ThirdTarget.class,
                        "@LocalAgainstServed on ThirdTarget.answers: @InferenceTarget beside it names a third target; leave one of the two out");
        gates().assertRefused(
                        OfAFile.class,
                        "@LocalAgainstServed on OfAFile.answers: prompts of a file have lengths of their own, so no factor could be given; name prompt lengths, and leave the file to a test of its own");
        gates().assertRefused(
                        OfASweep.class,
                        "@LocalAgainstServed on OfASweep.answers: a sweep has several loads, and a factor is of one; name one load, and leave the sweep to a test of its own");
        gates().assertRefused(
                        WithoutBudget.class,
                        "@LocalAgainstServed on WithoutBudget.answers: there is no budget, so nothing is measured; add @LatencyBudget or another budget");
    }

    @Test
    void theParameterIsOfAsManyRunsAsThereAre() {
        assertThat(gates().failure(AsksForOne.class))
                .hasMessageContaining("a gate with @LocalAgainstServed has two runs: ask for ComparedRuns");
        assertThat(gates().failure(AsksForBoth.class))
                .hasMessageContaining("a gate without @LocalAgainstServed has one run: ask for a Measurement");
    }
}
