package io.github.latencybudget.record;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.Confidence;
import io.github.latencybudget.budget.DeviceMemoryRule;
import io.github.latencybudget.budget.DriftRule;
import io.github.latencybudget.budget.FailureRule;
import io.github.latencybudget.budget.FluidityRule;
import io.github.latencybudget.budget.GoodputRule;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.MeanLatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.budget.RequestItlRule;
import io.github.latencybudget.budget.RequestLimit;
import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.budget.SystemThroughputRule;
import io.github.latencybudget.budget.ThroughputConditions;
import io.github.latencybudget.budget.ThroughputRule;
import io.github.latencybudget.budget.Waiver;
import io.github.latencybudget.budget.Waivers;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.record.GateRecord.TestEnding;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.Traces;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** What has to hold of any record that was judged: it says what its times show, and a change of it is seen. */
final class JudgedAgainPropertiesTest {

    private static final LocalDate DAY = LocalDate.of(2026, 3, 1);
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    @Property(tries = 150)
    void aRecordThatWasWrittenAndReadSaysWhatItsTimesShow(@ForAll("records") GateRecord record) throws IOException {
        GateRecord read = Json.MAPPER.readValue(Json.MAPPER.writeValueAsBytes(record), GateRecord.class);

        assertThat(read.judgeAgain().differences()).isEmpty();
        assertThat(read.judgeAgain().outcome()).isEqualTo(JudgedAgain.Outcome.SAME);
    }

    /** Of the verdicts, one value is changed: whichever it is. */
    @Property(tries = 300)
    void noValueOfAJudgementCanBeChangedUnseen(@ForAll("records") GateRecord record, @ForAll long seed) {
        JsonNode json = Json.MAPPER.valueToTree(record);

        changeOne(json.get("result").get("judgement"), new Random(seed));

        assertSeen(json);
    }

    @Property(tries = 200)
    void noLimitCanBeChangedUnseen(@ForAll("records") GateRecord record, @ForAll long seed) throws IOException {
        List<BudgetEntry.Line> lines = new ArrayList<>(record.budget().rules());
        int which = new Random(seed).nextInt(lines.size());
        Rule rule = lines.get(which).rule();
        lines.set(
                which,
                new BudgetEntry.Line(
                        rule.withLimit(rule.limitInUnit() * 0.99),
                        lines.get(which).waiver()));

        assertThat(with(record, lines).judgeAgain().outcome()).isEqualTo(JudgedAgain.Outcome.ALTERED);
    }

    /** Such as the memory that a rate has to be reached within, which is told in GiB. */
    @Property(tries = 200)
    void aConditionThatChangesWhatIsSaidIsSeen(@ForAll("records") GateRecord record, @ForAll long seed)
            throws IOException {
        JsonNode json = Json.MAPPER.valueToTree(record);
        JsonNode rules = json.get("result").get("budget").get("rules");
        changeOne(rules.get(new Random(seed).nextInt(rules.size())).get("rule"), new Random(seed));
        GateRecord read;
        try {
            read = Json.MAPPER.treeToValue(json, GateRecord.class);
            read.budget().toBudget();
        } catch (JacksonException | IllegalArgumentException e) {
            return;
        }

        assertJudgedAsShown(read);
    }

    /** The oracle judges the changed times by itself. */
    @Property(tries = 300)
    void aTimeThatChangesAVerdictIsSeenAndOneThatDoesNotIsNoMatter(
            @ForAll("records") GateRecord record, @ForAll long seed) throws IOException {
        ObjectNode json = Json.MAPPER.valueToTree(record);
        Random random = new Random(seed);
        JsonNode requests = json.get("result").get("measurement").get("requests");
        JsonNode request = requests.get(random.nextInt(requests.size()));
        ArrayNode arrivals = (ArrayNode) request.get("arrivalNanos");
        if (arrivals.isEmpty()) {
            return;
        }
        int which = random.nextInt(arrivals.size());
        arrivals.set(which, Math.max(1, arrivals.get(which).asLong() + random.nextInt(-5, 30) * Traces.MS));

        GateRecord read = Json.MAPPER.treeToValue(json, GateRecord.class);

        assertJudgedAsShown(read);
    }

