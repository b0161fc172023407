package io.github.latencybudget.budget;

import static io.github.latencybudget.trace.Traces.MS;

import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.GuardSettings;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Traces;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.function.ToDoubleBiFunction;

/**
 * Simulates gates on a P95 that measure all their requests, because another rule keeps them going, while the share of slow requests
 * changes. Run as a program it prints the tables of {@code docs/statistics.md}: the command stands there.
 *
 * @param label what changes when
 * @param share which share of the requests, or of their gaps, is beyond the limit, by the number of the request; or how large their mean is,
 *     as a share of its limit
 * @param requests how many each gate measures
 * @param inFlight how many at a time
 */
record ChangedRunCalibration(String label, IntToDoubleFunction share, int requests, int inFlight) {

    private static final Duration LIMIT = Duration.ofMillis(100);
    private static final Budget TTFT = Budget.of(LatencyRule.ttft(PromptLength.exactly(512), Percentile.P95, LIMIT));
    private static final Budget GAPS = Budget.of(LatencyRule.itl(Percentile.P95, LIMIT));
    private static final Budget MEAN = Budget.of(MeanLatencyRule.ttft(PromptLength.exactly(512), LIMIT));
    private static final int GAPS_OF_ONE = 20;

    /**
     * What came of the gates, as shares of them.
     *
     * @param shown those that the test alone shows to hold, and not to be broken as well
     * @param pass those of them that the rest of the run bears out
     */
    record Result(double shown, double pass) {}

    static ChangedRunCalibration step(double before, double after, int at, int requests) {
        return new ChangedRunCalibration(
                String.format(Locale.ROOT, "%.1f%%, then %.0f%% after request %s", 100 * before, 100 * after, at),
                i -> i < at ? before : after,
                requests,
                1);
    }

    static ChangedRunCalibration steady(double share, int requests) {
        return new ChangedRunCalibration(
                String.format(Locale.ROOT, "%.0f%% throughout", 100 * share), i -> share, requests, 1);
    }

    private static ChangedRunCalibration drift(double from, double to, int requests) {
        return new ChangedRunCalibration(
                String.format(Locale.ROOT, "%.1f%% that grows to %.0f%%", 100 * from, 100 * to),
                i -> from + (to - from) * i / requests,
                requests,
                1);
    }

    private static ChangedRunCalibration burst(int last, int requests) {
        return new ChangedRunCalibration(
                "0.5%, and all of the last " + last, i -> i < requests - last ? 0.005 : 1, requests, 1);
    }

    ChangedRunCalibration inFlight(int together) {
        return new ChangedRunCalibration(label + ", " + together + " in flight", share, requests, together);
    }

    Result ofRequests(int gates, long seed) {
        return of(TTFT, 0, this::sometimesSlow, gates, seed);
    }

    Result ofGaps(int gates, long seed) {
        return of(GAPS, GAPS_OF_ONE, this::sometimesSlow, gates, seed);
    }

    /** Log-normal times with sigma 0.2. */
    Result ofMeans(int gates, long seed) {
        return of(
                MEAN,
                0,
                (random, i) -> share.applyAsDouble(i) * 100 * Math.exp(0.2 * random.nextGaussian() - 0.02),
                gates,
                seed);
    }

    private double sometimesSlow(Random random, int request) {
        return random.nextDouble() < share.applyAsDouble(request) ? 150 : 50;
    }

    private Result of(Budget budget, int gaps, ToDoubleBiFunction<Random, Integer> millis, int gates, long seed) {
        Random random = new Random(seed);
        int shown = 0;
        int pass = 0;
        for (int gate = 0; gate < gates; gate++) {
            Verdict verdict =
                    budget.evaluate(measured(random, gaps, millis)).verdicts().get(0);
            boolean isPass = verdict.status() == Status.PASS;
            boolean isTakenBack = verdict.reason()
                    .filter(r -> r.startsWith("shown to hold") && !r.contains("and to be broken"))
                    .isPresent();
            pass += isPass ? 1 : 0;
            shown += isPass || isTakenBack ? 1 : 0;
        }
        return new Result(shown / (double) gates, pass / (double) gates);
    }

    /** As many requests at a time as are in flight, each group as long as its slowest could be. */
    private Measurement measured(Random random, int gaps, ToDoubleBiFunction<Random, Integer> millis) {
        Traces run = Traces.run().concurrency(inFlight).guarded(GuardSettings.DEFAULT.without(Guard.MAX_DRIFT));
        for (int i = 0; i < requests; i++) {
            long start = i / inFlight * 200L * (gaps + 1) * MS;
            long[] arrivals = new long[gaps + 1];
            long now = start;
            for (int token = 0; token < arrivals.length; token++) {
                now += Math.round(millis.applyAsDouble(random, i) * MS);
                arrivals[token] = now;
            }
            run.arrivals(start, arrivals);
        }
        return run.measurement();
    }

    /** @param arguments how many gates per line */
    public static void main(String[] arguments) {
        int gates = Integer.parseInt(arguments[0]);
        System.out.println("| beyond the limit | requests | shown to hold | PASS |");
        System.out.println("|---|---|---|---|");
        List<ChangedRunCalibration> all = List.of(
                step(0.005, 0.08, 64, 200),
                step(0.005, 0.10, 64, 200),
                step(0.005, 0.20, 64, 200),
                step(0.005, 0.10, 64, 400),
                step(0.005, 0.08, 100, 200),
                step(0.005, 0.10, 100, 200),
                step(0.005, 0.20, 100, 200),
                step(0.005, 0.08, 150, 200),
                step(0.005, 0.10, 150, 200),
                step(0.005, 0.20, 150, 200),
                drift(0.005, 0.10, 200),
                drift(0.005, 0.15, 200),
                burst(3, 200),
                burst(5, 200),
                burst(10, 200),
                step(0.005, 0.10, 600, 1000).inFlight(4),
                steady(0.01, 80),
                steady(0.01, 200),
                steady(0.01, 400),
                steady(0.02, 80),
                steady(0.02, 200),
                steady(0.02, 400),
                steady(0.05, 400));
        all.parallelStream().map(c -> c.line("", c.ofRequests(gates, 12))).forEachOrdered(System.out::println);
        List.of(step(0.005, 0.07, 64, 200), steady(0.01, 200), steady(0.02, 200)).parallelStream()
                .map(c -> c.line(" of 20 gaps", c.ofGaps(gates, 13)))
                .forEachOrdered(System.out::println);
        System.out.println("| mean / limit | requests | shown to hold | PASS |");
        System.out.println("|---|---|---|---|");
        List.of(
                        step(0.8, 1.1, 64, 200),
                        step(0.8, 1.1, 100, 200),
                        step(0.8, 1.1, 150, 200),
                        steady(0.8, 80),
                        steady(0.8, 200),
                        steady(0.9, 80),
                        steady(0.9, 200),
                        steady(0.95, 200))
                .parallelStream()
                .map(c -> c.line("", c.ofMeans(gates, 14)))
                .forEachOrdered(System.out::println);
    }

    private String line(String of, Result result) {
        return String.format(
                Locale.ROOT,
                "| %s%s | %s | %.1f%% | %.1f%% |",
                label,
                of,
                requests,
                100 * result.shown(),
                100 * result.pass());
    }
}
