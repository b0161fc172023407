package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectFile;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectUniqueId;

import io.github.latencybudget.budget.Status;
import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.record.GateId;
import io.github.latencybudget.record.GateRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

class PolicyTestEngineTest {

    private static final String FAKE = """
            version: 1
            name: chat
            targets:
              fake: {type: %s, model: "%s", options: {ttftMs: 100, itlMs: %s, memoryGiB: 1}}
            scenario: {promptTokens: [8, 16], outputTokens: 3}
            rules:
              ttft: {metric: ttft, promptTokens: {atMost: 16}, atMostMs: 100, tags: [fast]}
              itl-p95: {metric: itl, atMostMs: 50, tags: [slow], waiverPlan: KV cache}
              decode-tgs:
                metric: decode-tgs
                atLeastTokensPerSecond: 10
                conditions: {promptTokens: [8, 16], sampling: {temperature: 0, topP: 1}, concurrency: 1, maxDeviceMemoryGiB: 2}
            """;

    @TempDir
    Path folder;

    private Gates gates;

    @BeforeEach
    void setUp() {
        FakeTarget.OPENED.clear();
        gates = new Gates(folder.resolve("out"));
    }

    private static String policy(String model, int itlMs) {
        return FAKE.formatted(FakeTarget.class.getName(), model, itlMs);
    }

    private Path write(String text) throws IOException {
        return Files.writeString(folder.resolve("chat.yaml"), text);
    }

    private EngineTestKit.Builder kit(DiscoverySelector... selectors) {
        return EngineTestKit.engine(PolicyTestEngine.ID)
                .configurationParameter("latencybudget.device.locks", Gates.LOCKS)
                .configurationParameters(
                        Map.of("latencybudget.output", folder.resolve("out").toString(), "latencybudget.run", "test"))
                .selectors(selectors);
    }

    private EngineExecutionResults run(String text) throws IOException {
        return kit(selectFile(write(text).toFile())).execute();
    }

    private static List<String> names(EngineExecutionResults results) {
        return results.testEvents().started().stream()
                .map(e -> e.getTestDescriptor().getDisplayName())
                .toList();
    }

    @Test
    void aTargetIsMeasuredOnceAndEachRuleIsATest() throws IOException {
        EngineExecutionResults results = run(policy("fake:once", 10));

        results.testEvents().assertStatistics(s -> s.started(3).succeeded(3));
        assertThat(names(results))
                .containsExactly(
                        "ttft: TTFT P95 at most 100.0 ms for prompts of 1 to 16 tokens",
                        "itl-p95: ITL P95 at most 50.0 ms",
                        "decode-tgs: decode TGS of 95% of requests at least 10.0 tokens/s (prompts of 8 and 16 tokens, greedy, concurrency 1, within 2.0 GiB of device memory)");
        assertThat(FakeTarget.OPENED.get("fake:once")).hasValue(1);
        assertThat(gates.records()).hasSize(1);
        GateRecord record = gates.records().get(0);
        assertThat(record.gate().toString()).endsWith("chat.yaml#fake");
        assertThat(record.displayName()).isEqualTo("chat: fake");
        assertThat(record.judgement().status()).isEqualTo(Status.PASS);
        assertThat(record.judgement().rules()).hasSize(3);
    }

    @Test
    void aBrokenRuleFailsByItselfWithItsOwnVerdictAndWhatItTakes() throws IOException {
        EngineExecutionResults results = run(policy("fake", 60));

        results.testEvents().assertStatistics(s -> s.succeeded(2).failed(1));
        assertThat(Gates.failure(results))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith(
                        "[rule itl-p95 may be broken only with a waiver that names a KV cache remediation plan: owner, reason, plan, remediation (its link), expires]")
                .hasMessageContaining("BREACH  ITL P95 at most 50.0 ms: observed 60.0 ms, 10.0 ms (20.0%) over")
                .hasMessageNotContaining("TTFT")
                .hasMessageContaining("evidence: ");
    }

    @Test
    void aWaivedBreachPassesTheBuildAndIsRecordedAsWaived() throws IOException {
        EngineExecutionResults results = run(policy("fake", 60) + """
                waivers:
                  - rules: itl-p95
                    owner: inference team
                    reason: the cache is copied as it grows
                    plan: KV-cache paging
                    remediation: https://tracker.example.com/KV-12
                    expires: 2999-12-31
                    upToMs: 80
                """);

        results.testEvents().assertStatistics(s -> s.succeeded(3));
        assertThat(gates.records().get(0).judgement().status()).isEqualTo(Status.WAIVED);
    }

    @Test
    void idsStayTheSameAndSelectOneRule() throws IOException {
        EngineExecutionResults all = run(policy("fake", 10));
        Event second = all.testEvents().started().stream().toList().get(1);
        String id = second.getTestDescriptor().getUniqueId().toString();

        assertThat(id).startsWith("[engine:latency-budget]/[policy:").endsWith("/[target:fake]/[rule:itl-p95]");
        EngineExecutionResults again = kit(selectUniqueId(id)).execute();
        assertThat(names(again)).containsExactly("itl-p95: ITL P95 at most 50.0 ms");
        assertThat(gates.records())
                .extracting(r -> r.attempt(), r -> r.judgement().rules().size())
                .containsExactly(org.assertj.core.groups.Tuple.tuple(1, 3), org.assertj.core.groups.Tuple.tuple(2, 1));
    }

