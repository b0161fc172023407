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
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Turns the annotations of a gate into what to run and what has to hold, and refuses what cannot be meant. */
final class BudgetReader {

    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MOST_SECONDS = Duration.ofDays(1).toSeconds();
    private static final double BYTES_PER_GIB = 1L << 30;
    private static final double MOST_MILLIS = Duration.ofDays(1).toMillis();
    private static final Set<Metric> OF_GAPS = EnumSet.of(Metric.ITL, Metric.TPOT, Metric.DECODE_TGS);

    private final Gate gate;
    private final long seed;
    private final List<Rule> rules = new ArrayList<>();
    private final SortedSet<Integer> promptTokens = new TreeSet<>();
    private final Shared<Integer> outputTokens = new Shared<>("outputTokens");
    private final Shared<Integer> requests = new Shared<>("requests");
    private final Shared<Double> maxSeconds = new Shared<>("maxSeconds");
    private final Shared<Integer> concurrency = new Shared<>("concurrency");
    private final Shared<Double> confidence = new Shared<>("confidence");
    private final SharedSampling sampling = new SharedSampling();
    private final Shared<DeviceBinding> device = new Shared<>("device");

    /** @param seed of what is drawn */
    BudgetReader(Gate gate, long seed) {
        this.gate = gate;
        this.seed = seed;
    }

    /** What a gate runs, and what has to hold. */
    record ScenarioAndBudget(Scenario scenario, Budget budget, DeviceBinding device) {}

    /** An attribute that sets a limit. */
    private record Limit(String attribute, Metric metric, Percentile percentile, double value) {}

    /** @throws org.junit.jupiter.api.extension.ExtensionConfigurationException naming annotation, attribute and value */
    ScenarioAndBudget read() {
        gate.latency().forEach(this::read);
        gate.throughput().forEach(this::read);
        gate.throughput().forEach(this::requireTheLengthsOfTheRun);
        return new ScenarioAndBudget(
                new Scenario(
                        promptTokens,
                        requests.value(),
                        maxDuration(),
                        outputTokens.value(),
                        sampling.value(seed),
                        concurrency.value(),
                        WarmUpPlan.DEFAULT),
                new Budget(rules, new Confidence(confidence.value())),
                device.value());
    }

    private void read(LatencyBudget budget) {
        AttributeCheck check = new AttributeCheck(LatencyBudget.class, gate.where());
        requirePromptTokens(check, budget.promptTokens());
        check.require(
                promptTokens.add(budget.promptTokens()),
                "promptTokens",
                budget.promptTokens(),
                "another budget on the same element is about this prompt length already; put all its limits into one");
        shareRun(check, budget.outputTokens(), budget.requests(), budget.concurrency(), budget.confidence());
        shareMaxSeconds(check, budget.maxSeconds());
        sampling.agree(check, budget);
        device.agree(check, DeviceBinding.of(check, budget.device()));
        PromptLength length = PromptLength.exactly(budget.promptTokens());
        List<Limit> limits = Stream.of(
                        new Limit("ttftMs", Metric.TTFT, ttftPercentile(check, budget), budget.ttftMs()),
                        new Limit("itlP50Ms", Metric.ITL, Percentile.P50, budget.itlP50Ms()),
                        new Limit("itlP95Ms", Metric.ITL, Percentile.P95, budget.itlP95Ms()),
                        new Limit("itlP99Ms", Metric.ITL, Percentile.P99, budget.itlP99Ms()),
                        new Limit("tpotP95Ms", Metric.TPOT, Percentile.P95, budget.tpotP95Ms()),
                        new Limit("e2eP95Ms", Metric.E2E, Percentile.P95, budget.e2eP95Ms()))
                .filter(l -> l.value() != LatencyBudget.NO_LIMIT)
                .toList();
        check.require(
                !limits.isEmpty(),
                "no limit is set; set at least one of `ttftMs`, `itlP50Ms`, `itlP95Ms`, `itlP99Ms`, `tpotP95Ms`, `e2eP95Ms`");
        for (Limit limit : limits) {
            requireLimit(check, limit, budget.outputTokens());
            rules.add(new LatencyRule(limit.metric(), limit.percentile(), duration(check, limit), Optional.of(length)));
        }
    }

    private void read(ThroughputBudget budget) {
        AttributeCheck check = new AttributeCheck(ThroughputBudget.class, gate.where());
        SortedSet<Integer> lengths = lengths(budget);
        check.require(!lengths.isEmpty(), "promptTokens", "{}", "name at least one prompt length");
        lengths.forEach(p -> requirePromptTokens(check, p));
        shareRun(check, budget.outputTokens(), budget.requests(), budget.concurrency(), budget.confidence());
        shareMaxSeconds(check, budget.maxSeconds());
        Sampling asked = sampling.agree(check, budget);
        device.agree(check, DeviceBinding.of(check, budget.device()));
        List<Limit> limits = Stream.of(
                        new Limit("minDecodeTgs", Metric.DECODE_TGS, Percentile.P95, budget.minDecodeTgs()),
                        new Limit("minRequestTgs", Metric.REQUEST_TGS, Percentile.P95, budget.minRequestTgs()))
                .filter(l -> l.value() != ThroughputBudget.NO_LIMIT)
                .toList();
        check.require(!limits.isEmpty(), "no limit is set; set `minDecodeTgs` or `minRequestTgs`");
        ThroughputConditions conditions = conditions(check, lengths, asked, budget);
        for (Limit limit : limits) {
            requireLimit(check, limit, budget.outputTokens());
            rules.add(new ThroughputRule(limit.metric(), limit.percentile(), limit.value(), conditions));
        }
        promptTokens.addAll(lengths);
    }

