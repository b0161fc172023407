package io.github.latencybudget.budget;

import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The mean capital of gamblers who take turns. Successive rounds of requests in flight together are samples of another gambler each,
 * so that none bets twice on what shares a moment. With one, it is a {@link Capital} and no more.
 */
final class Chains {

    private final Capital[] capitals;
    private final double[] latest;
    private double sum;
    private int bets;

    Chains(int chains, Supplier<Capital> start) {
        this(Stream.generate(start).limit(chains).toArray(Capital[]::new));
    }

    Chains(Capital... capitals) {
        this.capitals = capitals;
        this.latest = new double[capitals.length];
        Arrays.fill(latest, 1);
        this.sum = capitals.length;
    }

    private Chains(Chains other) {
        this.capitals = Stream.of(other.capitals).map(Capital::copy).toArray(Capital[]::new);
        this.latest = other.latest.clone();
        this.sum = other.sum;
        this.bets = other.bets;
    }

    Chains copy() {
        return new Chains(this);
    }

    int bets() {
        return bets;
    }

    /** {@return the mean capital after a bet on the next sample} */
    double bet(double y) {
        int turn = capitals.length == 1 ? 0 : bets % capitals.length;
        bets++;
        double capital = capitals[turn].bet(y);
        sum += capital - latest[turn];
        latest[turn] = capital;
        return sum / capitals.length;
    }

    /** {@return whether no gambler gets anywhere any more} */
    boolean isLost() {
        for (Capital capital : capitals) {
            if (!capital.isLost()) {
                return false;
            }
        }
        return true;
    }

    /** {@return the mean capital after so many further samples of this value} */
    double after(int samples, double each) {
        double all = 0;
        int chains = capitals.length;
        for (int i = 0; i < chains; i++) {
            all += capitals[(int) (((long) bets + i) % chains)].after(
                    (int) (((long) samples - i + chains - 1) / chains), each);
        }
        return all / chains;
    }
}
