package io.github.latencybudget.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.DatabindException;
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
import io.github.latencybudget.trace.PromptShares;
import io.github.latencybudget.trace.Sampling;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RecordedRulesTest {

    private static final Sampling SAMPLING = new Sampling(0.7, 40, 0.9, 1.1, 7);
    private static final Duration ODD = Duration.ofNanos(123_456_789_012_345L);

    static List<Rule> rules() {
        ThroughputConditions inTurn = ThroughputConditions.of(Set.of(128, 512), SAMPLING, 2, 4L << 30);
        ThroughputConditions drawn = new ThroughputConditions(
                new TreeSet<>(Set.of(128, 512)),
                Optional.of(new PromptShares(new TreeMap<>(Map.of(128, 3, 512, 1)))),
                Sampling.GREEDY,
                1,
                Long.MAX_VALUE);
        return List.of(
                LatencyRule.ttft(PromptLength.above(512), Percentile.of(99.9), ODD),
                LatencyRule.itl(Percentile.P95, Duration.ofNanos(1)),
                MeanLatencyRule.tpot(Duration.ofDays(99)).forPrompts(PromptLength.between(1, 7)),
                RequestItlRule.of(Percentile.P95, Percentile.of(100), ODD),
                new ThroughputRule(Metric.DECODE_TGS, Percentile.P50, 0.1 + 0.2, inTurn),
                new ThroughputRule(Metric.REQUEST_TGS, Percentile.P99, 1e-300, drawn),
                new SystemThroughputRule(1e300, drawn),
                GoodputRule.atLeast(
                        1 - 1e-16,
                        RequestLimit.ttft(PromptLength.exactly(128), ODD),
                        RequestLimit.e2e(Duration.ofSeconds(3))),
                new FluidityRule(PromptLength.above(1), ODD, Duration.ofMillis(30), 0.9),
                FailureRule.atMost(1.0 / 3),
                new FailureRule(0.1, Optional.of(PromptLength.exactly(128))),
                new DriftRule(Metric.TPOT, 0.05, 128),
                DeviceMemoryRule.atMostBytes(Long.MAX_VALUE));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void aRuleComesBackAsItWas(Rule rule) throws IOException {
        BudgetEntry entry = BudgetEntry.of(new Budget(List.of(rule), new Confidence(0.999999)));

        BudgetEntry read = Json.MAPPER.readValue(Json.MAPPER.writeValueAsBytes(entry), BudgetEntry.class);

        assertThat(read.toBudget()).isEqualTo(new Budget(List.of(rule), new Confidence(0.999999)));
    }

    @Test
    void noKindOfRuleIsForgotten() {
        assertThat(rules().stream().map(Object::getClass).distinct())
                .containsExactlyInAnyOrder(Rule.class.getPermittedSubclasses());
    }

    /** The names stand in files. */
    @Test
    void aKindIsToldByItsName() {
        assertThat(rules().stream()
                        .map(rule -> Json.MAPPER
                                .valueToTree(new BudgetEntry.Line(rule, null))
                                .get("rule")
                                .get("type")
                                .asText())
                        .distinct())
                .containsExactly(
                        "LatencyRule",
                        "MeanLatencyRule",
                        "RequestItlRule",
                        "ThroughputRule",
                        "SystemThroughputRule",
                        "GoodputRule",
                        "FluidityRule",
                        "FailureRule",
                        "DriftRule",
                        "DeviceMemoryRule");
    }

    @Test
    void aRuleOfAnotherNameIsRefused() throws IOException {
        String json = Json.MAPPER
                .writeValueAsString(new BudgetEntry.Line(FailureRule.atMost(0.1), null))
                .replace("FailureRule", "java.io.File");

        assertThatThrownBy(() -> Json.MAPPER.readValue(json, BudgetEntry.Line.class))
                .isInstanceOf(DatabindException.class);
    }

    @Test
    void waiversComeBackWithTheirDay() throws IOException {
        Rule ttft = rules().get(0);
        Rule itl = rules().get(1);
        Rule failures = FailureRule.atMost(0.1);
        Budget budget = new Budget(
                List.of(ttft, itl, failures),
                Confidence.DEFAULT,
                new Waivers(
                        LocalDate.of(2026, 2, 28),
                        Map.of(
                                ttft, waiver(Optional.of("KV-12"), OptionalDouble.empty()),
                                failures, waiver(Optional.empty(), OptionalDouble.of(0.2)))));

        BudgetEntry read =
                Json.MAPPER.readValue(Json.MAPPER.writeValueAsBytes(BudgetEntry.of(budget)), BudgetEntry.class);

        assertThat(read.toBudget()).isEqualTo(budget);
    }

    private static Waiver waiver(Optional<String> plan, OptionalDouble upTo) {
        return new Waiver(
                "Ada",
                "cold cache",
                plan,
                URI.create("https://tracker.example.com/KV-12"),
                LocalDate.of(2026, 3, 1),
                upTo);
    }
}
