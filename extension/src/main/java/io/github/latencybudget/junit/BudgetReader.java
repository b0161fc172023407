package io.github.latencybudget.junit;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.Confidence;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.budget.ThroughputConditions;
import io.github.latencybudget.budget.ThroughputRule;
import io.github.latencybudget.load.Scenario;
import io.github.latencybudget.load.WarmUpPlan;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Sampling;
import java.lang.annotation.Annotation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Turns the annotations of a gate into what to run and what has to hold, and refuses what cannot be meant. */
final class BudgetReader {

    private static final double NANOS_PER_MILLI = 1e6;
    private static final double BYTES_PER_GIB = 1L << 30;
    private static final double MOST_MILLIS = Duration.ofDays(1).toMillis();

    private final Gate gate;
    private final List<Rule> rules = new ArrayList<>();
    private final SortedSet<Integer> promptTokens = new TreeSet<>();
    private final Shared<Integer> outputTokens = new Shared<>("outputTokens");
    private final Shared<Integer> requests = new Shared<>("requests");
    private final Shared<Double> confidence = new Shared<>("confidence");

    BudgetReader(Gate gate) {
        this.gate = gate;
    }

    /** What a gate runs, and what has to hold. */
    record ScenarioAndBudget(Scenario scenario, Budget budget) {}

    /** @throws org.junit.jupiter.api.extension.ExtensionConfigurationException naming annotation, attribute and value */
    ScenarioAndBudget read() {
        Set<Integer> lengths = new HashSet<>();
        for (LatencyBudget budget : gate.latency()) {
            read(budget);
            if (!lengths.add(budget.promptTokens())) {
                throw refused(
                        LatencyBudget.class,
                        "promptTokens",
                        budget.promptTokens(),
                        "another budget on the same element is about this prompt length already; put all its limits into one");
            }
        }
        gate.throughput().ifPresent(this::read);
        return new ScenarioAndBudget(
                new Scenario(promptTokens, requests.value(), outputTokens.value(), Sampling.GREEDY, WarmUpPlan.DEFAULT),
                new Budget(rules, new Confidence(confidence.value())));
    }

    private void read(LatencyBudget budget) {
        Class<? extends Annotation> type = LatencyBudget.class;
        requirePromptTokens(type, budget.promptTokens());
        shareRun(type, budget.outputTokens(), budget.requests(), budget.confidence());
        PromptLength length = PromptLength.exactly(budget.promptTokens());
        List<Rule> found = new ArrayList<>();
        limit(type, "ttftMs", budget.ttftMs(), 1)
                .ifPresent(l -> found.add(
                        LatencyRule.ttft(length, percentile(type, "ttftPercentile", budget.ttftPercentile()), l)));
        limit(type, "itlP50Ms", budget.itlP50Ms(), budget.outputTokens())
                .ifPresent(l -> found.add(rule(Metric.ITL, Percentile.P50, l, length)));
        limit(type, "itlP95Ms", budget.itlP95Ms(), budget.outputTokens())
                .ifPresent(l -> found.add(rule(Metric.ITL, Percentile.P95, l, length)));
        limit(type, "itlP99Ms", budget.itlP99Ms(), budget.outputTokens())
                .ifPresent(l -> found.add(rule(Metric.ITL, Percentile.P99, l, length)));
        limit(type, "tpotP95Ms", budget.tpotP95Ms(), budget.outputTokens())
                .ifPresent(l -> found.add(rule(Metric.TPOT, Percentile.P95, l, length)));
        limit(type, "e2eP95Ms", budget.e2eP95Ms(), 1)
                .ifPresent(l -> found.add(rule(Metric.E2E, Percentile.P95, l, length)));
        if (found.isEmpty()) {
            throw ConfigurationErrors.annotation(
                    type,
                    gate.where(),
                    "no limit is set; set at least one of `ttftMs`, `itlP50Ms`, `itlP95Ms`, `itlP99Ms`, `tpotP95Ms`, `e2eP95Ms`");
        }
        rules.addAll(found);
        promptTokens.add(budget.promptTokens());
    }

