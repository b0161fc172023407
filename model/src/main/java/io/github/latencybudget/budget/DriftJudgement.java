package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Drift;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * What the first and the last third of a run show of a drift, judged once. PASS takes that both ends of the interval lie within the
 * limit; of a change that is larger, only one end can be wrong, so each third has half of what may go wrong. A BREACH can be wrong at
 * either end, so for it each third has a quarter.
 */
final class DriftJudgement {

    /** Beyond so many times what was measured, "needs" is no plan. */
    private static final int MOST_TIMES = 1000;

    private final DriftRule rule;
    private final Confidence confidence;
    private final int requests;
    private final int atMost;
    private final int inFlight;
    private final Drift drift;
    private final SerialCorrelation correlation;
    private final double[] first;
    private final double[] last;

    private DriftJudgement(
            DriftRule rule, Confidence confidence, double[] values, int atMost, int inFlight, Drift drift) {
        this.rule = rule;
        this.confidence = confidence;
        this.requests = values.length;
        this.atMost = atMost;
        this.inFlight = inFlight;
        this.drift = drift;
        this.correlation = SerialCorrelation.aboutLines(values, drift.requestsPerThird(), inFlight);
        this.first = sorted(values, 0, drift.requestsPerThird());
        this.last = sorted(values, values.length - drift.requestsPerThird(), values.length);
    }

    /**
     * {@return the judgement; empty for too few requests}
     *
     * @param values one per request, in the order of their start
     * @param atMost how many requests were planned
     * @param inFlight how many requests may share a moment
     */
    static Optional<DriftJudgement> of(
            DriftRule rule, Confidence confidence, double[] values, int atMost, int inFlight) {
        return Drift.of(values).map(drift -> new DriftJudgement(rule, confidence, values, atMost, inFlight, drift));
    }

    private static double[] sorted(double[] values, int from, int to) {
        double[] third = Arrays.copyOfRange(values, from, to);
        Arrays.sort(third);
        return third;
    }

    /** {@return the change of the medians as a share of the first; empty where that is nothing} */
    OptionalDouble observed() {
        return drift.firstMedian() > 0
                ? OptionalDouble.of(Math.abs(drift.shift()) / drift.firstMedian())
                : OptionalDouble.empty();
    }

    boolean isShownToHold() {
        return forPass().most() <= rule.maxShare();
    }

    boolean isShownToBeBroken() {
        return forBreach().isBounded() && forBreach().least() > rule.maxShare();
    }

    boolean isDecided() {
        return isShownToHold() || isShownToBeBroken();
    }

    private DriftInterval forPass() {
        return interval(first.length, confidence.alpha() / 2);
    }

    private DriftInterval forBreach() {
        return interval(first.length, confidence.alpha() / 4);
    }

    /** {@return the interval that so many requests per third would have if they were as these are} */
    private DriftInterval interval(int requestsPerThird, double alpha) {
        MedianRanks ranks = new MedianRanks(first.length, requestsPerThird / requestsPerSample(), alpha);
        return DriftInterval.of(first, last, ranks);
    }

    private int requestsPerSample() {
        return inFlight * correlation.samplesInOne();
    }

    Evidence evidence() {
        return new Evidence(
                requests,
                requests,
                OptionalInt.empty(),
                OptionalInt.empty(),
                forBreach().lower(),
                forPass().upper(),
                Optional.empty(),
                isDecided() ? OptionalInt.empty() : requestsNeeded(),
                isDecided() ? OptionalInt.of(requests) : OptionalInt.empty(),
                atMost,
                requestsPerSample(),
                correlation.isFound() ? OptionalDouble.of(correlation.coefficient()) : OptionalDouble.empty(),
                method(),
                confidence);
    }

    /** By bisection: the interval is the narrower, the more requests there are. */
    private OptionalInt requestsNeeded() {
        int low = first.length;
        int high = MOST_TIMES * first.length;
        if (!wouldHold(high)) {
            return OptionalInt.empty();
        }
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (wouldHold(middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return OptionalInt.of(3 * high);
    }

    private boolean wouldHold(int requestsPerThird) {
        return interval(requestsPerThird, confidence.alpha() / 2).most() <= rule.maxShare();
    }

    private String method() {
        String alone = correlation.isFound()
                ? String.format(
                        Locale.ROOT,
                        ", %s in a row as one%s",
                        requestsPerSample(),
                        MethodText.because(correlation.coefficient()))
                : inFlight > 1 ? String.format(Locale.ROOT, ", %s in flight together as one", inFlight) : "";
        return String.format(
                Locale.ROOT,
                "comparison of the median of the first %s requests (%s) with that of the last %s (%s)%s",
                first.length,
                Quantity.of(rule.metric(), drift.firstMedian(), drift.lastMedian()),
                last.length,
                Quantity.of(rule.metric(), drift.lastMedian(), drift.firstMedian()),
                alone);
    }

    /** {@return why it is not decided, with the next step} */
    String tooFew() {
        if (observed().isEmpty()) {
            return "the median of the first third is nothing, so no share of it can be told; judge another metric";
        }
        Evidence evidence = evidence();
        return String.format(
                Locale.ROOT,
                "could not be shown with %s confidence from %s requests%s with a %s of %s; %s",
                confidence,
                requests,
                MethodText.notAlone(evidence, inFlight),
                rule.label(),
                Quantity.of(rule.unit(), observed().getAsDouble(), rule.maxShare()),
                evidence.requestsNeeded().isPresent()
                        ? String.format(
                                Locale.ROOT,
                                "needs about %s requests if it stays so",
                                evidence.requestsNeeded().getAsInt())
                        : "no number of requests like these would show it");
    }
}
