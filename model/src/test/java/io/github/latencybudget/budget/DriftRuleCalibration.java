package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import java.util.Locale;
import java.util.Random;

/**
 * Simulates gates on a drift at 95% confidence: log-normal times with sigma 0.2, whose logarithms have a correlation with those of the
 * request before, and a change between the first third and the last. Run as a program it prints the table of {@code
 * docs/statistics.md}.
 *
 * @param inFlight how many successive requests share one time
 */
record DriftRuleCalibration(double correlation, int inFlight, int requests, int gates) {

    static final double LIMIT = 0.1;

    record Result(double pass, double breach) {}

    /**
     * @param change of the true medians, as a share of the first
     * @param isSteady whether the times rise steadily all the while, so that no third has one distribution; else by one step
     */
    Result at(double change, boolean isSteady) {
        Random random = new Random(31L * requests + inFlight + Double.hashCode(change));
        DriftRule rule = new DriftRule(Metric.TTFT, LIMIT, 512);
        int pass = 0;
        int breach = 0;
        for (int gate = 0; gate < gates; gate++) {
            DriftJudgement judgement = DriftJudgement.of(
                            rule, Confidence.DEFAULT, values(random, change, isSteady), requests, inFlight)
                    .orElseThrow();
            pass += judgement.isShownToHold() ? 1 : 0;
            breach += judgement.isShownToBeBroken() ? 1 : 0;
        }
        return new Result(pass / (double) gates, breach / (double) gates);
    }

    private double[] values(Random random, double change, boolean isSteady) {
        double[] values = new double[requests];
        double level = random.nextGaussian();
        for (int i = 0; i < requests; i++) {
            // The middles of the thirds are two thirds of the run apart.
            double share = isSteady ? 1.5 * (i + 0.5) / requests : i < requests / 2 ? 0 : 1;
            values[i] = 1e8 * Math.exp(0.2 * level + share * Math.log1p(change));
            if ((i + 1) % inFlight == 0) {
                level = correlation * level + Math.sqrt(1 - correlation * correlation) * random.nextGaussian();
            }
        }
        return values;
    }

    public static void main(String[] arguments) {
        int gates = Integer.parseInt(arguments[0]);
        System.out.println(
                "| correlation | in flight | requests | change | by a step: PASS | BREACH | steadily: PASS | BREACH |");
        System.out.println("|---|---|---|---|---|---|---|---|");
        for (double correlation : new double[] {0, 0.3, 0.6}) {
            for (int requests : new int[] {200, 2000}) {
                line(correlation, 1, requests, gates);
            }
        }
        line(0, 4, 800, gates);
    }

    private static void line(double correlation, int inFlight, int requests, int gates) {
        for (double change : new double[] {0, 0.05, LIMIT, 0.15, 0.3}) {
            DriftRuleCalibration calibration = new DriftRuleCalibration(correlation, inFlight, requests, gates);
            Result step = calibration.at(change, false);
            Result steady = calibration.at(change, true);
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %d | %d | %.0f%% | %.1f%% | %.1f%% | %.1f%% | %.1f%% |%n",
                    correlation,
                    inFlight,
                    requests,
                    100 * change,
                    100 * step.pass(),
                    100 * step.breach(),
                    100 * steady.pass(),
                    100 * steady.breach());
        }
    }
}
