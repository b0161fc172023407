package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectFile;

import io.github.latencybudget.budget.Status;
import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.JudgementEntry.RuleEntry;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.report.Report;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** Each rule has one verdict, wherever it is read: in its test, in the thrown error, on the console, in the record and in the report. */
@ResourceLock(Resources.SYSTEM_OUT)
class OneVerdictTest {

    @TempDir
    Path folder;

    /** A policy whose target and rules are drawn. */
    record Drawn(long seed, String yaml) {
        @Override
        public String toString() {
            return "seed " + seed;
        }
    }

    static Stream<Drawn> policies() {
        return new Random(12).longs(40, 0, 1_000_000).mapToObj(OneVerdictTest::draw);
    }

    private static Drawn draw(long seed) {
        Random random = new Random(seed);
        Map<String, String> rules = new LinkedHashMap<>();
        Map<String, String> kinds = new LinkedHashMap<>();
        kinds.put("ttft", "{metric: ttft, promptTokens: {atMost: 16}, percentile: %s, atMostMs: %s}");
        kinds.put("itl", "{metric: itl, percentile: %s, atMostMs: %s}");
        kinds.put("tpot", "{metric: tpot, percentile: %s, atMostMs: %s}");
        kinds.put("e2e", "{metric: e2e, percentile: %s, atMostMs: %s}");
        int some = 1 + random.nextInt(4);
        for (int i = 0; i < some; i++) {
            String kind = List.copyOf(kinds.keySet()).get(random.nextInt(kinds.size()));
            rules.put(
                    kind + i,
                    String.format(
                            Locale.ROOT,
                            kinds.get(kind),
                            List.of(50, 90, 95, 99).get(random.nextInt(4)),
                            kind.equals("itl") || kind.equals("tpot")
                                    ? 5 + random.nextInt(15)
                                    : 90 + random.nextInt(60)));
        }
        if (random.nextBoolean()) {
            rules.put("failures", "{metric: failure-share, atMostShare: 0." + (1 + random.nextInt(4)) + "}");
        }
        if (random.nextInt(3) == 0) {
            rules.put("memory", "{metric: device-memory, atMostGiB: " + (1 + random.nextInt(2)) + "}");
        }
        List<String> options = new ArrayList<>(
                List.of("ttftMs: 100", "itlMs: 10", "memoryGiB: 1.5", "slowerByMs: 0." + random.nextInt(5)));
        if (random.nextInt(3) == 0) {
            options.add("failEvery: " + (5 + random.nextInt(40)));
        }
        if (random.nextInt(4) == 0) {
            options.add("cachedPromptTokens: 4");
        }
        StringBuilder yaml = new StringBuilder(String.format(
                Locale.ROOT,
                """
                version: 1
                name: drawn
                targets:
                  fake: {type: %s, model: "fake:%d", options: {%s}}
                scenario: {promptTokens: [8, %d], outputTokens: 4, requests: %d}
                rules:
                """,
                FakeTarget.class.getName(),
                seed,
                String.join(", ", options),
                // Beyond 16 there are requests that no rule on TTFT is about.
                random.nextBoolean() ? 16 : 32,
                20 + random.nextInt(120)));
        rules.forEach((id, rule) ->
                yaml.append("  ").append(id).append(": ").append(rule).append('\n'));
        return new Drawn(seed, yaml.toString());
    }

    @ParameterizedTest
    @MethodSource("policies")
    void aRuleHasOneVerdictInEveryOutput(Drawn policy) throws IOException {
        requireOneVerdict(policy.yaml());
    }

    /** What the tests of all these gates would show if they never came to one of the verdicts. */
    @Test
    void theDrawnPoliciesComeToEveryVerdict() throws IOException {
        List<Status> seen = new ArrayList<>();
        for (Drawn policy : policies().toList()) {
            seen.addAll(requireOneVerdict(policy.yaml()));
        }

        assertThat(seen).contains(Status.PASS, Status.BREACH, Status.INCONCLUSIVE);
    }

