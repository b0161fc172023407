package io.github.latencybudget.budget;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * How much a sample resembles the next that could be independent of it: the serial correlation of their ranks (Wald and Wolfowitz
 * 1943; Bartels 1982). By ranks, so that an outlier neither makes nor hides one. The next one is that at lag 1, or with several
 * chains the next of its chain.
 *
 * @param coefficient corrected for its mean among independent samples
 * @param samples how many of each chain
 */
record SerialCorrelation(double coefficient, int samples) {

    /** Of fewer the distribution is too coarse. */
    private static final int LEAST_SAMPLES = 12;

    /** The 99th percentile of the normal distribution: of gates on independent samples, one in a hundred is taken to be correlated. */
    private static final double CRITICAL = 2.326;

    private static final double MOST = 0.98;

    /**
     * @param levels one per sample, in order; those from {@code samples} on are not looked at
     * @param chains how many chains they take turns in; each is ranked by itself, for its place in a batch may make it slower
     */
    static SerialCorrelation of(double[] levels, int samples, int chains) {
        double squares = 0;
        double products = 0;
        for (int chain = 0; chain < chains; chain++) {
            double[] ranks = ranks(ofChain(levels, samples, chain, chains));
            double middle = (ranks.length + 1) / 2.0;
            for (int i = 0; i < ranks.length; i++) {
                double deviation = ranks[i] - middle;
                squares += deviation * deviation;
                products += i > 0 ? (ranks[i - 1] - middle) * deviation : 0;
            }
        }
        // Those of several chains may be one and the same moment, so only those of one chain count.
        int ofEach = samples / chains;
        // Where all are equal, none says anything of the next.
        return new SerialCorrelation(squares == 0 ? 0 : products / squares + 1.0 / ofEach, ofEach);
    }

    /**
     * {@return the correlation within the first and the last values, about a straight line through each, so that a steady rise does
     * not count as one}
     *
     * @param values in nanoseconds
     * @param each how many values the first and the last are
     */
    static SerialCorrelation aboutLines(double[] values, int each, int chains) {
        double[] residuals = new double[2 * each];
        residuals(values, 0, residuals, 0, each);
        residuals(values, values.length - each, residuals, each, each);
        SerialCorrelation found = of(residuals, 2 * each, chains);
        // Without correlation, two fitted numbers of each leave one that is lower by so much.
        return new SerialCorrelation(found.coefficient() + 3.0 / found.samples(), found.samples());
    }

    private static void residuals(double[] values, int from, double[] to, int at, int count) {
        double middle = (count - 1) / 2.0;
        double mean = 0;
        double slope = 0;
        double spread = 0;
        for (int i = 0; i < count; i++) {
            mean += values[from + i] / count;
            slope += (i - middle) * values[from + i];
            spread += (i - middle) * (i - middle);
        }
        for (int i = 0; i < count; i++) {
            // Of times that are all the same only rounding is left, in which there is no order.
            to[at + i] = Math.rint(values[from + i] - mean - slope / spread * (i - middle));
        }
    }

    private static double[] ofChain(double[] levels, int samples, int chain, int chains) {
        return IntStream.iterate(chain, i -> i < samples, i -> i + chains)
                .mapToDouble(i -> levels[i])
                .toArray();
    }

    boolean isFound() {
        return samples >= LEAST_SAMPLES && coefficient * Math.sqrt(samples) > CRITICAL;
    }

    /**
     * {@return how many successive samples say as much as one independent one, of a series in which the correlation fades as that
     * of a first-order autoregression does}
     */
    int samplesInOne() {
        double fading = Math.min(MOST, coefficient);
        return isFound() ? (int) Math.ceil((1 + fading) / (1 - fading)) : 1;
    }

    /** From 1; equal values share the mean of their ranks. */
    private static double[] ranks(double[] levels) {
        double[] sorted = levels.clone();
        Arrays.sort(sorted);
        double[] shared = new double[sorted.length];
        int from = 0;
        while (from < sorted.length) {
            int to = from + 1;
            while (to < sorted.length && sorted[to] == sorted[from]) {
                to++;
            }
            Arrays.fill(shared, from, to, (from + 1 + to) / 2.0);
            from = to;
        }
        return Arrays.stream(levels)
                .map(level -> shared[Arrays.binarySearch(sorted, level)])
                .toArray();
    }
}
