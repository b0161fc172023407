package io.github.latencybudget.budget;

import java.util.Arrays;
import java.util.Optional;

/**
 * One rule's samples as they come, and what they show. When a verdict is about to be given for the first time, the samples up to
 * it are searched for serial correlation. Where it is found, successive samples count as one, from the first on.
 */
final class Trial {

    /**
     * How many times better than its limit a level is that cannot be told from a better one. On any machine fast requests
     * resemble one another; what lies as far from the limit as this says nothing about how often it is crossed.
     */
    private static final double IN_REACH = 2;

    private final Bet bet;
    private final double alpha;
    private final int chains;
    private final double farthest;
    private final boolean lessIsBetter;
    private double[] all = new double[64];
    private double[] levels = new double[64];
    private int samples;
    private SequentialTest test;
    private Optional<SerialCorrelation> correlation = Optional.empty();
    private int samplesInOne = 1;

    /**
     * @param chains how many successive samples may share a moment
     * @param farthest the best level that is told from better ones; a worse one where less is better is a higher one
     */
    Trial(Bet bet, double alpha, int chains, double farthest, boolean lessIsBetter) {
        this.bet = bet;
        this.alpha = alpha;
        this.chains = chains;
        this.farthest = farthest;
        this.lessIsBetter = lessIsBetter;
        this.test = new SequentialTest(bet, alpha, chains);
    }

    /** {@return the trial of a rule} */
    static Trial of(Terms terms, Confidence confidence, int chains) {
        return new Trial(
                terms.bet(),
                confidence.alpha(),
                chains,
                terms.limit() * (terms.lessIsBetter() ? 1 / IN_REACH : IN_REACH),
                terms.lessIsBetter());
    }

    /**
     * Takes the next sample.
     *
     * @param sample the share of its values that lie beyond the limit, or their mean
     * @param level what is compared from one sample to the next to find out whether they resemble one another
     */
    void add(double sample, double level) {
        if (samples == all.length) {
            all = Arrays.copyOf(all, 2 * samples);
            levels = Arrays.copyOf(levels, 2 * samples);
        }
        all[samples] = sample;
        levels[samples] = lessIsBetter ? Math.max(level, farthest) : Math.min(level, farthest);
        samples++;
        look(samples);
        if (test.decidedAfter() > 0 && correlation.isEmpty()) {
            SerialCorrelation found = SerialCorrelation.of(levels, samples, chains);
            correlation = Optional.of(found);
            if (found.isFound()) {
                startAnew(found.samplesInOne());
            }
        }
    }

    private void startAnew(int inOne) {
        samplesInOne = inOne;
        test = new SequentialTest(bet, alpha, chains);
        for (int i = 1; i <= samples; i++) {
            look(i);
        }
    }

    private void look(int upTo) {
        int last = upTo - 1;
        if ((last / chains + 1) % samplesInOne == 0) {
            test.add(Fold.mean(all, last, samplesInOne, samplesInOne, chains, 0));
        }
    }

    boolean isDecided() {
        return test.decidedAfter() > 0;
    }

    boolean isShownToHold() {
        return test.holdsAfter() > 0;
    }

    boolean isShownToBeBroken() {
        return test.brokenAfter() > 0;
    }

    /** {@return after how many samples the rule was shown to hold, 0 where it was not} */
    int holdsAfter() {
        return samplesOf(test.holdsAfter());
    }

    /** {@return after how many samples the rule was shown to be broken, 0 where it was not} */
    int brokenAfter() {
        return samplesOf(test.brokenAfter());
    }

    /** {@return after how many samples the first of the two was shown, 0 where neither was} */
    int decidedAfter() {
        return samplesOf(test.decidedAfter());
    }

    /** {@return what came after the rule was first shown to hold, or to be broken} */
    Aftermath after() {
        return new Aftermath(bet, Arrays.copyOfRange(all, Math.min(samples, decidedAfter()), samples), samplesInOne);
    }

    /** {@return how many successive samples of a chain count as one} */
    int samplesInOne() {
        return samplesInOne;
    }

    /** {@return the correlation that was found; empty where none was looked for or found} */
    Optional<SerialCorrelation> correlation() {
        return correlation.filter(SerialCorrelation::isFound);
    }

    /**
     * {@return how many samples, those there are included, would show the rule to hold: if nothing further lay beyond the limit, or
     * if a mean stayed what it is}
     */
    int samplesToHold() {
        double each = bet.onMean() ? mean() : 0;
        double[] begun = new double[chains];
        for (int i = 0; i < chains; i++) {
            int chain = (test.samples() + i) % chains;
            int inChain = (samples - chain + chains - 1) / chains;
            int waiting = inChain % samplesInOne;
            begun[i] = Fold.mean(all, chain + (inChain - 1) * chains, waiting, samplesInOne, chains, each);
        }
        return samplesOf(test.samplesToHold(each, begun));
    }

    /** {@return the mean of the samples; NaN without one} */
    double mean() {
        return Arrays.stream(all, 0, samples).average().orElse(Double.NaN);
    }

    /** {@return the values between which the mean of the samples is not refuted} */
    MeanBounds bounds() {
        return new MeanBounds(bet, Arrays.copyOf(all, samples), chains, samplesInOne, alpha);
    }

    /** {@return with how many samples so many bets are made} */
    private int samplesOf(int bets) {
        if (bets == 0) {
            return 0;
        }
        int row = (bets - 1) / chains;
        int chain = (bets - 1) % chains;
        return (int) Math.min(Integer.MAX_VALUE, ((row + 1L) * samplesInOne - 1) * chains + chain + 1);
    }
}
