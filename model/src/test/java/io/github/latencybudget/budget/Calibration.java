package io.github.latencybudget.budget;

import io.github.latencybudget.metric.RankedValues;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Simulates gates on a P95 at 95% confidence, and counts how often they are wrong and how many requests they take. Run as a
 * program it prints the tables of {@code docs/statistics.md}: the command stands there.
 *
 * @param max how many requests a gate measures at most
 * @param gates how many gates to simulate
 */
record Calibration(Stream stream, double p95, int max, int gates) {

    static final List<Double> PLACES = List.of(0.8, 0.95, 1.0, 1.05, 1.25);

    private static final double ALLOWED = 0.05;
    private static final double ALPHA = Confidence.DEFAULT.alpha();

    static Calibration of(Stream stream, int max, int gates) {
        return new Calibration(stream, stream.p95(), max, gates);
    }

    /**
     * What came of the gates.
     *
     * @param fixedPass the share that a fixed sample of as many requests as there are at most passes: the exact binomial test,
     *     or Hoeffding's bound where a request gives several values or several are in flight
     */
    record Result(
            double pass, double breach, double correlated, double requests, double fixedPass, double fixedBreach) {}

    /** @param place the true P95 as a share of the limit */
    Result at(double place) {
        Random random = new Random(Double.hashCode(place) + 31L * stream.ordinal());
        double limit = p95 / place;
        int pass = 0;
        int breach = 0;
        int correlated = 0;
        long requests = 0;
        int fixedPass = 0;
        int fixedBreach = 0;
        for (int gate = 0; gate < gates; gate++) {
            Supplier<double[]> source = stream.requests(random);
            Rounds<double[]> rounds = new Rounds<>(List.of(512), stream.inFlight());
            Trial trial = new Trial(Bet.onShare(ALLOWED), ALPHA, rounds.chains(), limit / 2, true);
            double sum = 0;
            int decidedAfter = 0;
            for (int i = 1; i <= max; i++) {
                double[] values = source.get();
                double share = shareBeyond(values, limit);
                sum += share;
                if (decidedAfter == 0) {
                    rounds.add(512, new double[] {share, RankedValues.mean(values)})
                            .ifPresent(round -> trial.add(mean(round, 0), mean(round, 1)));
                    decidedAfter = trial.isDecided() ? i : 0;
                }
            }
            pass += trial.isShownToHold() && !trial.isShownToBeBroken() ? 1 : 0;
            breach += trial.isShownToBeBroken() && !trial.isShownToHold() ? 1 : 0;
            correlated += trial.correlation().isPresent() ? 1 : 0;
            requests += decidedAfter == 0 ? max : decidedAfter;
            boolean isOne = stream.requests(random).get().length == 1 && stream.inFlight() == 1;
            fixedPass += isOne ? binomialPass(sum) : hoeffdingPass(sum);
            fixedBreach += isOne ? binomialBreach(sum) : hoeffdingBreach(sum);
        }
        double n = gates;
        return new Result(pass / n, breach / n, correlated / n, requests / n, fixedPass / n, fixedBreach / n);
    }

    private static double shareBeyond(double[] values, double limit) {
        int beyond = 0;
        for (double value : values) {
            beyond += value > limit ? 1 : 0;
        }
        return beyond / (double) values.length;
    }

    private static double mean(List<double[]> round, int column) {
        return round.stream().mapToDouble(r -> r[column]).average().orElseThrow();
    }

    private int binomialPass(double beyond) {
        return binomialAtMost((int) Math.round(beyond)) <= ALPHA ? 1 : 0;
    }

    private int binomialBreach(double beyond) {
        return 1 - binomialAtMost((int) Math.round(beyond) - 1) <= ALPHA ? 1 : 0;
    }

    private double binomialAtMost(int k) {
        double term = Math.pow(1 - ALLOWED, max);
        double sum = 0;
        for (int i = 0; i <= k; i++) {
            sum += term;
            term *= (max - i) / (i + 1.0) * ALLOWED / (1 - ALLOWED);
        }
        return sum;
    }

    private int hoeffdingPass(double sum) {
        return sum / max < ALLOWED && hoeffding(sum / max) <= ALPHA ? 1 : 0;
    }

    private int hoeffdingBreach(double sum) {
        return sum / max > ALLOWED && hoeffding(sum / max) <= ALPHA ? 1 : 0;
    }

    private double hoeffding(double x) {
        double divergence =
                (x == 0 ? 0 : x * Math.log(x / ALLOWED)) + (x == 1 ? 0 : (1 - x) * Math.log((1 - x) / (1 - ALLOWED)));
        return Math.exp(-(max / stream.inFlight()) * divergence);
    }

    /** @param arguments how many gates per point, and how many requests at most (4 times as many with 4 in flight) */
    public static void main(String[] arguments) {
        int gates = Integer.parseInt(arguments[0]);
        int max = Integer.parseInt(arguments[1]);
        System.out.printf(Locale.ROOT, "%d gates per point, at most %d requests%n", gates, max);
        System.out.println(
                "| stream | true P95 / limit | PASS | BREACH | requests | correlation found | fixed: PASS | fixed: BREACH |");
        System.out.println("|---|---|---|---|---|---|---|---|");
        for (Stream stream : Stream.values()) {
            int most = max * stream.inFlight();
            Calibration calibration = of(stream, most, gates);
            for (double place : PLACES) {
                Result r = calibration.at(place);
                System.out.printf(
                        Locale.ROOT,
                        "| %s | %.2f | %.1f%% | %.1f%% | %.0f of %d | %.1f%% | %.1f%% | %.1f%% |%n",
                        stream.label(),
                        place,
                        100 * r.pass(),
                        100 * r.breach(),
                        r.requests(),
                        most,
                        100 * r.correlated(),
                        100 * r.fixedPass(),
                        100 * r.fixedBreach());
            }
        }
    }
}
