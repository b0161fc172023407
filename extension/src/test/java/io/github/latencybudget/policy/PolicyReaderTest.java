package io.github.latencybudget.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.load.Prompts;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.prompts.PromptFileException;
import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.PromptShares;
import io.github.latencybudget.trace.ThinkTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PolicyReaderTest {

    private static final String TEAM = """
            version: 1
            extends: team-sla
            targets: {tiny: {model: "synthetic:tiny"}}
            """;

    private static final String CONDITIONS =
            "{promptTokens: [8, 16], sampling: {temperature: 0, topP: 1}, concurrency: 1, maxDeviceMemoryGiB: 2}";

    @TempDir
    Path folder;

    private Policy read(String text) throws IOException {
        return Policy.read(PolicySource.file(Files.writeString(folder.resolve("chat.yaml"), text)));
    }

    @Test
    void theTeamsRulesTakeATargetAndNothingElse() throws IOException {
        Policy policy = read(TEAM);

        assertThat(policy.name()).isEqualTo("chat");
        assertThat(policy.rules())
                .extracting(r -> r.id() + ": " + r.rule().text())
                .containsExactly(
                        "ttft-short: TTFT P95 at most 300.0 ms for prompts of 1 to 128 tokens",
                        "ttft-medium: TTFT P95 at most 450.0 ms for prompts of 129 to 512 tokens",
                        "ttft-long: TTFT P95 at most 800.0 ms for prompts of above 512 tokens",
                        "itl-p95: ITL P95 at most 50.0 ms",
                        "decode-tgs: decode TGS of 95% of requests at least 20.0 tokens/s (prompts of 128 and 512 and 1024 tokens, greedy, concurrency 1, within 80.0 GiB of device memory)");
        assertThat(policy.scenario().promptTokens()).containsExactly(128, 512, 1024);
        assertThat(policy.rules().get(3).hint())
                .hasValue(
                        "rule itl-p95 may be broken only with a waiver that names a KV-cache remediation plan: owner, reason, plan, remediation (its link), expires");
    }

    @Test
    void whatIsCloserWins() throws IOException {
        Policy policy = read(TEAM + """
                confidence: 0.9
                scenario: {outputTokens: 8}
                rules:
                  ttft-short: {metric: ttft, promptTokens: 128, percentile: 99, atMostMs: 250.5}
                """);

        assertThat(policy.confidence().level()).isEqualTo(0.9);
        assertThat(policy.scenario().outputTokens()).isEqualTo(8);
        assertThat(policy.scenario().promptTokens()).isEqualTo(new TreeSet<>(List.of(128, 512, 1024)));
        assertThat(policy.rules()).hasSize(5);
        assertThat(policy.rules().get(0).rule())
                .isEqualTo(LatencyRule.ttft(PromptLength.exactly(128), Percentile.P99, Duration.ofNanos(250_500_000)));
    }

    @Test
    void aScenarioMayBeAnOpenLoopWithTheSeedOfItsTarget() throws IOException {
        String open = """
                version: 1
                targets: {tiny: {}}
                scenario: {promptTokens: 8, openLoop: %s}
                rules: {a: {metric: itl, atMostMs: 1}}
                """;

        assertThat(read(open.formatted("{requestsPerSecond: 2.5}"))
                        .scenario()
                        .withSeed(42)
                        .load())
                .isEqualTo(new Load.Open(new Arrivals.Poisson(2.5, 42), OptionalInt.empty(), 100));
        assertThat(read(open.formatted("{requestsPerSecond: 5, arrivals: constant, maxInFlight: 8, maxQueued: 0}"))
                        .scenario()
                        .withSeed(42)
                        .load())
                .isEqualTo(new Load.Open(new Arrivals.Constant(5), OptionalInt.of(8), 0));
        assertThat(read(open.formatted(
                                "{requestsPerSecond: 0, arrivals: ramp, toRequestsPerSecond: 20, rampSeconds: 1.5}"))
                        .scenario()
                        .withSeed(42)
                        .load())
                .isEqualTo(new Load.Open(new Arrivals.Ramp(0, 20, Duration.ofMillis(1500)), OptionalInt.empty(), 100));
    }

    @Test
    void aReadyPolicyMayExtendAnother() throws IOException {
        Policy policy = read(TEAM.replace("team-sla", "of-two-layers"));

        assertThat(policy.rules())
                .extracting(PolicyRule::id)
                .containsExactly("ttft-short", "ttft-medium", "itl-p95", "decode-tgs");
        assertThat(policy.scenario().concurrency()).isEqualTo(2);
    }

    @Test
    void aTargetSaysWhatTheAnnotationSays() throws IOException {
        Policy policy = read("""
                version: 1
                extends: team-sla
                targets:
                  h200:
                    type: com.example.MyTarget
                    model: /models/Llama-2-7b
                    device: cuda:0
                    dtype: fp16
                    seed: 7
                    options: {threads: 2, jitOptimizer: "on"}
                    gpu: required
                """);

        PolicyTarget target = policy.targets().get(0);
        assertThat(target)
                .isEqualTo(new PolicyTarget(
                        "h200",
                        Optional.of("com.example.MyTarget"),
                        "/models/Llama-2-7b",
                        "cuda:0",
                        "fp16",
                        "7",
                        List.of("threads=2", "jitOptimizer=on"),
                        Optional.of(true),
                        target.position()));
        assertThat(target.position().line()).isEqualTo(5);
    }

    @Test
    void everyKindOfRuleCanBeWrittenDown() throws IOException {
        Policy policy = read("""
                version: 1
                targets: {one: {device: cpu}}
                scenario: {promptTokens: [8, 16]}
                rules:
                  a: {metric: ttfo, promptTokens: 8, atMostMs: 500}
                  b: {metric: icl, statistic: mean, atMostMs: 20}
                  c: {metric: request-itl, ofGaps: 99, atMostMs: 80}
                  d: {metric: request-tgs, atLeastTokensPerSecond: 9, conditions: %1$s}
                  e: {metric: system-tgs, atLeastTokensPerSecond: 30, conditions: %1$s}
                  f: {metric: goodput, promptTokens: 8, ttftMs: 500, itlMs: 50, atLeastShare: 0.95}
                  g: {metric: fluidity, promptTokens: {atLeast: 9}, ttftMs: 500, itlMs: 50, atLeastShare: 0.9}
                  h: {metric: failure-share, atMostShare: 0.01}
                  i: {metric: device-memory, atMostGiB: 24}
                  j: {metric: drift, of: tpot, promptTokens: 16, atMostShare: 0.1}
                """.formatted(CONDITIONS));

        assertThat(policy.rules())
                .extracting(r -> r.rule().text())
                .containsExactly(
                        "TTFO P95 at most 500.0 ms for prompts of 8 tokens",
                        "mean ICL at most 20.0 ms",
                        "P95 of request ITL P99s at most 80.0 ms",
                        "request TGS of 95% of requests at least 9.0 tokens/s (prompts of 8 and 16 tokens, greedy, concurrency 1, within 2.0 GiB of device memory)",
                        "system TGS at least 30.0 tokens/s (prompts of 8 and 16 tokens, greedy, concurrency 1, within 2.0 GiB of device memory)",
                        "goodput at least 95.0% of requests (TTFT at most 500.0 ms for prompts of 8 tokens, ITL at most 50.0 ms for prompts of 8 tokens)",
                        "fluidity at least 90.0% for prompts of above 8 tokens (TTFT 500.0 ms, ITL 50.0 ms)",
                        "failure share at most 1.0%",
                        "peak device memory at most 24.0 GiB",
                        "TPOT drift at most 10.0% for prompts of 16 tokens");
    }

    @Test
    void aScenarioMayDrawItsLengths() throws IOException {
        Policy policy = read("""
                version: 1
                targets: {one: {device: cpu}}
                scenario: {promptTokens: {8: 3, 16: 1}, requests: 400}
                rules:
                  ttft: {metric: ttft, promptTokens: 16, atMostMs: 500}
                  rate: {metric: decode-tgs, atLeastTokensPerSecond: 9, conditions: %s}
                """.formatted(CONDITIONS.replace("[8, 16]", "{16: 2, 8: 6}")));

        assertThat(policy.scenario().withSeed(7).prompts())
                .isEqualTo(new Prompts.Drawn(new PromptShares(new TreeMap<>(Map.of(8, 3, 16, 1))), 7));
        assertThat(policy.scenario().withSeed(7).requests()).isEqualTo(400);
        assertThat(policy.rules().get(1).rule().text()).contains("(prompts of 8 and 16 tokens drawn 3:1, greedy");
    }

    @Test
    void usersMayThink() throws IOException {
        Policy policy = read("""
                version: 1
                targets: {one: {device: cpu}}
                scenario: {promptTokens: 8, thinkMs: 500, think: exponential}
                rules: {itl: {metric: itl, atMostMs: 500}}
                """);

        assertThat(policy.scenario().withSeed(7).thinkTime())
                .hasValue(new ThinkTime(ThinkTime.Distribution.EXPONENTIAL, Duration.ofMillis(500), 7));
    }

    @Test
    void promptsMayComeFromAFile() throws IOException {
        Policy policy = read("""
                version: 1
                targets: {one: {device: cpu}}
                scenario: {prompts: prompts/mixed.jsonl, requests: 40}
                rules:
                  ttft: {metric: ttft, promptTokens: {atMost: 512}, atMostMs: 500}
                """);

        assertThat(policy.scenario().withSeed(7).prompts())
                .hasToString(
                        "file prompts/mixed.jsonl, sha256 6e4be9c5b674, 120 conversations of 1 turn, 55 of them repeated");
        assertThat(policy.scenario().withSeed(7).requests()).isEqualTo(40);
    }

    @Test
    void anOpenLoopSendsNoConversations() throws IOException {
        Policy policy = read("""
                version: 1
                targets: {one: {device: cpu}}
                scenario: {prompts: prompts/conversations.jsonl, openLoop: {requestsPerSecond: 5}}
                rules: {itl: {metric: itl, atMostMs: 500}}
                """);

        assertThatThrownBy(() -> policy.scenario().withSeed(7))
                .isInstanceOf(PromptFileException.class)
                .hasMessage(
                        "prompts/conversations.jsonl has conversations of up to 2 turns, each sent after the answer to the one before, and requests of an open loop are due whatever was answered; measure it in a closed loop, or name a file of single prompts");
    }

    @Test
    void aRateOfOtherSharesIsRefused() {
        assertThatThrownBy(() -> read("""
                version: 1
                targets: {one: {device: cpu}}
                scenario: {promptTokens: {8: 3, 16: 1}}
                rules:
                  rate: {metric: decode-tgs, atLeastTokensPerSecond: 9, conditions: %s}
                """.formatted(CONDITIONS)))
                .isInstanceOf(PolicyException.class)
                .hasMessageEndingWith(
                        "`rules.rate.conditions.promptTokens` is not allowed; the scenario has 8, 16 drawn 3:1, and a rate holds for its own conditions only: make them equal, or move the rule to a policy of its own");
    }

    @Test
    void aRuleMayBeAboutSomeTargetsOnly() throws IOException {
        Policy policy = read("""
                version: 1
                targets: {one: {device: cpu}, two: {device: cpu}}
                scenario: {promptTokens: 8}
                rules:
                  both: {metric: e2e, atMostMs: 100}
                  one: {metric: tpot, atMostMs: 100, targets: one}
                """);

        assertThat(policy.rulesOf(policy.targets().get(0))).hasSize(2);
        assertThat(policy.rulesOf(policy.targets().get(1))).hasSize(1);
    }

    @Test
    void aWaiverIsOfItsRulesOnItsTargets() throws IOException {
        Policy policy = read("""
                version: 1
                extends: team-sla
                targets: {one: {device: cpu}, two: {device: cpu}}
                waivers:
                  - rules: [itl-p95]
                    targets: [two]
                    owner: inference team
                    reason: the cache is copied as it grows
                    plan: "KV cache: pages of 16 tokens"
                    remediation: https://tracker.example.com/KV-12
                    expires: 2027-01-31
                    upToMs: 80
                """);
        LocalDate today = LocalDate.of(2027, 1, 31);
        Budget one = policy.budget(policy.targets().get(0), policy.rules(), today);
        Budget two = policy.budget(policy.targets().get(1), policy.rules(), today);

        assertThat(one.waivers().byRule()).isEmpty();
        assertThat(two.waivers().byRule()).hasSize(1);
        assertThat(two.waivers().byRule().values().iterator().next().upTo()).hasValue(80e6);
        assertThat(two.waivers().today()).isEqualTo(today);
    }
}
