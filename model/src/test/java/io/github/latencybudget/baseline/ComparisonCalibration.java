package io.github.latencybudget.baseline;

import io.github.latencybudget.budget.RequestSample;
import io.github.latencybudget.budget.Stream;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Simulates runs and their baselines, and counts how often a comparison is wrong. Run as a program it prints the table of
 * {@code docs/baselines.md}: the command stands there.
 *
 * @param requests how many requests each side has
 * @param comparisons how many comparisons to simulate
 */
record ComparisonCalibration(Stream stream, int requests, int comparisons) {

    static final List<Double> FACTORS = List.of(0.8, 1.0, 1.05, 1.1, 1.25);

    private static final Tolerance TOLERANCE = Tolerance.ofPercent(10);

    /**
     * What came of them.
     *
     * @param above how often the lower bound lay above the true factor
     * @param below how often the upper bound lay below it
     */
    record Result(Map<ChangeStatus, Double> shares, double above, double below) {

        double share(ChangeStatus status) {
            return shares.getOrDefault(status, 0.0);
        }

        double passes() {
            return share(ChangeStatus.IMPROVED) + share(ChangeStatus.SAME) + share(ChangeStatus.NOT_WORSE);
        }
    }

    Result at(double factor, Change.Statistic statistic) {
        Random random = new Random(Double.hashCode(factor) + 31L * stream.ordinal() + requests);
        Map<ChangeStatus, Double> shares = new EnumMap<>(ChangeStatus.class);
        int above = 0;
        int below = 0;
        for (int i = 0; i < comparisons; i++) {
            ChangeTest test = new ChangeTest(sample(random, 1), sample(random, factor), 512, TOLERANCE);
            Change change = statistic == Change.Statistic.TYPICAL ? test.typical() : test.p95();
            shares.merge(change.status(), 1.0 / comparisons, Double::sum);
            above += change.lower().orElse(0) > factor ? 1 : 0;
            below += change.upper().orElse(Double.POSITIVE_INFINITY) < factor ? 1 : 0;
        }
        return new Result(shares, above / (double) comparisons, below / (double) comparisons);
    }

    private RequestSample sample(Random random, double factor) {
        Supplier<double[]> source = stream.requests(random);
        List<TokenTrace> traces = new ArrayList<>();
        boolean isGaps = false;
        for (int request = 0; request < requests; request++) {
            double[] values = source.get();
            isGaps = values.length > 1;
            traces.add(isGaps ? ofGaps(request, values, factor) : ofTtft(request, values[0], factor));
        }
        return new RequestSample(isGaps ? Metric.ITL : Metric.TTFT, traces, stream.inFlight());
    }

    private static TokenTrace ofTtft(int request, double value, double factor) {
        return trace(request, new long[] {nanos(value * factor)});
    }

    private static TokenTrace ofGaps(int request, double[] values, double factor) {
        long[] arrivals = new long[values.length + 1];
        arrivals[0] = 1;
        for (int i = 0; i < values.length; i++) {
            arrivals[i + 1] = arrivals[i] + nanos(values[i] * factor);
        }
        return trace(request, arrivals);
    }

    private static TokenTrace trace(int request, long[] arrivals) {
        return new TokenTrace(request, 512, arrivals.length, 0, arrivals, Outcome.COMPLETED, null);
    }

    private static long nanos(double value) {
        return Math.round(value * 2e7);
    }

    /** @param arguments how many comparisons per point, and how many requests a side (4 times as many with 4 in flight) */
    public static void main(String[] arguments) {
        int comparisons = Integer.parseInt(arguments[0]);
        int requests = Integer.parseInt(arguments[1]);
        System.out.println(
                "| stream | of | true factor | IMPROVED | SAME | NOT_WORSE | WORSE | INCONCLUSIVE | lower bound wrong | upper bound wrong |");
        System.out.println("|---|---|---|---|---|---|---|---|---|---|");
        List<Supplier<String>> lines = new ArrayList<>();
        for (Stream stream : Stream.values()) {
            ComparisonCalibration calibration =
                    new ComparisonCalibration(stream, requests * stream.inFlight(), comparisons);
            for (Change.Statistic statistic : Change.Statistic.values()) {
                for (double factor : statistic == Change.Statistic.TYPICAL ? FACTORS : List.of(1.0, 1.1, 1.25)) {
                    lines.add(() -> line(stream, statistic, factor, calibration.at(factor, statistic)));
                }
            }
        }
        lines.parallelStream().map(Supplier::get).forEachOrdered(System.out::println);
    }

    private static String line(Stream stream, Change.Statistic statistic, double factor, Result result) {
        return String.format(
                Locale.ROOT,
                "| %s | %s | %.2f | %.1f%% | %.1f%% | %.1f%% | %.1f%% | %.1f%% | %.1f%% | %.1f%% |",
                stream.label(),
                statistic == Change.Statistic.TYPICAL ? "typical" : "P95",
                factor,
                100 * result.share(ChangeStatus.IMPROVED),
                100 * result.share(ChangeStatus.SAME),
                100 * result.share(ChangeStatus.NOT_WORSE),
                100 * result.share(ChangeStatus.WORSE),
                100 * result.share(ChangeStatus.INCONCLUSIVE),
                100 * result.above(),
                100 * result.below());
    }
}