    @Test
    void tagsSelectRulesAndOnlyThoseAreDecided() throws IOException {
        EngineExecutionResults results = kit(selectFile(
                        write(policy("fake", 60)).toFile()))
                .configurationParameter("latencybudget.run", "test")
                .filters(TagFilter.excludeTags("slow"))
                .execute();

        results.testEvents().assertStatistics(s -> s.started(2).succeeded(2));
        assertThat(gates.records().get(0).judgement().rules()).hasSize(2);
        assertThat(gates.records().get(0).test())
                .isEqualTo(new GateRecord.TestEnding(GateRecord.TestEnding.Status.PARTLY_SELECTED, null));
    }

    @Test
    void aPolicyThatCannotBeReadIsATestThatFails() throws IOException {
        EngineExecutionResults results = run(policy("fake", 10).replace("atMostMs: 50", "atMostMS: 50"));

        results.testEvents().assertStatistics(s -> s.started(1).failed(1));
        assertThat(Gates.failure(results))
                .hasMessageEndingWith(
                        "chat.yaml:8:26: `rules.itl-p95.atMostMS` is not known; did you mean `atMostMs`? a rule about itl has `metric`, `tags`, `targets`, `device`, `waiverPlan`, `promptTokens`, `statistic`, `percentile`, `atMostMs`");
    }

    @Test
    void whatKeepsATargetFromBeingMeasuredFailsEachRule() throws IOException {
        EngineExecutionResults results =
                run(policy("fake", 10).replace("options: {", "options: {openFails: \"no model: say where\", "));

        results.testEvents().assertStatistics(s -> s.started(3).failed(3));
        assertThat(Gates.failures(results)).allMatch(t -> t.getMessage().equals("no model: say where"));
        assertThat(gates.records().get(0).error()).isEqualTo("no model: say where");
    }

    @Test
    void aTypeThatIsNoTargetIsNamed() throws IOException {
        EngineExecutionResults results =
                run(policy("fake", 10).replace(FakeTarget.class.getName(), "java.lang.String"));

        results.testEvents().assertStatistics(s -> s.failed(3));
        assertThat(Gates.failure(results))
                .hasMessageContaining("target `fake`: `type = java.lang.String` is not allowed");
    }

    /** What the documentation shows, on a target whose times are known. */
    @Test
    void theExampleOfTheDocumentationRuns() throws IOException {
        String page = Files.readString(Path.of("../docs/policy.md"));
        int start = page.indexOf("```yaml\n", page.indexOf("## Everything that there is")) + "```yaml\n".length();
        String example = page.substring(start, page.indexOf("```", start))
                .replace("{threads: 2}", "{itlMs: 60, memoryGiB: 1}")
                .replace("synthetic:tiny", "fake\n    type: " + FakeTarget.class.getName());
        EngineExecutionResults results = run(example);

        results.testEvents().assertStatistics(s -> s.started(5).succeeded(5));
        assertThat(gates.records().get(0).judgement().rules())
                .extracting(r -> r.status())
                .containsExactly(Status.PASS, Status.PASS, Status.WAIVED, Status.PASS, Status.PASS);
    }

    @Test
    void aRuleForAnotherDeviceIsNotJudged() throws IOException {
        String bound = policy("fake", 60).replace("atMostMs: 50", "device: NVIDIA H200, atMostMs: 50");
        EngineExecutionResults results = run(bound);

        results.testEvents().assertStatistics(s -> s.succeeded(2).aborted(1));
        assertThat(gates.records().get(0).judgement().rules()).hasSize(2);
        assertThat(gates.records().get(0).test())
                .isEqualTo(new GateRecord.TestEnding(GateRecord.TestEnding.Status.PARTLY_APPLICABLE, null));
        EngineExecutionResults here = run(bound.replace("NVIDIA H200", "[NVIDIA H200, Fake Device]"));
        here.testEvents().assertStatistics(s -> s.succeeded(2).failed(1));
    }

    @Test
    void whereNoRuleIsAboutTheDeviceNothingIsMeasured() throws IOException {
        EngineExecutionResults results = run("""
                version: 1
                targets: {fake: {type: %s, model: fake}}
                scenario: {promptTokens: 8, outputTokens: 3}
                rules: {itl: {metric: itl, atMostMs: 50, device: NVIDIA H200}}
                """.formatted(FakeTarget.class.getName()));

        results.testEvents().assertStatistics(s -> s.aborted(1));
        assertThat(gates.records().get(0).judgement()).isNull();
        assertThat(gates.records().get(0).state()).isEqualTo(GateRecord.State.NOT_APPLICABLE);
    }

    @Test
    void aTargetOnAGpuIsSkippedOrRequired() throws IOException {
        String onAGpu = policy("fake", 10).replace("options: {", "device: \"cuda:0\", options: {");
        EngineExecutionResults skipped = kit(selectFile(write(onAGpu).toFile()))
                .configurationParameter("latencybudget.gpu", "off")
                .execute();
        EngineExecutionResults required = kit(selectFile(write(onAGpu.replace("device:", "gpu: required, device:"))
                        .toFile()))
                .configurationParameter("latencybudget.gpu", "off")
                .execute();

        skipped.testEvents().assertStatistics(s -> s.started(0));
        skipped.containerEvents().assertStatistics(s -> s.skipped(1));
        required.testEvents().assertStatistics(s -> s.started(3));
    }

    @Test
    void aTargetIsAGateInASuiteToo() {
        String policy = "[engine:latency-budget]/[policy:latency-budget.yaml]/[target:fake]";
        GateId gate = new GateId("latency-budget.yaml", "fake");

        assertThat(TargetDescriptor.gate(UniqueId.parse(policy))).contains(gate);
        assertThat(TargetDescriptor.gate(UniqueId.parse("[engine:junit-platform-suite]/[suite:Sla]/" + policy)))
                .contains(gate);
        assertThat(TargetDescriptor.gate(UniqueId.parse("[engine:junit-jupiter]/[class:Sla]/[target:fake]")))
                .isEmpty();
    }
}