    private void read(ThroughputBudget budget) {
        Class<? extends Annotation> type = ThroughputBudget.class;
        if (budget.promptTokens().length == 0) {
            throw refused(type, "promptTokens", "{}", "name at least one prompt length");
        }
        IntStream.of(budget.promptTokens()).forEach(p -> requirePromptTokens(type, p));
        shareRun(type, budget.outputTokens(), budget.requests(), budget.confidence());
        if (budget.concurrency() != 1) {
            throw refused(type, "concurrency", budget.concurrency(), "this version runs one request at a time: 1");
        }
        if (budget.temperature() != 0) {
            throw refused(type, "temperature", budget.temperature(), "this version decodes greedily: 0");
        }
        if (budget.topP() != 1) {
            throw refused(type, "topP", budget.topP(), "this version decodes greedily: 1");
        }
        requireLimit(type, "maxDeviceMemoryGiB", budget.maxDeviceMemoryGiB());
        SortedSet<Integer> lengths = new TreeSet<>();
        IntStream.of(budget.promptTokens()).forEach(lengths::add);
        ThroughputConditions conditions =
                new ThroughputConditions(lengths, Sampling.GREEDY, budget.concurrency(), Math.max(1, (long)
                        (budget.maxDeviceMemoryGiB() * BYTES_PER_GIB)));
        List<Rule> found = new ArrayList<>();
        rate(type, "minDecodeTgs", budget.minDecodeTgs(), budget.outputTokens())
                .ifPresent(r -> found.add(new ThroughputRule(Metric.DECODE_TGS, Percentile.P95, r, conditions)));
        rate(type, "minRequestTgs", budget.minRequestTgs(), 2)
                .ifPresent(r -> found.add(new ThroughputRule(Metric.REQUEST_TGS, Percentile.P95, r, conditions)));
        if (found.isEmpty()) {
            throw ConfigurationErrors.annotation(
                    type, gate.where(), "no limit is set; set `minDecodeTgs` or `minRequestTgs`");
        }
        rules.addAll(found);
        promptTokens.addAll(lengths);
        if (!promptTokens.equals(lengths)) {
            throw refused(
                    type,
                    "promptTokens",
                    lengths,
                    "the budgets of one gate judge one run, and a rate holds for its prompt lengths only: name "
                            + promptTokens + " here, or move the budget to a test of its own");
        }
    }

    private static Rule rule(Metric metric, Percentile percentile, Duration limit, PromptLength length) {
        return new LatencyRule(metric, percentile, limit, Optional.of(length));
    }

    private void requirePromptTokens(Class<? extends Annotation> type, int value) {
        if (value < 1) {
            throw refused(
                    type,
                    "promptTokens",
                    value,
                    "a limit is bound to a prompt length: name it, in tokens, BOS included, at least 1");
        }
    }

    private void shareRun(Class<? extends Annotation> type, int outputTokens, int requests, double confidence) {
        if (outputTokens < 1) {
            throw refused(type, "outputTokens", outputTokens, "must be at least 1");
        }
        if (requests < 1) {
            throw refused(type, "requests", requests, "must be at least 1");
        }
        if (!(confidence >= 0.5 && confidence < 1)) {
            throw refused(type, "confidence", confidence, "must be at least 0.5 and below 1");
        }
        this.outputTokens.agree(type, outputTokens);
        this.requests.agree(type, requests);
        this.confidence.agree(type, confidence);
    }

    private Optional<Duration> limit(
            Class<? extends Annotation> type, String attribute, double millis, int outputTokens) {
        if (millis == LatencyBudget.NO_LIMIT) {
            return Optional.empty();
        }
        requireLimit(type, attribute, millis);
        if (millis > MOST_MILLIS || millis * NANOS_PER_MILLI < 1) {
            throw refused(type, attribute, millis, "a limit is between one nanosecond and one day, in milliseconds");
        }
        requireSeveralTokens(
                type,
                attribute,
                millis,
                attribute.startsWith("itl") || attribute.startsWith("tpot") ? outputTokens : 2);
        return Optional.of(Duration.ofNanos(Math.round(millis * NANOS_PER_MILLI)));
    }

    private Optional<Double> rate(Class<? extends Annotation> type, String attribute, double rate, int outputTokens) {
        if (rate == ThroughputBudget.NO_LIMIT) {
            return Optional.empty();
        }
        requireLimit(type, attribute, rate);
        requireSeveralTokens(type, attribute, rate, outputTokens);
        return Optional.of(rate);
    }

    private void requireLimit(Class<? extends Annotation> type, String attribute, double value) {
        if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
            throw refused(type, attribute, value, "must be above 0 and finite");
        }
    }

    private void requireSeveralTokens(
            Class<? extends Annotation> type, String attribute, double value, int outputTokens) {
        if (outputTokens < 2) {
            throw refused(
                    type,
                    attribute,
                    value,
                    "with `outputTokens = " + outputTokens + "` there is no gap between tokens; use 2 or more");
        }
    }

    private Percentile percentile(Class<? extends Annotation> type, String attribute, double value) {
        try {
            Percentile percentile = Percentile.of(value);
            if (percentile.shareAbove() > 0) {
                return percentile;
            }
        } catch (IllegalArgumentException e) {
            // Refused below, in the words of the annotation.
        }
        throw refused(type, attribute, value, "must be above 0 and below 100, with at most three decimals");
    }

    private RuntimeException refused(Class<? extends Annotation> type, String attribute, Object value, String allowed) {
        return ConfigurationErrors.attribute(type, attribute, value, gate.where(), allowed);
    }

    /** An attribute that all budgets of a gate have to agree in, because they judge one run. */
    private final class Shared<T> {

        private final String attribute;
        private Optional<T> value = Optional.empty();

        private Shared(String attribute) {
            this.attribute = attribute;
        }

        private void agree(Class<? extends Annotation> type, T other) {
            if (value.isPresent() && !value.get().equals(other)) {
                throw refused(
                        type,
                        attribute,
                        other,
                        "another budget of this gate says " + value.get()
                                + ", and one gate is one run: make them equal");
            }
            value = Optional.of(other);
        }

        private T value() {
            return value.orElseThrow();
        }
    }
}
