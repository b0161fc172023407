package io.github.latencybudget.policy;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whole messages: where it stands, what it is, what to do. */
class RefusedPoliciesTest {

    private static final String GOOD = """
            version: 1
            targets: {tiny: {model: "synthetic:tiny"}}
            scenario: {promptTokens: [8, 16], outputTokens: 3}
            rules:
              ttft: {metric: ttft, promptTokens: {atMost: 16}, atMostMs: 100}
              tgs: {metric: decode-tgs, atLeastTokensPerSecond: 10, conditions: {promptTokens: [8, 16], sampling: {temperature: 0, topP: 1}, concurrency: 1, maxDeviceMemoryGiB: 2}}
            waivers:
              - {rules: ttft, owner: me, reason: slow, remediation: "https://example.com/1", expires: 2027-01-31}
            """;

    @TempDir
    Path folder;

    private void refused(byte[] bytes, String message) throws IOException {
        Path file = Files.write(folder.resolve("p.yaml"), bytes);
        String named = PolicySource.file(file).path();
        assertThatThrownBy(() -> Policy.read(PolicySource.file(file)))
                .isInstanceOf(PolicyException.class)
                .hasMessage("%s", message.replace("p.yaml", named));
    }

    private void refused(String text, String message) throws IOException {
        refused(text.getBytes(StandardCharsets.UTF_8), message);
    }