    /** J1: a prompt that no limit on TTFT is about keeps every rule on TTFT from being shown, in every output. */
    @Test
    void promptsWithoutALimitOfTheirOwnAreNoPassAnywhere() throws IOException {
        Path prompts = Files.writeString(
                folder.resolve("prompts.jsonl"),
                ("{\"prompt\": \"%s\"}\n{\"prompt\": \"%s\"}\n")
                        .formatted("word ".repeat(9).strip(), "word ".repeat(30).strip()));

        List<Status> statuses = requireOneVerdict("""
                version: 1
                targets:
                  fake: {type: %s, model: "fake:j1", options: {ttftMs: 100, itlMs: 10}}
                scenario: {prompts: %s, outputTokens: 4, requests: 129}
                rules:
                  short: {metric: ttft, promptTokens: {atMost: 20}, atMostMs: 200}
                  long: {metric: ttft, promptTokens: {atLeast: 40}, atMostMs: 200}
                """.formatted(FakeTarget.class.getName(), prompts));

        assertThat(statuses).containsOnly(Status.INCONCLUSIVE);
    }

    /** J2: where one rule says how many requests may fail, failures keep no other rule of the gate open, in any output. */
    @Test
    void failuresThatARuleCountsKeepNoOtherRuleOpenAnywhere() throws IOException {
        List<Status> statuses = requireOneVerdict("""
                version: 1
                targets:
                  fake: {type: %s, model: "fake:j2", options: {ttftMs: 100, itlMs: 10, failEvery: 17}}
                scenario: {promptTokens: 8, outputTokens: 4, requests: 400}
                rules:
                  itl-p95: {metric: itl, atMostMs: 50}
                  failures: {metric: failure-share, atMostShare: 0.2}
                """.formatted(FakeTarget.class.getName()));

        assertThat(statuses).containsOnly(Status.PASS);
    }

    /** Runs a policy and reads the verdict of each rule wherever it stands. */
    private List<Status> requireOneVerdict(String yaml) throws IOException {
        Path output = Files.createTempDirectory(folder, "out");
        Path file = Files.writeString(output.resolve("drawn.yaml"), yaml);
        PrintStream console = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        List<Event> finished;
        try {
            finished = EngineTestKit.engine(PolicyTestEngine.ID)
                    .configurationParameter("latencybudget.device.locks", Gates.LOCKS)
                    .configurationParameters(
                            Map.of("latencybudget.output", output.toString(), "latencybudget.run", "test"))
                    .selectors(selectFile(file.toFile()))
                    .execute()
                    .testEvents()
                    .finished()
                    .list();
        } finally {
            System.setOut(console);
        }
        RecordStore store = new RecordStore(output.resolve("records"), "test", Clock.systemUTC());
        Report.write(store, output);
        GateRecord record = new Gates(output).records().get(0);
        List<RuleEntry> rules = record.judgement().rules();
        List<String> lines = printed.toString(StandardCharsets.UTF_8).lines().toList();
        List<Element> onPage =
                Jsoup.parse(Files.readString(output.resolve("index.html"))).select("article.rule h3");
        String summary = Files.readString(output.resolve("summary.md"));
        String json = Files.readString(output.resolve("report.json"));

        assertThat(finished).as(yaml).hasSameSizeAs(rules);
        for (int i = 0; i < rules.size(); i++) {
            RuleEntry rule = rules.get(i);
            String status = rule.status().name();
            assertThat(saidBy(finished.get(i), rule)).as(yaml).isEqualTo(rule.line());
            assertThat(lines).as(yaml).anyMatch(line -> line.endsWith(": " + rule.line()));
            assertThat(onPage.get(i).text()).as(yaml).startsWith(status + " " + rule.rule() + ":");
            assertThat(summary).as(yaml).contains("| %s | ".formatted(status));
            assertThat(json).as(yaml).contains(rule.line());
        }
        return rules.stream().map(RuleEntry::status).toList();
    }

    /** {@return the line of a rule's verdict as its test has it: one that passes says nothing} */
    private static String saidBy(Event test, RuleEntry rule) {
        TestExecutionResult result = test.getRequiredPayload(TestExecutionResult.class);
        return result.getThrowable()
                .map(t -> t.getMessage()
                        .lines()
                        .filter(line -> line.contains("  " + rule.rule() + ": "))
                        .findFirst()
                        .orElse(t.getMessage()))
                .orElseGet(() -> rule.line().startsWith("PASS") ? rule.line() : "a test that passed");
    }
}
