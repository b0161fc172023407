package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectFile;

import io.github.latencybudget.budget.Status;
import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.record.SideEntry;
import io.github.latencybudget.report.Report;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.trace.SharedPrompts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

/** A policy over an endpoint. The limits are far from the schedule, since time is real here. */
class PolicyEndpointTest {

    private static final String POLICY = """
            version: 1
            name: served chat
            targets:
              server: {model: "openai:%s", options: {api: completions}}
            scenario: {promptTokens: [32], outputTokens: 8, requests: 64}
            rules:
              ttft: {metric: ttft, promptTokens: {atMost: 32}, atMostMs: %s}
              icl-p95: {metric: icl, atMostMs: 20000}
            """;

    @TempDir
    Path folder;

    private EngineExecutionResults run(String policy) throws IOException {
        Path file = Files.writeString(folder.resolve("served.yaml"), policy);
        return EngineTestKit.engine(PolicyTestEngine.ID)
                .configurationParameter("latencybudget.device.locks", Gates.LOCKS)
                .configurationParameters(Map.of(
                        "latencybudget.output",
                        folder.resolve("out").toString(),
                        "latencybudget.run",
                        "test",
                        "latencybudget.guards.max-drift",
                        "off",
                        "latencybudget.guards.max-client-error-share",
                        "off"))
                .selectors(selectFile(file.toFile()))
                .execute();
    }

    private GateRecord record(int index) {
        return new Gates(folder.resolve("out")).records().get(index);
    }

    @Test
    void itsRulesAreJudgedOnTheServersStreams() throws IOException {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0).caching(0))) {
            run(POLICY.formatted(server.url(), 20_000))
                    .testEvents()
                    .assertStatistics(s -> s.started(2).succeeded(2));

            assertThat(record(0).judgement().status()).isEqualTo(Status.PASS);
            assertThat(record(0).measurement().model()).isEqualTo("scripted");
            assertThat(record(0).measurement().settings()).containsEntry("api", "completions");
            assertThat(record(0).measurement().requests())
                    .allSatisfy(r -> assertThat(r.exchange().tokenSource()).isEqualTo("usage"));
            assertThat(record(0).side()).as("there is nothing to put beside it").isNull();
            assertThat(server.requests()).anyMatch(r -> r.path().equals("/v1/completions"));
        }
    }

    @Test
    void aBrokenRuleFailsByItself() throws IOException {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0).caching(0))) {
            EngineExecutionResults results = run(POLICY.formatted(server.url(), 0.001));

            results.testEvents().assertStatistics(s -> s.succeeded(1).failed(1));
            assertThat(Gates.failure(results))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("BREACH  TTFT");
        }
    }

    @Test
    void aServerThatIsNotThereFailsEachRule() throws IOException {
        EngineExecutionResults results = run(POLICY.formatted("http://localhost:1/v1?model=m", 20_000));

        results.testEvents().assertStatistics(s -> s.failed(2));
        assertThat(Gates.failures(results))
                .allSatisfy(t -> assertThat(t)
                        .isInstanceOf(MeasurementException.class)
                        .hasMessageContaining("http://localhost:1: nothing listens there ("));
    }

    @Test
    void severalTargetsStandSideBySideInTheReport() throws IOException {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0).caching(0))) {
            run(POLICY.formatted(server.url(), 20_000).replace("targets:\n", """
                                    targets:
                                      fake: {type: %s, model: "policy:beside"}
                                    """.formatted(FakeTarget.class.getName())))
                    .testEvents()
                    .assertStatistics(s -> s.succeeded(4));

            assertThat(record(0).side())
                    .isEqualTo(new SideEntry(record(0).gate().className(), "fake", 0, SharedPrompts.LENGTHS, false));
            assertThat(record(1).side())
                    .extracting(SideEntry::name, SideEntry::order)
                    .isEqualTo(tuple("server", 1).toList());
            Report.write(
                    new RecordStore(folder.resolve("out").resolve("records"), "test", Clock.systemUTC()),
                    folder.resolve("out"));
            assertThat(Files.readString(folder.resolve("out").resolve("summary.md")))
                    .contains("### served: fake beside server")
                    .contains("other prompts of the same lengths, each by its own target's count")
                    .contains("no bounds: the runs ended once their rules were decided");
        }
    }
}