    static Stream<Arguments> refusals() {
        return Stream.of(
                arguments(
                        "version: 1",
                        "version: 2",
                        "p.yaml:1:10: `version = 2` is not allowed; this version of Latency Budget reads version 1"),
                arguments("version: 1", "name: x", "p.yaml:1:1: `version` is missing; write `version: 1` first"),
                arguments(
                        "version: 1",
                        "version: 1\nversion: 1",
                        "p.yaml:2:1: `version` stands here twice; keep one of them"),
                arguments(
                        "targets:",
                        "tragets:",
                        "p.yaml:2:1: `tragets` is not known; did you mean `targets`? a policy has `version`, `name`, `extends`, `without`, `confidence`, `targets`, `scenario`, `rules`, `waivers`"),
                arguments(
                        "model:",
                        "modell:",
                        "p.yaml:2:18: `targets.tiny.modell` is not known; did you mean `model`? a target has `type`, `model`, `device`, `dtype`, `seed`, `options`, `gpu`"),
                arguments(
                        "{model: \"synthetic:tiny\"}",
                        "{gpu: maybe}",
                        "p.yaml:2:23: `targets.tiny.gpu = maybe` is not allowed; it is `required` or `auto`"),
                arguments(
                        "{model: \"synthetic:tiny\"}",
                        "{options: keyFile=canary-2}",
                        "p.yaml:2:27: `targets.tiny.options` (its value is not printed, because it may be a key) is not allowed; options have names and values, such as {threads: 2}"),
                arguments(
                        "{model: \"synthetic:tiny\"}",
                        "{options: {keyFile: *canary-2}}",
                        "p.yaml:2:37: not YAML: found undefined alias (not printed, because it may be a key); put quotes around a text that begins with * or !"),
                arguments(
                        "{model: \"synthetic:tiny\"}",
                        "{options: {keyFile: !ca!nary-2 x}}",
                        "p.yaml:2:37: not YAML: found undefined tag handle (not printed, because it may be a key); put quotes around a text that begins with * or !"),
                arguments(
                        "{model: \"synthetic:tiny\"}",
                        "openai:http://localhost/v1?header.X=canary",
                        "p.yaml:2:17: `targets.tiny` (its value is not printed, because it may be a key) is not allowed; a target has keys of its own: `type`, `model`, `device`, `dtype`, `seed`, `options`, `gpu`"),
                arguments(
                        "\"synthetic:tiny\"",
                        "\"${MODEL}\"",
                        "p.yaml:2:25: `targets.tiny.model = ${MODEL}` is not allowed; environment variables are not put in; leave it out, and give it as a setting"),
                arguments(
                        "tiny: {model",
                        "\"ti/ny\": {model",
                        "p.yaml:2:20: `targets.ti/ny` is not allowed; a target's name has letters, digits, `.`, `-` and `_`, for reports and test ids have it"),
                arguments(
                        "[8, 16], outputTokens: 3",
                        "{8: 1, 0: 1}, outputTokens: 3",
                        "p.yaml:3:33: `scenario.promptTokens.0` is not allowed; it has prompt lengths, in tokens, with the weight of each, such as {128: 3, 512: 1}"),
                arguments(
                        "[8, 16], outputTokens: 3",
                        "{8: 1, eight: 1}, outputTokens: 3",
                        "p.yaml:3:33: `scenario.promptTokens.eight` is not allowed; it has prompt lengths, in tokens, with the weight of each, such as {128: 3, 512: 1}"),
                arguments(
                        "[8, 16], outputTokens: 3",
                        "{8: 1, 16: 0}, outputTokens: 3",
                        "p.yaml:3:37: `scenario.promptTokens.16 = 0` is not allowed; a weight is a whole number, at least 1"),
                arguments(
                        "[8, 16], outputTokens: 3",
                        "{}, outputTokens: 3",
                        "p.yaml:3:26: `scenario.promptTokens` is not allowed; it has prompt lengths, in tokens, with the weight of each, such as {128: 3, 512: 1}"),
                arguments(
                        "[8, 16], outputTokens: 3",
                        "8, prompts: chat.jsonl",
                        "p.yaml:3:26: `scenario.promptTokens = 8` is not allowed; the prompts of the file `scenario.prompts` have their own lengths; leave one of the two out"),
                arguments(
                        "promptTokens: [8, 16], outputTokens: 3",
                        "prompts: chat.jsonl",
                        "p.yaml:6:84: `rules.tgs.conditions.promptTokens` is not allowed; the lengths of the file `scenario.prompts` are not known before it has run; give the scenario `promptTokens`, or move the rule to a policy of its own"),
                arguments(
                        "outputTokens: 3",
                        "think: constant",
                        "p.yaml:3:42: `scenario.think = constant` is not allowed; it says how think times differ, and `scenario.thinkMs`, their mean, is missing; set it, or leave this out"),
                arguments(
                        "outputTokens: 3",
                        "thinkMs: 5, think: long",
                        "p.yaml:3:54: `scenario.think = long` is not allowed; it is `constant` or `exponential`"),
                arguments(
                        "outputTokens: 3",
                        "thinkMs: 3600001",
                        "p.yaml:3:44: `scenario.thinkMs = 3600001` is not allowed; must be at most an hour"),
                arguments(
                        "outputTokens: 3",
                        "thinkMs: 5, openLoop: {requestsPerSecond: 5}",
                        "p.yaml:3:44: `scenario.thinkMs = 5` is not allowed; in an open loop, requests are due at a rate, however long somebody thinks; leave it out"),
                arguments(
                        "[8, 16], outputTokens: 3",
                        "[8, eight], outputTokens: 3",
                        "p.yaml:3:30: `scenario.promptTokens[1] = eight` is not allowed; a prompt length is a whole number of tokens, at least 1"),
                arguments(
                        "outputTokens: 3",
                        "outputTokens: 1",
                        "p.yaml:6:8: `rules.tgs` is not allowed; with `outputTokens: 1` there is no gap between tokens; generate at least 2"),
                arguments(
                        "outputTokens: 3",
                        "requests: 3, concurrency: 4",
                        "p.yaml:3:45: `scenario.requests = 3` is not allowed; 3 requests at a prompt length are never 4 in flight together; measure at least as many"),
                arguments(
                        "outputTokens: 3",
                        "openLoop: {}",
                        "p.yaml:3:45: `scenario.openLoop.requestsPerSecond` is missing; name how many requests are due per second"),
                arguments(
                        "outputTokens: 3",
                        "openLoop: 5",
                        "p.yaml:3:45: `scenario.openLoop = 5` is not allowed; an open loop has keys of its own: `requestsPerSecond`, `arrivals`, `toRequestsPerSecond`, `rampSeconds`, `maxInFlight`, `maxQueued`"),
                arguments(
                        "outputTokens: 3",
                        "openLoop: {requestsPerSecond: 0}",
                        "p.yaml:3:65: `scenario.openLoop.requestsPerSecond = 0` is not allowed; must be above 0 and at most 1000000"),
                arguments(
                        "outputTokens: 3",
                        "openLoop: {requestsPerSecond: .nan}",
                        "p.yaml:3:65: `scenario.openLoop.requestsPerSecond = .nan` is not allowed; must be above 0 and at most 1000000"),
                arguments(
                        "outputTokens: 3",
                        "openLoop: {requestsPerSecond: 5, arrivals: burst}",
                        "p.yaml:3:78: `scenario.openLoop.arrivals = burst` is not allowed; it is one of `poisson`, `constant`, `ramp`"),
                arguments(
                        "outputTokens: 3",
                        "openLoop: {requestsPerSecond: 5, rampSeconds: 3}",
                        "p.yaml:3:81: `scenario.openLoop.rampSeconds = 3` is not allowed; only a ramp has it; set `arrivals: ramp`, or leave it out"),
                arguments(
                        "outputTokens: 3",
                        "openLoop: {requestsPerSecond: 5, arrivals: ramp}",
                        "p.yaml:3:45: `scenario.openLoop.toRequestsPerSecond` is missing; name the rate that the ramp comes to"),
                arguments(
                        "outputTokens: 3",
                        "openLoop: {requestsPerSecond: 5, arrivals: ramp, toRequestsPerSecond: 5, rampSeconds: 1}",
                        "p.yaml:3:105: `scenario.openLoop.toRequestsPerSecond = 5` is not allowed; a ramp ends at another rate than it starts with; set one, or `arrivals: constant`"),
                arguments(
                        "outputTokens: 3",
                        "openLoop: {requestsPerSecond: -1, arrivals: ramp, toRequestsPerSecond: 5, rampSeconds: 1}",
                        "p.yaml:3:65: `scenario.openLoop.requestsPerSecond = -1` is not allowed; must be at least 0 and at most 1000000"),
                arguments(
                        "outputTokens: 3",
                        "openLoop: {requestsPerSecond: 5, arrivals: ramp, toRequestsPerSecond: 9, rampSeconds: 86401}",
                        "p.yaml:3:121: `scenario.openLoop.rampSeconds = 86401` is not allowed; must be above 0 and at most one day"),
                arguments(
                        "outputTokens: 3",
                        "openLoop: {requestsPerSecond: 5, maxInFlight: 0}",
                        "p.yaml:3:81: `scenario.openLoop.maxInFlight = 0` is not allowed; must be at least 1; leave it out for as many as the target can have"),
                arguments(
                        "outputTokens: 3",
                        "concurrency: 4, openLoop: {requestsPerSecond: 5}",
                        "p.yaml:3:48: `scenario.concurrency = 4` is not allowed; in an open loop, requests are due at a rate, and how many are in flight is a result; leave it out, or limit them by `openLoop.maxInFlight`"),
                arguments(
                        "outputTokens: 3",
                        "openLoop: {requestsPerSecond: 5}",
                        "p.yaml:6:143: `rules.tgs.conditions.concurrency = 1` is not allowed; the scenario is an open loop, in which how many are in flight is a result; move the rule to a policy of its own, or leave it out by `without`"),
                arguments(
                        "outputTokens: 3",
                        "thinkMs: 5",
                        "p.yaml:6:143: `rules.tgs.conditions.concurrency = 1` is not allowed; the users of the scenario think (`thinkMs`), so fewer are in flight; move the rule to a policy of its own, or leave it out by `without`"),
                arguments(
                        "outputTokens: 3",
                        "sampling: {topK: 5}",
                        "p.yaml:3:52: `scenario.sampling.topK = 5` is not allowed; with `temperature: 0` each token is the most probable one, and this has no effect; set a temperature, or leave it out"),
                arguments(
                        "metric: ttft",
                        "metric: tftt",
                        "p.yaml:5:18: `rules.ttft.metric = tftt` is not allowed; did you mean `ttft`? it is one of `ttft`, `itl`, `ttfo`, `icl`, `tpot`, `e2e`, `decode-tgs`, `request-tgs`, `request-itl`, `system-tgs`, `goodput`, `fluidity`, `failure-share`, `drift`, `device-memory`"),
                arguments(
                        "promptTokens: {atMost: 16}, ",
                        "",
                        "p.yaml:5:9: `rules.ttft.promptTokens` is missing; a TTFT limit is bound to a prompt length: name it, such as `promptTokens: {atMost: 128}`"),
                arguments(
                        "{atMost: 16}",
                        "{atLeast: 17}",
                        "p.yaml:5:38: `rules.ttft.promptTokens` is not allowed; the scenario measures prompts of [8, 16] tokens, and none of them is meant; add one to `scenario.promptTokens`, or leave the rule out by `without`"),
                arguments(
                        "{atMost: 16}",
                        "{atLeast: 16, atMost: 8}",
                        "p.yaml:5:38: `rules.ttft.promptTokens` is not allowed; `atLeast` is above `atMost`; put them in order"),
                arguments(
                        "atMostMs: 100",
                        "atMostMs: .nan",
                        "p.yaml:5:62: `rules.ttft.atMostMs = .nan` is not allowed; a limit is between one nanosecond and one day, in milliseconds"),
                arguments(
                        "atMostMs: 100",
                        "atMostMs: \"100\"",
                        "p.yaml:5:62: `rules.ttft.atMostMs = 100` is not allowed; a limit is between one nanosecond and one day, in milliseconds"),
                arguments(
                        "atMostMs: 100",
                        "percentile: 100, atMostMs: 100",
                        "p.yaml:5:64: `rules.ttft.percentile = 100` is not allowed; must be at least 1 and below 100, in percent such as 95, with at most three decimals"),
                arguments(
                        "atMostMs: 100",
                        "percentile: 0.95, atMostMs: 100",
                        "p.yaml:5:64: `rules.ttft.percentile = 0.95` is not allowed; must be at least 1 and below 100, in percent such as 95, with at most three decimals"),
                arguments(
                        "atMostMs: 100}",
                        "atMostMs: 100, waiverPlan: \"--\"}",
                        "p.yaml:5:79: `rules.ttft.waiverPlan = --` is not allowed; say what the plan has to be about, such as KV-cache"),
                arguments(
                        "reason: slow",
                        "reason: slow, upToMs: 1.0e+12",
                        "p.yaml:8:52: `waivers[0].upToMs = 1.0e+12` is not allowed; it is judged as a limit of rule `ttft` (limit = PT277777H46M40S: must be above zero and at most 100 days); leave it out to cover every value"),
                arguments(
                        "atMostMs: 100",
                        "tags: \"a b\", atMostMs: 100",
                        "p.yaml:5:58: `rules.ttft.tags = a b` is not allowed; a tag has no blank and none of , ( ) & | !, which tag expressions have"),
                arguments(
                        "atMostMs: 100",
                        "targets: tin, atMostMs: 100",
                        "p.yaml:5:61: `rules.ttft.targets = tin` is not allowed; it is of `tiny`"),
                arguments(
                        ", conditions: {promptTokens: [8, 16], sampling: {temperature: 0, topP: 1}, concurrency: 1, maxDeviceMemoryGiB: 2}",
                        "",
                        "p.yaml:6:8: `rules.tgs.conditions` is missing; a TGS says nothing without its four conditions: `promptTokens`, `sampling`, `concurrency`, `maxDeviceMemoryGiB`"),
                arguments(
                        ", maxDeviceMemoryGiB: 2",
                        "",
                        "p.yaml:6:69: `rules.tgs.conditions.maxDeviceMemoryGiB` is missing; a TGS says nothing without its four conditions: `promptTokens`, `sampling`, `concurrency`, `maxDeviceMemoryGiB`"),
                arguments(
                        "concurrency: 1",
                        "concurrency: 2",
                        "p.yaml:6:143: `rules.tgs.conditions.concurrency = 2` is not allowed; the scenario has 1, and a rate holds for its own conditions only: make them equal, or move the rule to a policy of its own"),
                arguments(
                        "rules: ttft",
                        "rules: tftt",
                        "p.yaml:8:13: `waivers[0].rules = tftt` is not allowed; it is of `ttft`, `tgs`"),
                arguments("owner: me, ", "", "p.yaml:8:5: `waivers[0].owner` is missing; name who answers for it"),
                arguments(
                        "\"https://example.com/1\"",
                        "next week",
                        "p.yaml:8:57: `waivers[0].remediation = next week` is not allowed; must be a link to the plan, such as https://tracker.example.com/KV-12"),
                arguments(
                        "\"https://example.com/1\"",
                        "KV-12",
                        "p.yaml:8:5: `waivers[0]`: remediation = KV-12: must be a link to the plan, such as https://tracker.example.com/KV-12"),
                arguments(
                        "2027-01-31",
                        "2027-02-30",
                        "p.yaml:8:91: `waivers[0].expires = 2027-02-30` is not allowed; must be the last day that the waiver holds on, such as 2027-01-31"),
                arguments(
                        "reason: slow",
                        "reason: slow, upToMs: 100",
                        "p.yaml:8:52: `waivers[0].upToMs = 100` is not allowed; it covers no breach of rule `ttft`: raise what it covers, or remove the waiver"),
                arguments(
                        "reason: slow",
                        "reason: slow, downToTokensPerSecond: 1",
                        "p.yaml:8:67: `waivers[0].downToTokensPerSecond = 1` is not allowed; of rule `ttft` it is `upToMs`; give it a waiver of its own, or name the bound so"),
                arguments(
                        "atMostMs: 100}",
                        "atMostMs: 100, waiverPlan: KV cache}",
                        "p.yaml:8:5: `waivers[0].plan` is missing; rule `ttft` may be waived only with a named KV cache remediation plan"),
                arguments(
                        "[8, 16], outputTokens",
                        "&a [8, 16], outputTokens",
                        "p.yaml:3:26: anchors are not allowed; write the value at each place where it is meant"),
                arguments(
                        "version: 1",
                        "version: 1\nextends: our-sla",
                        "p.yaml:2:10: `extends = our-sla` is not allowed; there is no META-INF/latency-budget/ready/our-sla.yaml on the class path"),
                arguments(
                        "version: 1",
                        "version: 1\nwithout: ttft-long",
                        "p.yaml:2:10: `without = ttft-long` is not allowed; what is extended has no such rule; it has none"),
                arguments(
                        "rules:\n",
                        "confidence: 1\nrules:\n",
                        "p.yaml:4:13: `confidence = 1` is not allowed; must be at least 0.5 and below 1"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void refused(String part, String instead, String message) throws IOException {
        refused(GOOD.replace(part, instead), message);
    }

    @Test
    void withoutAnythingToPassOn() throws IOException {
        refused("", "p.yaml is empty: a policy has at least `version`, `targets` and `rules` or `extends`");
        refused("# nothing\n", "p.yaml is empty: a policy has at least `version`, `targets` and `rules` or `extends`");
        refused(
                "version: 1\n",
                "p.yaml:1:1: `targets` is missing; name what to measure, such as `targets: {cpu: {model: \"synthetic:tiny\", device: cpu}}`");
        refused(
                "version: 1\ntargets: {cpu: {device: cpu}}\nscenario: {promptTokens: 8}\n",
                "p.yaml:1:1: there is no rule, and a policy never passes on nothing: name `rules`, or extend a policy that has some");
        refused(
                "version: 1\ntargets: {a: {device: cpu}, b: {device: cpu}}\nscenario: {promptTokens: 8}\nrules: {x: {metric: itl, atMostMs: 1, targets: a}}\n",
                "p.yaml:2:32: no rule is about the target `b`, and it never passes on nothing: name it in a rule, or leave it out");
    }

    @Test
    void whatIsNoPolicyAtAll() throws IOException {
        refused(
                "[1, 2]",
                "p.yaml:1:1: what stands here is not allowed; a policy has keys of its own: `version`, `name`, `extends`, `without`, `confidence`, `targets`, `scenario`, `rules`, `waivers`");
        refused("a: [", "p.yaml:1:5: not YAML: expected the node content, but found '<stream end>'");
        refused(new byte[] {'a', ':', (byte) 0xE9}, "p.yaml is not UTF-8: save it as UTF-8");
        refused("a: b".getBytes(StandardCharsets.UTF_16), "p.yaml is UTF-16, not UTF-8: save it as UTF-8");
        refused("[".repeat(200_000), "p.yaml is nested too deeply: a policy has a few levels");
        refused(
                "# ".repeat(200_000),
                "p.yaml has more than 256 KiB: a policy is short; split it, or name another file");
        refused(
                "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
                "p.yaml:1:4: anchors are not allowed; write the value at each place where it is meant");
    }

    @Test
    void aReadyPolicyThatExtendsItself() throws IOException {
        Path file = Files.writeString(folder.resolve("p.yaml"), "version: 1\nextends: extends-itself\n");
        assertThatThrownBy(() -> Policy.read(PolicySource.file(file)))
                .hasMessage(
                        "META-INF/latency-budget/ready/extends-itself.yaml:2:10: `extends = extends-itself` is not allowed; it extends itself; leave it out");
    }
}
