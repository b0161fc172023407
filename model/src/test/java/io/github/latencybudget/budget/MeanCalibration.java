package io.github.latencybudget.budget;

import io.github.latencybudget.metric.RankedValues;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Simulates gates on a mean, and on the system TGS, at 95% confidence: as {@link Calibration}, whose streams it takes. Run as a
 * program it prints the tables of {@code docs/statistics.md}.
 *
 * @param mean the true one: of the values, or of the time per token of the blocks
 * @param inFlight how many requests the system serves at a time; 0 for a rule on the mean of the values
 * @param max how many requests a gate measures at most
 */
record MeanCalibration(Stream stream, double mean, int inFlight, int max, int gates) {

    private static final double ALPHA = Confidence.DEFAULT.alpha();
    private static final int LONG_RUN = 400_000;
    private static final double UNIT = 1e9;

    static MeanCalibration ofValues(Stream stream, int max, int gates) {
        Supplier<double[]> source = stream.requests(new Random(98));
        double sum = 0;
        for (int i = 0; i < LONG_RUN; i++) {
            sum += RankedValues.mean(source.get());
        }
        return new MeanCalibration(stream, sum / LONG_RUN, 0, max, gates);
    }

    /** The streams' values are how long each request takes. */
    static MeanCalibration ofSystem(Stream stream, int inFlight, int max, int gates) {
        List<Double> blocks = blocks(stream.requests(new Random(98)), inFlight, LONG_RUN);
        double mean = blocks.stream().mapToDouble(b -> b).average().orElseThrow();
        return new MeanCalibration(stream, mean, inFlight, max, gates);
    }

    record Result(double pass, double breach, double correlated, double requests) {}

    /** @param place the true mean as a share of the limit */
    Result at(double place) {
        Random random = new Random(Double.hashCode(place) + 31L * stream.ordinal() + inFlight);
        double limit = mean / place;
        int pass = 0;
        int breach = 0;
        int correlated = 0;
        long requests = 0;
        for (int gate = 0; gate < gates; gate++) {
            Rounds<Double> rounds = new Rounds<>(List.of(512), inFlight > 0 ? 1 : stream.inFlight());
            Trial trial = new Trial(Bet.onMean(limit), ALPHA, rounds.chains(), limit / 2, true);
            int inOne = Math.max(rounds.size(), inFlight);
            Supplier<double[]> source = stream.requests(random);
            List<Double> samples = inFlight > 0 ? blocks(source, inFlight, max) : values(source);
            for (double sample : samples) {
                rounds.add(512, sample)
                        .map(round ->
                                round.stream().mapToDouble(v -> v).average().orElseThrow())
                        .ifPresent(mean -> trial.add(mean, mean));
                if (trial.isDecided()) {
                    break;
                }
            }
            pass += trial.isShownToHold() && !trial.isShownToBeBroken() ? 1 : 0;
            breach += trial.isShownToBeBroken() && !trial.isShownToHold() ? 1 : 0;
            correlated += trial.correlation().isPresent() ? 1 : 0;
            requests += trial.isDecided() ? (long) trial.decidedAfter() * inOne : max;
        }
        double n = gates;
        return new Result(pass / n, breach / n, correlated / n, requests / n);
    }

    private List<Double> values(Supplier<double[]> source) {
        List<Double> values = new ArrayList<>();
        for (int i = 0; i < max; i++) {
            values.add(RankedValues.mean(source.get()));
        }
        return values;
    }

    /** A closed loop: whenever a request ends, the next starts. */
    private static List<Double> blocks(Supplier<double[]> source, int inFlight, int requests) {
        PriorityQueue<Double> free = new PriorityQueue<>();
        for (int i = 0; i < inFlight; i++) {
            free.add(0.0);
        }
        List<Double> blocks = new ArrayList<>();
        Blocks ofRun = new Blocks(inFlight);
        for (int i = 0; i < requests; i++) {
            double start = free.remove();
            double end = start + RankedValues.mean(source.get());
            free.add(end);
            TokenTrace trace = new TokenTrace(
                    i, 512, 1, (long) (UNIT * start), new long[] {(long) (UNIT * end)}, Outcome.COMPLETED, null);
            OptionalDouble block = ofRun.add(trace);
            block.ifPresent(b -> blocks.add(b / UNIT));
        }
        return blocks;
    }

    private static String line(String label, MeanCalibration calibration, double place) {
        Result r = calibration.at(place);
        return String.format(
                Locale.ROOT,
                "| %s | %.2f | %.1f%% | %.1f%% | %.0f of %d | %.1f%% |",
                label,
                place,
                100 * r.pass(),
                100 * r.breach(),
                r.requests(),
                calibration.max(),
                100 * r.correlated());
    }

    /** @param arguments how many gates per point, and how many requests at most (as many times more with several in flight) */
    public static void main(String[] arguments) {
        int gates = Integer.parseInt(arguments[0]);
        int max = Integer.parseInt(arguments[1]);
        Map<String, MeanCalibration> calibrations = new LinkedHashMap<>();
        for (Stream stream : Stream.values()) {
            calibrations.put("mean: " + stream.label(), ofValues(stream, max * stream.inFlight(), gates));
        }
        for (Stream stream : List.of(
                Stream.INDEPENDENT, Stream.BIMODAL, Stream.HEAVY_TAILED, Stream.SUCCESSIVE_03, Stream.FOUR_IN_FLIGHT)) {
            for (int inFlight : new int[] {1, 4}) {
                calibrations.put(
                        "system TGS, %d in flight, each takes: %s".formatted(inFlight, stream.label()),
                        ofSystem(stream, inFlight, max * inFlight, gates));
            }
        }
        System.out.println("| stream | true mean / limit | PASS | BREACH | requests | correlation found |");
        System.out.println("|---|---|---|---|---|---|");
        calibrations.entrySet().stream()
                .flatMap(c -> Calibration.PLACES.stream()
                        .map(place -> (Supplier<String>) () -> line(c.getKey(), c.getValue(), place)))
                .toList()
                .parallelStream()
                .map(Supplier::get)
                .forEachOrdered(System.out::println);
    }
}
