package io.github.latencybudget.baseline;

import io.github.latencybudget.budget.Confidence;
import io.github.latencybudget.budget.RequestSample;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.trace.Conditions;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apiguardian.api.API;

/**
 * Two runs of one load on two targets. It judges nothing and says which is better of neither: model, device and network may all
 * differ between two targets, and a factor is that of all of them together.
 *
 * @param confidence of each bound
 * @param refusals why there is no factor, each with its values; empty where there is
 * @param ratios each metric at each prompt length; empty where there is no factor
 * @param leftOut which metrics have none, and why
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record SideBySide(Confidence confidence, List<String> refusals, List<TargetRatio> ratios, List<String> leftOut) {

    private static final List<Metric> METRICS =
            List.of(Metric.TTFT, Metric.ITL, Metric.TPOT, Metric.E2E, Metric.DECODE_TGS);

    /** It decides nothing here, and a test of a change has one. */
    private static final double ANY_TOLERANCE = 10;

    private static final String ENDED_EARLY =
            "no bounds: the runs ended once their rules were decided, and bounds at a confidence need a number of requests that was set before";

    public SideBySide {
        refusals = List.copyOf(refusals);
        ratios = List.copyOf(ratios);
        leftOut = List.copyOf(leftOut);
    }

    /**
     * One of the two.
     *
     * @param name what the target is called, such as {@code local}
     * @param measurement its run
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record Run(String name, Measurement measurement) {

        private RequestSample sample(Metric metric, int length) {
            return new RequestSample(
                    metric,
                    completed(length),
                    Math.max(1, measurement.conditions().concurrency()));
        }

        private List<TokenTrace> completed(int length) {
            return measurement.completed().stream()
                    .filter(t -> t.promptTokens() == length)
                    .toList();
        }

        /** What is known of the others need not hold for these. */
        private int withoutValue(Metric metric, int length) {
            return completed(length).size() - sample(metric, length).traces().size();
        }

        private Optional<String> ofAFile() {
            return measurement
                    .conditions()
                    .workload()
                    .file()
                    .map(
                            file ->
                                    "prompts: those of a file have lengths of their own, and hardly two have one; put runs of declared lengths side by side");
        }

        private Stream<String> obstacles() {
            return Baseline.obstacles(measurement).stream().map(o -> name + ": " + o);
        }
    }

    /**
     * Puts two runs side by side. Pure: the same two runs give the same.
     *
     * @param isFixed whether the number of requests was set before: bounds are given only then
     * @return without a factor where the loads differ, or a run shows nothing, and with the reasons
     */
    public static SideBySide of(Run first, Run second, Confidence confidence, boolean isFixed) {
        List<String> refusals = Stream.of(differences(first, second), first.obstacles(), second.obstacles())
                .flatMap(Function.identity())
                .toList();
        if (!refusals.isEmpty()) {
            return new SideBySide(confidence, refusals, List.of(), List.of());
        }
        List<TargetRatio> ratios = new ArrayList<>();
        Set<String> leftOut = new LinkedHashSet<>();
        for (int length :
                first.measurement().conditions().requestsByPromptTokens().keySet()) {
            for (Metric metric : METRICS) {
                Optional<String> reason = absence(metric, first, second, length);
                if (reason.isPresent()) {
                    leftOut.add(reason.get());
                } else {
                    ratios(
                                    metric,
                                    new ChangeTest(
                                            first.sample(metric, length),
                                            second.sample(metric, length),
                                            length,
                                            new Tolerance(ANY_TOLERANCE, false, confidence)))
                            .map(c -> TargetRatio.of(c, isFixed ? Optional.empty() : Optional.of(ENDED_EARLY)))
                            .forEach(ratios::add);
                }
            }
        }
        return new SideBySide(confidence, List.of(), ratios, List.copyOf(leftOut));
    }

    private static Stream<Change> ratios(Metric metric, ChangeTest test) {
        return metric.unit() == Metric.Unit.NANOSECONDS
                ? Stream.of(test.typical(), test.p95())
                : Stream.of(test.typical());
    }

    private static Optional<String> absence(Metric metric, Run first, Run second, int length) {
        Optional<String> withoutMemory = Stream.of(first, second)
                .filter(r -> metric == Metric.DECODE_TGS)
                .filter(r -> r.measurement().peakDeviceMemoryBytes().isEmpty())
                .map(Run::name)
                .findFirst();
        if (withoutMemory.isPresent()) {
            return withoutMemory.map(name -> String.format(
                    Locale.ROOT,
                    "decode TGS: the device memory of %s is not known, and a TGS value without it says nothing; TPOT says how fast tokens come",
                    name));
        }
        Optional<String> notMeasured = Stream.of(first, second)
                .filter(r -> r.completed(length).isEmpty())
                .findFirst()
                .map(r -> String.format(
                        Locale.ROOT,
                        "%s for prompts of %d tokens: no request of %s completed",
                        metric.label(),
                        length,
                        r.name()));
        return notMeasured.or(() -> Stream.of(first, second)
                .filter(r -> r.withoutValue(metric, length) > 0)
                .findFirst()
                .map(r -> String.format(
                        Locale.ROOT,
                        "%s for prompts of %d tokens: %d of %d requests of %s gave no value",
                        metric.label(),
                        length,
                        r.withoutValue(metric, length),
                        r.completed(length).size(),
                        r.name())));
    }

    /** Of the load alone: that the targets differ is what they are put side by side for. */
    private static Stream<String> differences(Run first, Run second) {
        return Stream.of(
                        difference(
                                "prompt lengths",
                                c -> c.requestsByPromptTokens().keySet(),
                                first,
                                second),
                        difference("output tokens", Conditions::outputTokens, first, second),
                        // Of an open loop, how many were in flight is a result.
                        difference("load", Conditions::load, first, second),
                        difference("sampling", c -> c.sampling().withSeed(0), first, second),
                        difference("prompts", Conditions::workload, first, second),
                        first.ofAFile())
                .flatMap(Optional::stream);
    }

    private static Optional<String> difference(
            String name, Function<Conditions, Object> condition, Run first, Run second) {
        Object ofFirst = condition.apply(first.measurement().conditions());
        Object ofSecond = condition.apply(second.measurement().conditions());
        return ofFirst.equals(ofSecond)
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT, "%s: %s has %s, %s %s", name, first.name(), ofFirst, second.name(), ofSecond));
    }
}
