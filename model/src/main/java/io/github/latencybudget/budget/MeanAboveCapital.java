package io.github.latencybudget.budget;

/**
 * Grows where the mean of samples is above a limit, of which none is below 0. Then {@code 1 + c (x / limit - 1)} never is, for
 * {@code c} from 0 to 1, and is 1 at most on average where the mean is at most the limit, whatever the distribution. So what it
 * shows is exact, as what {@link ShareCapital} shows.
 */
final class MeanAboveCapital implements Capital {

    /** A fifth is not staked, for the reason that {@link ShareCapital} gives. */
    private static final double[] STAKES = {0, 0.25, 0.5, 1};

    private static final double[] PARTS = {0.2, 0.2, 0.3, 0.3};

    private static final double NEGLIGIBLE = 1e-200;

    private final double limit;
    private final double[] parts;

    MeanAboveCapital(double limit) {
        this(limit, PARTS.clone());
    }

    private MeanAboveCapital(double limit, double[] parts) {
        this.limit = limit;
        this.parts = parts;
    }

    @Override
    public double bet(double sample) {
        double more = sample / limit - 1;
        double sum = 0;
        for (int i = 0; i < parts.length; i++) {
            double part = parts[i] * (1 + STAKES[i] * more);
            parts[i] = part < NEGLIGIBLE ? 0 : part;
            sum += parts[i];
        }
        return sum;
    }

    @Override
    public double after(int samples, double each) {
        double sum = 0;
        for (int i = 0; i < parts.length; i++) {
            sum += parts[i] == 0 ? 0 : parts[i] * Math.pow(1 + STAKES[i] * (each / limit - 1), samples);
        }
        return sum;
    }

    @Override
    public Capital copy() {
        return new MeanAboveCapital(limit, parts.clone());
    }
}
