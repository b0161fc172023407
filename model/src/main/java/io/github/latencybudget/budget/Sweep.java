package io.github.latencybudget.budget;

import io.github.latencybudget.metric.SystemThroughput;
import io.github.latencybudget.trace.Measurement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apiguardian.api.API;

/**
 * Runs of one scenario under one load after the other, each judged by itself.
 *
 * @param unit what a load is counted in
 * @param atLeast the load up to which every step has to hold, one of those that were planned
 * @param planned the loads, in ascending order
 * @param steps those that were measured, the first ones that were planned; at least one
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Sweep(Unit unit, double atLeast, List<Double> planned, List<Step> steps) {

    /** What a load is counted in. */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public enum Unit {
        /** How many requests are in flight at a time, in a closed loop. */
        CONCURRENCY,
        /** How many requests are due per second, in an open loop. */
        REQUESTS_PER_SECOND;

        /** {@return such as {@code concurrency 4} or {@code 2.5 requests/s}} */
        public String text(double load) {
            String number = load == Math.rint(load) ? String.format(Locale.ROOT, "%.0f", load) : Double.toString(load);
            return this == CONCURRENCY ? "concurrency " + number : number + " requests/s";
        }
    }

    /**
     * One run.
     *
     * @param load in the unit of the sweep
     * @param measurement what was measured
     * @param status what was shown of its budget as a whole
     * @param requestsNeeded how many requests would show it to hold if no further value lay beyond a limit, more than were measured;
     *     empty where it is decided, or more requests are not what it takes
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record Step(double load, Measurement measurement, Status status, OptionalInt requestsNeeded) {

        /** One that more requests would not decide. */
        public Step(double load, Measurement measurement, Status status) {
            this(load, measurement, status, OptionalInt.empty());
        }

        /** {@return a step with what was shown of it} */
        public static Step of(double load, Verdicts verdicts) {
            return new Step(load, verdicts.measurement(), verdicts.status(), requestsNeeded(verdicts));
        }

        private static OptionalInt requestsNeeded(Verdicts verdicts) {
            List<Verdict> open = verdicts.verdicts().stream()
                    .filter(v -> v.status() == Status.INCONCLUSIVE)
                    .toList();
            List<Integer> needed = open.stream()
                    .flatMap(v -> v.evidence().stream())
                    .filter(e -> e.requestsNeeded().orElse(0) > e.requests())
                    .map(e -> e.requestsNeeded().getAsInt())
                    .toList();
            // Where something else keeps one of them open, no number of requests decides the step.
            return verdicts.status() == Status.INCONCLUSIVE
                            && verdicts.findings().isEmpty()
                            && needed.size() == open.size()
                    ? needed.stream().mapToInt(Integer::intValue).max()
                    : OptionalInt.empty();
        }

        /** {@return whether every rule was shown to hold} */
        public boolean holds() {
            return status == Status.PASS;
        }

        private String statusText() {
            return status.name().replace('_', ' ');
        }
    }

    /** @throws IllegalArgumentException without a step, or where the steps are not the first of the planned loads */
    public Sweep {
        planned = List.copyOf(planned);
        steps = List.copyOf(steps);
        if (steps.isEmpty()
                || steps.size() > planned.size()
                || !steps.stream().map(Step::load).toList().equals(planned.subList(0, steps.size()))) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "steps at %s: must be the first of the loads %s, at least one",
                    steps.stream().map(Step::load).toList(),
                    planned));
        }
        if (!planned.contains(atLeast)) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "atLeast = %s: must be one of the loads %s", atLeast, planned));
        }
    }

    /** {@return the highest load up to which every step was shown to hold; empty where the first was not} */
    public OptionalDouble highestThatHolds() {
        OptionalDouble highest = OptionalDouble.empty();
        for (Step step : steps) {
            if (!step.holds()) {
                return highest;
            }
            highest = OptionalDouble.of(step.load());
        }
        return highest;
    }

    /** {@return the step that decides: the first one up to the load that has to hold that does not, else that load's} */
    public Step deciding() {
        return steps.get(decidingIndex());
    }

    private int decidingIndex() {
        int deciding = 0;
        for (int i = 0; i < steps.size() && steps.get(i).load() <= atLeast; i++) {
            deciding = i;
            if (!steps.get(i).holds()) {
                return i;
            }
        }
        return deciding;
    }

    /**
     * {@return what was shown of each rule by the sweep as a whole}
     *
     * <p>A rule has the verdict of the first step, up to the load that has to hold, that does not show it to hold. Where it holds at
     * each of them and the sweep ended before that load, because another rule did not hold, it was not shown to hold.
     *
     * @param ofSteps what was shown of each step, in their order
     */
    public Verdicts verdicts(List<Verdicts> ofSteps) {
        int deciding = decidingIndex();
        Verdicts own = ofSteps.get(deciding);
        List<Verdict> verdicts = IntStream.range(0, own.verdicts().size())
                .mapToObj(rule -> verdict(rule, deciding, ofSteps))
                .toList();
        return new Verdicts(own.measurement(), own.confidence(), verdicts, own.findings());
    }

    private Verdict verdict(int rule, int deciding, List<Verdicts> ofSteps) {
        for (int i = 0; i < steps.size() && steps.get(i).load() <= atLeast; i++) {
            Verdict here = ofSteps.get(i).verdicts().get(rule);
            if (here.status() != Status.PASS) {
                return i == deciding
                        ? here
                        : here.because("at " + unit.text(steps.get(i).load()));
            }
        }
        Verdict held = ofSteps.get(deciding).verdicts().get(rule);
        double last = steps.get(steps.size() - 1).load();
        return last >= atLeast
                ? held
                : held.notShown(String.format(
                        Locale.ROOT,
                        "the sweep ended with %s, before %s was measured, up to which it has to hold; mend what was broken there first, or have the sweep go on with stopAtBreach = false",
                        unit.text(last),
                        unit.text(atLeast)));
    }

    /** {@return the loads that were planned and not measured, for a step before was broken or something broke it off} */
    public List<Double> notMeasured() {
        return planned.subList(steps.size(), planned.size());
    }

    /**
     * {@return the output tokens per second of a step as a multiple of those of the first; empty where either gave none}
     *
     * <p>No rate by itself, so it needs none of the four conditions of one.
     */
    public OptionalDouble timesTheFirst(Step step) {
        OptionalDouble first = tokensPerSecond(steps.get(0));
        OptionalDouble here = tokensPerSecond(step);
        return first.isEmpty() || here.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(here.getAsDouble() / first.getAsDouble());
    }

    /** {@return that multiple as a share of how many times the first load the load is: 1 for one that scales ideally} */
    public OptionalDouble efficiency(Step step) {
        OptionalDouble times = timesTheFirst(step);
        return times.isEmpty()
                ? times
                : OptionalDouble.of(
                        times.getAsDouble() / (step.load() / steps.get(0).load()));
    }

    private static OptionalDouble tokensPerSecond(Step step) {
        return SystemThroughput.of(step.measurement().traces()).stream()
                .mapToDouble(SystemThroughput::systemTgs)
                .findFirst();
    }

    /** {@return what came of it, in one sentence} */
    public String text() {
        Optional<Step> next = steps.stream().filter(s -> !s.holds()).findFirst();
        List<String> parts = new ArrayList<>(List.of(highest("was shown to hold")));
        next.ifPresent(step -> parts.add(unit.text(step.load()) + " is " + step.statusText() + needs(step)));
        parts.add("it has to hold up to " + unit.text(atLeast));
        if (!notMeasured().isEmpty()) {
            Step last = steps.get(steps.size() - 1);
            parts.add(String.format(
                    Locale.ROOT,
                    "it ended with %s%s, so %s",
                    unit.text(last.load()),
                    next.filter(step -> step == last).isPresent() ? "" : ", which is " + last.statusText(),
                    notMeasuredText()));
        }
        return String.join("; ", parts);
    }

    /** {@return what came of it until something broke it off, in one sentence} */
    public String textSoFar() {
        List<String> parts = new ArrayList<>(List.of(highest("was shown to hold so far")));
        parts.add("it has to hold up to " + unit.text(atLeast));
        if (!notMeasured().isEmpty()) {
            parts.add(notMeasuredText());
        }
        return String.join("; ", parts);
    }

    private String highest(String holds) {
        OptionalDouble highest = highestThatHolds();
        return highest.isPresent()
                ? String.format(Locale.ROOT, "the highest load that %s is %s", holds, unit.text(highest.getAsDouble()))
                : String.format(Locale.ROOT, "not even the lowest load, %s, %s", unit.text(planned.get(0)), holds);
    }

    private String notMeasuredText() {
        return String.format(
                Locale.ROOT,
                "%s %s not measured",
                notMeasured().stream().map(unit::text).collect(Collectors.joining(", ")),
                notMeasured().size() == 1 ? "was" : "were");
    }

    private static String needs(Step step) {
        return step.requestsNeeded().isEmpty()
                ? ""
                : String.format(
                        Locale.ROOT,
                        ", for it takes %d requests if no further value is beyond a limit",
                        step.requestsNeeded().getAsInt());
    }
}
