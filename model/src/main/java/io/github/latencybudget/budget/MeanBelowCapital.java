package io.github.latencybudget.budget;

/**
 * Grows where the mean of samples is below a limit. No test shows that without a bound on the samples: one that comes in no run so
 * far may be as large as it likes. This one takes the mean of many to be normal about the true one, with the variance of those
 * seen. It is valid at every look, but asymptotically: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, <i>Time-uniform central
 * limit theory and asymptotic confidence sequences</i>, Annals of Statistics 52, 2024.
 *
 * <p>With {@code n} samples of the mean {@code m} and the deviation {@code s}, and {@code a = r n (limit - m) / (s sqrt(1 + n
 * r^2))}, what is staked becomes {@code 2 (exp(a^2 / 2) - 1) / sqrt(1 + n r^2)}: a little less than bets on all means below the
 * limit do, spread as the lower half of a normal distribution is.
 */
final class MeanBelowCapital implements Capital {

    /** Of fewer samples the mean is not taken to be normal; as many as a clean P95 takes at 95%. */
    static final int LEAST_SAMPLES = 64;

    /** What lets the limit be told from a mean soonest with about 64 samples, at 95%. */
    private static final double SPREAD_SQUARED = 7.13 / LEAST_SAMPLES;

    /** Times are skewed, so the mean of few is too often too low: docs/statistics.md has what comes of staking all, and this. */
    private static final double STAKED = 0.15;

    /** Beyond this, nothing is asked; below it, sums of capitals keep what is small. */
    private static final double MOST = 1e30;

    private final double limit;
    private int samples;
    private double mean;
    private double squares;

    MeanBelowCapital(double limit) {
        this.limit = limit;
    }

    @Override
    public double bet(double sample) {
        samples++;
        double difference = sample - mean;
        mean += difference / samples;
        squares += difference * (sample - mean);
        return capital(samples, mean, squares);
    }

    @Override
    public double after(int further, double each) {
        double all = (double) samples + further;
        double difference = each - mean;
        double share = further / all;
        return capital(all, mean + difference * share, squares + difference * difference * samples * share);
    }

    private double capital(double n, double mean, double squares) {
        if (n < LEAST_SAMPLES || mean > limit) {
            return 0;
        }
        // Where all are equal, there is no doubt of their mean.
        double deviation = Math.sqrt(squares / n);
        double spread = 1 + n * SPREAD_SQUARED;
        double distance = n * (limit - mean);
        double half = distance * distance * SPREAD_SQUARED / (2 * spread);
        return deviation == 0
                ? MOST
                : Math.min(MOST, STAKED * 2 * Math.expm1(half / (deviation * deviation)) / Math.sqrt(spread));
    }

    @Override
    public Capital copy() {
        MeanBelowCapital copy = new MeanBelowCapital(limit);
        copy.samples = samples;
        copy.mean = mean;
        copy.squares = squares;
        return copy;
    }
}
