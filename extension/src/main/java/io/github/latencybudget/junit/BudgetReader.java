package io.github.latencybudget.junit;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.DeviceMemoryRule;
import io.github.latencybudget.budget.DriftRule;
import io.github.latencybudget.budget.FailureRule;
import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.budget.SystemThroughputRule;
import io.github.latencybudget.budget.ThroughputConditions;
import io.github.latencybudget.budget.ThroughputRule;
import io.github.latencybudget.load.Prompts;
import io.github.latencybudget.load.Scenario;
import io.github.latencybudget.load.SweepPlan;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Sampling;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
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

    private final Gate gate;
    private final long seed;
    private final List<Rule> rules = new ArrayList<>();
    private final SortedSet<Integer> promptTokens = new TreeSet<>();
    private final Set<Integer> latencyLengths = new TreeSet<>();
    private final Set<Integer> goodputLengths = new TreeSet<>();
    private final Optional<Load.Open> openLoop;
    private final SharedRun run;
    private final WorkloadReader workload;
    private final WaiverReader waivers;

    /**
     * @param seed of what is drawn
     * @param today the day that waivers are held against, of UTC
     */
    BudgetReader(Gate gate, long seed, LocalDate today) {
        this.gate = gate;
        this.workload = new WorkloadReader(gate.workload(), gate.where(), seed);
        this.seed = seed;
        this.openLoop = gate.openLoop().map(o -> new OpenLoopLoad(o, gate.where()).load(seed));
        this.run = new SharedRun(openLoop);
        this.waivers = new WaiverReader(gate.where(), today);
    }

    /** What a gate runs, and what has to hold. */
    record ScenarioAndBudget(Scenario scenario, Budget budget, DeviceBinding device, Optional<SweepPlan> sweep) {

        ScenarioAndBudget(Scenario scenario, Budget budget, DeviceBinding device) {
            this(scenario, budget, device, Optional.empty());
        }
    }

    /** @throws org.junit.jupiter.api.extension.ExtensionConfigurationException naming annotation, attribute and value */
    ScenarioAndBudget read() {
        gate.latency().forEach(this::read);
        gate.ttft().ifPresent(this::read);
        gate.goodput().forEach(this::read);
        gate.throughput().forEach(this::read);
        gate.run().ifPresent(this::read);
        Prompts prompts = workload.prompts(promptTokens, run.requests(), openLoop.isPresent());
        if (workload.isOfFile()) {
            // Each request has the length that it has, whichever a budget names.
            promptTokens.clear();
        }
        workload.shares()
                .ifPresent(shares -> promptTokens.addAll(shares.weights().keySet()));
        gate.throughput().forEach(this::requireTheLengthsOfTheRun);
        Optional<SweepPlan> sweep = sweep();
        boolean isDueAtARate =
                openLoop.isPresent() || sweep.filter(SweepPlan::isByRate).isPresent();
        return new ScenarioAndBudget(
                run.scenario(promptTokens, prompts, workload.thinkTime(isDueAtARate), seed),
                waivers.budget(rules, run.confidence(), gate.waivers()),
                run.device(),
                sweep);
    }

    private Optional<SweepPlan> sweep() {
        return gate.sweep().map(sweep -> {
            AttributeCheck check = new AttributeCheck(LoadSweep.class, gate.where());
            check.require(openLoop.isEmpty(), "it has loads of its own; remove @OpenLoop, or the sweep");
            check.require(
                    gate.throughput().isEmpty(),
                    "a rate in tokens holds for one concurrency, and a sweep has several; move the @ThroughputBudget to a test of its own");
            check.require(
                    gate.waivers().isEmpty(),
                    "under a low load a waived limit may hold, under a high one not; move the @WaivedLimit to a test of one load");
            check.require(
                    gate.baseline().isEmpty(),
                    "a run is compared with a baseline of its own load; move @ComparedWithBaseline to a test of one load");
            check.require(
                    !workload.isOfFile(),
                    "each of its loads would be sent the same prompts again, which a server may have cached by then; draw made ones by `promptTokens` and `weights` of @PromptWorkload, or measure the file under one load");
            check.require(run.concurrency() == 1, "it has loads of its own; leave `concurrency` of the budget out");
            return SweepLoads.of(sweep, gate.where(), seed);
        });
    }

    private void read(LatencyBudget budget) {
        AttributeCheck check = new AttributeCheck(LatencyBudget.class, gate.where());
        if (!workload.isOfFile() || budget.promptTokens() != 0) {
            requirePromptTokens(check, budget.promptTokens());
        }
        requireNew(check, latencyLengths, budget.promptTokens());
        run.agree(check, RunAttributes.of(budget));
        new LatencyLimits(check, budget).limits().forEach(this::add);
        promptTokens.add(budget.promptTokens());
    }

    private void read(TtftByPromptLength budget) {
        AttributeCheck check = new AttributeCheck(TtftByPromptLength.class, gate.where());
        if (workload.isOfFile()) {
            check.require(
                    budget.promptTokens().length == 0,
                    "promptTokens",
                    Arrays.toString(budget.promptTokens()),
                    "the file of @PromptWorkload says which lengths are run; leave it out");
            run.agree(check, RunAttributes.of(budget));
            new TtftTable(check, budget).limitsForAll().forEach(this::add);
            return;
        }
        SortedSet<Integer> lengths = lengths(check, budget.promptTokens());
        run.agree(check, RunAttributes.of(budget));
        new TtftTable(check, budget).limits(lengths).forEach(this::add);
        promptTokens.addAll(lengths);
    }

    private void read(GoodputBudget budget) {
        AttributeCheck check = new AttributeCheck(GoodputBudget.class, gate.where());
        requirePromptTokens(check, budget.promptTokens());
        requireNew(check, goodputLengths, budget.promptTokens());
        run.agree(check, RunAttributes.of(budget));
        new GoodputLimits(check, budget).limits().forEach(this::add);
        promptTokens.add(budget.promptTokens());
    }

    private void read(ThroughputBudget budget) {
        AttributeCheck check = new AttributeCheck(ThroughputBudget.class, gate.where());
        check.require(
                !workload.isOfFile(),
                "a rate names the prompt lengths that it holds for, and those of a file are not known before it has run; give @PromptWorkload `promptTokens` and `weights`, or leave the rate out");
        check.require(
                openLoop.isEmpty(),
                "a rate in tokens holds for a concurrency, and in an open loop how many are in flight is a result; move it to a test without @OpenLoop");
        check.require(
                !workload.isOfThinkers(),
                "a rate in tokens holds for a concurrency, and of users who think fewer are in flight; move it to a test whose @PromptWorkload has no `thinkMs`");
        SortedSet<Integer> lengths = lengths(check, budget.promptTokens());
        Sampling sampling = run.agree(check, RunAttributes.of(budget));
        ThroughputConditions conditions = new ThroughputConditions(
                lengths,
                workload.shares().filter(shares -> shares.weights().keySet().equals(lengths)),
                sampling,
                budget.concurrency(),
                new Limit(check, "maxDeviceMemoryGiB", budget.maxDeviceMemoryGiB(), false).gibibytes());
        Limit decode = new Limit(check, "minDecodeTgs", budget.minDecodeTgs(), true);
        Limit request = new Limit(check, "minRequestTgs", budget.minRequestTgs(), false);
        Limit system = new Limit(check, "minTgs", budget.minTgs(), false);
        List<Limit> set =
                Stream.of(decode, request, system).filter(Limit::isSet).toList();
        Limit.requireOne(check, Stream.of("minDecodeTgs", "minRequestTgs", "minTgs"), !set.isEmpty());
        set.forEach(l -> l.requireTokens(budget.outputTokens()));
        if (decode.isSet()) {
            add(decode.set(ThroughputRule.decodeTgs(Percentile.P95, decode.value(), conditions)));
        }
        if (request.isSet()) {
            add(request.set(ThroughputRule.requestTgs(Percentile.P95, request.value(), conditions)));
        }
        if (system.isSet()) {
            add(system.set(new SystemThroughputRule(system.value(), conditions)));
        }
        promptTokens.addAll(lengths);
    }

    private void read(RunBudget budget) {
        AttributeCheck check = new AttributeCheck(RunBudget.class, gate.where());
        check.require(
                !promptTokens.isEmpty() || !rules.isEmpty(),
                "it says nothing about what to run; put it beside a @LatencyBudget, or another budget with a prompt length");
        Limit failures = new Limit(check, "maxFailureShare", budget.maxFailureShare(), false);
        Limit memory = new Limit(check, "maxDeviceMemoryGiB", budget.maxDeviceMemoryGiB(), false);
        Limit ttftDrift = new Limit(check, "maxTtftDrift", budget.maxTtftDrift(), false);
        Limit tpotDrift = new Limit(check, "maxTpotDrift", budget.maxTpotDrift(), true);
        Limit.requireOne(
                check,
                Stream.of("maxFailureShare", "maxTtftDrift", "maxTpotDrift", "maxDeviceMemoryGiB"),
                Stream.of(failures, ttftDrift, tpotDrift, memory).anyMatch(Limit::isSet));
        if (failures.isSet()) {
            add(failures.set(FailureRule.atMost(failures.share())));
        }
        addDrift(Metric.TTFT, ttftDrift);
        addDrift(Metric.TPOT, tpotDrift);
        if (memory.isSet()) {
            add(memory.set(DeviceMemoryRule.atMostBytes(memory.gibibytes())));
        }
    }

    private void addDrift(Metric metric, Limit drift) {
        if (drift.isSet()) {
            new AttributeCheck(RunBudget.class, gate.where())
                    .require(
                            !workload.isOfFile(),
                            "a drift is one at a prompt length, and the prompts of a file have many; leave it out, for the guard `max-drift` looks at all of them");
            drift.check()
                    .require(
                            openLoop.filter(o -> o.arrivals() instanceof Arrivals.Ramp)
                                    .isEmpty(),
                            drift.attribute(),
                            drift.value(),
                            "the load of a ramp changes by itself; leave it out, or set other `arrivals` of @OpenLoop");
            drift.requireTokens(run.outputTokens());
            promptTokens.forEach(length -> add(drift.set(new DriftRule(metric, drift.share(), length))));
        }
    }

    private void add(SetLimit limit) {
        rules.add(limit.rule());
        waivers.add(limit);
    }

    private void requireTheLengthsOfTheRun(ThroughputBudget budget) {
        AttributeCheck check = new AttributeCheck(ThroughputBudget.class, gate.where());
        SortedSet<Integer> lengths = lengths(check, budget.promptTokens());
        check.require(
                lengths.equals(promptTokens),
                "promptTokens",
                lengths,
                "the budgets of one gate judge one run, and a rate holds for its prompt lengths only: name "
                        + promptTokens + " here, or move the budget to a test of its own");
    }

    private static SortedSet<Integer> lengths(AttributeCheck check, int[] promptTokens) {
        SortedSet<Integer> lengths = IntStream.of(promptTokens).boxed().collect(Collectors.toCollection(TreeSet::new));
        check.require(!lengths.isEmpty(), "promptTokens", "{}", "name at least one prompt length");
        lengths.forEach(p -> requirePromptTokens(check, p));
        return lengths;
    }

    private static void requirePromptTokens(AttributeCheck check, int value) {
        check.require(
                value >= 1,
                "promptTokens",
                value,
                "a limit is bound to a prompt length: name it, in tokens, BOS included, at least 1");
    }

    private static void requireNew(AttributeCheck check, Set<Integer> lengths, int promptTokens) {
        check.require(
                lengths.add(promptTokens),
                "promptTokens",
                promptTokens,
                "another budget on the same element is about this prompt length already; put all its limits into one");
    }
}