    private void requireTheLengthsOfTheRun(ThroughputBudget budget) {
        SortedSet<Integer> lengths = lengths(budget);
        new AttributeCheck(ThroughputBudget.class, gate.where())
                .require(
                        lengths.equals(promptTokens),
                        "promptTokens",
                        lengths,
                        "the budgets of one gate judge one run, and a rate holds for its prompt lengths only: name "
                                + promptTokens + " here, or move the budget to a test of its own");
    }

    private static SortedSet<Integer> lengths(ThroughputBudget budget) {
        return IntStream.of(budget.promptTokens()).boxed().collect(Collectors.toCollection(TreeSet::new));
    }

    private static ThroughputConditions conditions(
            AttributeCheck check, SortedSet<Integer> lengths, Sampling sampling, ThroughputBudget budget) {
        double memory = budget.maxDeviceMemoryGiB();
        requirePositive(check, "maxDeviceMemoryGiB", memory);
        return new ThroughputConditions(
                lengths, sampling, budget.concurrency(), Math.max(1, (long) (memory * BYTES_PER_GIB)));
    }

    private void shareRun(AttributeCheck check, int outputTokens, int requests, int concurrency, double confidence) {
        check.require(outputTokens >= 1, "outputTokens", outputTokens, "must be at least 1");
        check.require(requests >= 1, "requests", requests, "must be at least 1");
        check.require(concurrency >= 1, "concurrency", concurrency, "must be at least 1");
        check.require(
                requests >= concurrency,
                "requests",
                requests,
                "with `concurrency = " + concurrency
                        + "` so few are never in flight together; measure at least as many");
        check.require(
                confidence >= 0.5 && confidence < 1, "confidence", confidence, "must be at least 0.5 and below 1");
        this.outputTokens.agree(check, outputTokens);
        this.requests.agree(check, requests);
        this.concurrency.agree(check, concurrency);
        this.confidence.agree(check, confidence);
    }

    private void shareMaxSeconds(AttributeCheck check, double value) {
        check.require(
                value == LatencyBudget.NO_LIMIT || value > 0 && value <= MOST_SECONDS,
                "maxSeconds",
                value,
                "must be above 0 and at most one day");
        maxSeconds.agree(check, value);
    }

    private Optional<Duration> maxDuration() {
        return maxSeconds.value() == LatencyBudget.NO_LIMIT
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(Math.round(maxSeconds.value() * NANOS_PER_SECOND)));
    }

    private static void requirePromptTokens(AttributeCheck check, int value) {
        check.require(
                value >= 1,
                "promptTokens",
                value,
                "a limit is bound to a prompt length: name it, in tokens, BOS included, at least 1");
    }

    private static void requireLimit(AttributeCheck check, Limit limit, int outputTokens) {
        requirePositive(check, limit.attribute(), limit.value());
        check.require(
                outputTokens >= 2 || !OF_GAPS.contains(limit.metric()),
                limit.attribute(),
                limit.value(),
                "with `outputTokens = " + outputTokens + "` there is no gap between tokens; use 2 or more");
    }

    private static void requirePositive(AttributeCheck check, String attribute, double value) {
        check.require(value > 0 && value < Double.POSITIVE_INFINITY, attribute, value, "must be above 0 and finite");
    }

    private static Duration duration(AttributeCheck check, Limit limit) {
        check.require(
                limit.value() <= MOST_MILLIS && limit.value() * NANOS_PER_MILLI >= 1,
                limit.attribute(),
                limit.value(),
                "a limit is between one nanosecond and one day, in milliseconds");
        return Duration.ofNanos(Math.round(limit.value() * NANOS_PER_MILLI));
    }

    private static Percentile ttftPercentile(AttributeCheck check, LatencyBudget budget) {
        Optional<Percentile> percentile = percentile(budget.ttftPercentile());
        check.require(
                percentile.filter(p -> p.shareAbove() > 0).isPresent(),
                "ttftPercentile",
                budget.ttftPercentile(),
                "must be above 0 and below 100, with at most three decimals");
        check.require(
                budget.ttftMs() != LatencyBudget.NO_LIMIT || percentile.get().equals(Percentile.P95),
                "ttftPercentile",
                budget.ttftPercentile(),
                "it is about `ttftMs`, which is not set");
        return percentile.get();
    }

    private static Optional<Percentile> percentile(double percent) {
        try {
            return Optional.of(Percentile.of(percent));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