    /** Where only last digits differ, because the same values were added in another order, either is right. */
    private static void assertJudgedAsShown(GateRecord read) {
        JudgementEntry shown = JudgementEntry.of(
                read.budget().toBudget().evaluate(read.measurement().toMeasurement()));
        if (shown.equals(read.judgement())) {
            assertThat(read.judgeAgain().outcome()).isEqualTo(JudgedAgain.Outcome.SAME);
        } else if (!said(shown).equals(said(read.judgement()))) {
            assertThat(read.judgeAgain().outcome()).isEqualTo(JudgedAgain.Outcome.ALTERED);
        }
    }

    private static List<String> said(JudgementEntry judgement) {
        return judgement.rules().stream()
                .map(r -> r.status() + r.line() + r.reason())
                .toList();
    }

    private static GateRecord with(GateRecord record, List<BudgetEntry.Line> rules) {
        BudgetEntry before = record.budget();
        return record.judged(
                NOON, new BudgetEntry(rules, before.confidence(), before.today()), record.judgement(), record.test());
    }

    private static void assertSeen(JsonNode json) {
        GateRecord read;
        try {
            read = Json.MAPPER.treeToValue(json, GateRecord.class);
        } catch (JacksonException e) {
            return;
        }
        assertThat(read.judgeAgain().outcome()).as(json.toString()).isEqualTo(JudgedAgain.Outcome.ALTERED);
    }

    /** Another text, another number, the other truth; where nothing was, something. */
    private static void changeOne(JsonNode within, Random random) {
        List<Runnable> changes = new ArrayList<>();
        collect(within, changes, random);
        changes.get(random.nextInt(changes.size())).run();
    }

