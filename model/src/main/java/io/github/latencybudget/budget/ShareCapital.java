package io.github.latencybudget.budget;

import java.util.Arrays;

/**
 * The capital of a gambler who starts with 1 and bets, before each sample, that the mean share beyond the limit is not what a
 * hypothesis says. If it is, no strategy makes the capital grow on average, and the probability that it ever reaches {@code c}
 * is at most {@code 1 / c} (Ville 1939), however often one looks. Betting against a mean of bounded samples is from
 * Waudby-Smith and Ramdas, <i>Estimating means of bounded random variables by betting</i>, 2024.
 *
 * <p>With {@code y} in [0, 1] and {@code a} the allowed share, a stake multiplies its part of the capital by
 * {@code 1 + stake (y - a)}. A stake of {@code (q - a) / (a (1 - a))} is the best where all samples are 0 or 1 with the mean
 * {@code q}. The capital is spread over some {@code q}, so that it grows for all near them.
 */
final class ShareCapital implements Capital {

    /** A part so small no longer matters, and to multiply numbers that a double hardly holds takes long. */
    private static final double NEGLIGIBLE = 1e-200;

    /** By so little less is staked, so that rounding never makes a part negative that has lost all. */
    private static final double LESS = 1 - 1e-15;

    /** What is not staked is a rounding error away from 0. */
    private static final double NOTHING = 1e-9;

    /** Most of it on no exceedance at all: that decides a held budget soonest. ADR 9 says what the others cost and give. */
    private static final double[][] LESS_THAN_ALLOWED = {{0, 0.5}, {0.1, 0.25}, {0.25, 0.15}, {0.5, 0.1}};

    /** A fifth is not staked: so few samples can show a breach that no correlation between them can be found. */
    private static final double[][] MORE_THAN_ALLOWED = {{1, 0.2}, {2, 0.25}, {4, 0.25}, {10, 0.2}, {30, 0.1}};

    private final double allowedShare;
    private final double[] stakes;
    private final double[] parts;

    private ShareCapital(double allowedShare, double[][] oddsAndParts) {
        double odds = allowedShare / (1 - allowedShare);
        this.allowedShare = allowedShare;
        this.stakes = Arrays.stream(oddsAndParts)
                .mapToDouble(p -> p[0] * odds / (1 + p[0] * odds))
                .map(q -> LESS * (q - allowedShare) / (allowedShare * (1 - allowedShare)))
                .toArray();
        this.parts = Arrays.stream(oddsAndParts).mapToDouble(p -> p[1]).toArray();
    }

    private ShareCapital(ShareCapital other) {
        this.allowedShare = other.allowedShare;
        this.stakes = other.stakes;
        this.parts = other.parts.clone();
    }

    /** Grows where the share beyond the limit is below the allowed one. */
    static ShareCapital onLessThan(double allowedShare) {
        return new ShareCapital(allowedShare, LESS_THAN_ALLOWED);
    }

    /** Grows where the share beyond the limit is above the allowed one. */
    static ShareCapital onMoreThan(double allowedShare) {
        return new ShareCapital(allowedShare, MORE_THAN_ALLOWED);
    }

    @Override
    public Capital copy() {
        return new ShareCapital(this);
    }

    @Override
    public double bet(double y) {
        double difference = y - allowedShare;
        double sum = 0;
        for (int i = 0; i < parts.length; i++) {
            double part = parts[i] * (1 + stakes[i] * difference);
            parts[i] = part < NEGLIGIBLE ? 0 : part;
            sum += part;
        }
        return sum;
    }

    @Override
    public boolean isLost() {
        for (int i = 0; i < parts.length; i++) {
            if (parts[i] != 0 && Math.abs(stakes[i]) > NOTHING) {
                return false;
            }
        }
        return true;
    }

    @Override
    public double after(int samples, double each) {
        double sum = 0;
        for (int i = 0; i < parts.length; i++) {
            // What is lost stays lost, though the power may be more than a double holds.
            sum += parts[i] == 0 ? 0 : parts[i] * Math.pow(1 + stakes[i] * (each - allowedShare), samples);
        }
        return sum;
    }
}