    private static void collect(JsonNode node, List<Runnable> changes, Random random) {
        if (node instanceof ObjectNode object) {
            for (String name : names(object)) {
                JsonNode value = object.get(name);
                if (value.isContainerNode()) {
                    collect(value, changes, random);
                } else {
                    changes.add(() -> object.set(name, other(value, random)));
                }
            }
        } else if (node instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                int index = i;
                JsonNode value = array.get(i);
                if (value.isContainerNode()) {
                    collect(value, changes, random);
                } else {
                    changes.add(() -> array.set(index, other(value, random)));
                }
                changes.add(() -> array.remove(index));
            }
        }
    }

    private static JsonNode other(JsonNode value, Random random) {
        return switch (value.getNodeType()) {
            case STRING -> Json.MAPPER.valueToTree(otherText(value.asText(), random));
            case BOOLEAN -> Json.MAPPER.valueToTree(!value.asBoolean());
            case NUMBER ->
                value.isIntegralNumber()
                        ? Json.MAPPER.valueToTree(value.asLong() + 1 + random.nextInt(9))
                        : Json.MAPPER.valueToTree(value.asDouble() * (1 + 1e-6) + 1e-3);
            default -> Json.MAPPER.valueToTree(1 + random.nextInt(9));
        };
    }

    private static String otherText(String text, Random random) {
        List<String> statuses = List.of("PASS", "BREACH", "INCONCLUSIVE", "WAIVED", "UNUSED_WAIVER");
        int at = statuses.indexOf(text);
        return at < 0 ? text + "x" : statuses.get((at + 1 + random.nextInt(4)) % statuses.size());
    }

    @Provide
    Arbitrary<GateRecord> records() {
        return Combinators.combine(measurements(), budgets())
                .as((measurement, budget) -> GateRecord.planned(
                                new Source("run-1", "0a1b2c3d", Product.VERSION),
                                new GateId("com.example.ChatSlaTest", "holds()"),
                                "Chat",
                                1,
                                NOON)
                        .started(NOON, 7)
                        .measured(MeasurementEntry.of(measurement))
                        .judged(
                                NOON,
                                BudgetEntry.of(budget),
                                JudgementEntry.of(budget.evaluate(measurement)),
                                new TestEnding(TestEnding.Status.PASSED, null)));
    }

    private static Arbitrary<Measurement> measurements() {
        Arbitrary<Integer> requests = Arbitraries.integers().between(1, 120);
        Arbitrary<Integer> tokens = Arbitraries.integers().between(1, 6);
        Arbitrary<Integer> failures = Arbitraries.frequency(Tuple.of(3, 0), Tuple.of(1, 5));
        Arbitrary<Integer> concurrency = Arbitraries.of(1, 1, 1, 4);
        return Combinators.combine(requests, tokens, failures, concurrency, Arbitraries.longs())
                .as(JudgedAgainPropertiesTest::measurement);
    }

    private static Measurement measurement(int requests, int tokens, int failures, int concurrency, long seed) {
        Random random = new Random(seed);
        Traces traces = Traces.run().concurrency(concurrency).together(concurrency);
        for (int i = 0; i < requests; i++) {
            long[] gaps =
                    random.longs(tokens - 1, 15 * Traces.MS, 35 * Traces.MS).toArray();
            traces.prompt(random.nextInt(4) == 0 ? 128 : 512).add(1, random.nextLong(200, 400) * Traces.MS, gaps);
        }
        for (int i = 0; i < failures; i++) {
            traces.add(Outcome.FAILED, "503", 1_000_000_000L * (requests + i), 7);
        }
        return traces.declaring(tokens)
                .planned(512, requests + failures)
                .planned(128, requests)
                .measurement();
    }

    private static Arbitrary<Budget> budgets() {
        return Combinators.combine(
                        Arbitraries.of(rules()).set().ofMinSize(1).ofMaxSize(5),
                        Arbitraries.of(0.9, 0.95, 0.99),
                        Arbitraries.of(-1, 0, 1))
                .as((rules, level, waived) -> new Budget(
                        List.copyOf(rules),
                        new Confidence(level),
                        waivers(rules.iterator().next(), waived)));
    }

    private static Waivers waivers(Rule rule, int expiresIn) {
        return expiresIn == 0
                ? Waivers.NONE
                : new Waivers(
                        DAY,
                        Map.of(
                                rule,
                                new Waiver(
                                        "Ada",
                                        "cold cache",
                                        Optional.empty(),
                                        URI.create("https://tracker.example.com/KV-12"),
                                        DAY.plusDays(expiresIn),
                                        OptionalDouble.empty())));
    }

    private static List<Rule> rules() {
        ThroughputConditions conditions = ThroughputConditions.of(Set.of(128, 512), Sampling.GREEDY, 1, 30L << 30);
        return List.of(
                LatencyRule.ttft(PromptLength.exactly(512), Percentile.P95, Duration.ofMillis(390)),
                LatencyRule.itl(Percentile.P95, Duration.ofMillis(34)),
                LatencyRule.e2e(Percentile.P50, Duration.ofMillis(400)),
                MeanLatencyRule.itl(Duration.ofMillis(26)),
                RequestItlRule.of(Percentile.P95, Percentile.of(100), Duration.ofMillis(36)),
                new ThroughputRule(Metric.DECODE_TGS, Percentile.P50, 30, conditions),
                new SystemThroughputRule(10, conditions),
                GoodputRule.atLeast(0.9, RequestLimit.itl(Duration.ofMillis(34))),
                new FluidityRule(PromptLength.above(1), Duration.ofMillis(380), Duration.ofMillis(30), 0.9),
                FailureRule.atMost(0.2),
                new DriftRule(Metric.TTFT, 0.2, 512),
                DeviceMemoryRule.atMostBytes(21L << 30));
    }

    private static List<String> names(ObjectNode object) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }
}
