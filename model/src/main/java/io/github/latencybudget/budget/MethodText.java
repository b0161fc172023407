package io.github.latencybudget.budget;

import java.util.Locale;

/** Says by what method a verdict was found, and which requests did not count alone. */
final class MethodText {

    private static final String EXACT = "sequential betting test over ";
    /** Of a mean of values without a largest one: see {@link MeanBelowCapital}. */
    private static final String ASYMPTOTIC = "sequential test (asymptotic) over ";

    private MethodText() {}

    /** {@return such as {@code sequential betting test over requests}} */
    static String of(Rule rule, Terms terms, Observations observations, Trial trial) {
        boolean isOfSystem = rule instanceof SystemThroughputRule;
        return (terms.bet().onMean() && !trial.isShownToBeBroken() ? ASYMPTOTIC : EXACT)
                + (isOfSystem ? blocks(observations.roundSize()) : requests(terms, observations))
                + trial.correlation()
                        .map(c -> String.format(
                                Locale.ROOT, ", %s in a row as one%s", trial.samplesInOne(), because(c.coefficient())))
                        .orElse("");
    }

    private static String blocks(int size) {
        return size == 1 ? "requests" : String.format(Locale.ROOT, "blocks of %s requests", size);
    }

    private static String requests(Terms terms, Observations observations) {
        int together = observations.roundSize();
        if (together == 1) {
            return terms.values().isClusteredByRequest()
                    ? "requests (the gaps of one request count as one sample)"
                    : "requests";
        }
        return observations.chains() == 1
                ? String.format(
                        Locale.ROOT, "requests (one of each of the %s prompt lengths count as one sample)", together)
                : String.format(Locale.ROOT, "requests (%s in flight together count as one sample)", together);
    }

    /** {@return which requests count as one sample, to be put into a sentence; nothing where each is one} */
    static String notAlone(Evidence evidence, int inFlight) {
        if (evidence.correlation().isPresent()) {
            return String.format(
                    Locale.ROOT,
                    ", of which %s in a row count as one sample%s,",
                    evidence.requestsPerSample(),
                    because(evidence.correlation().getAsDouble()));
        }
        if (evidence.requestsPerSample() == 1) {
            return "";
        }
        return String.format(
                Locale.ROOT,
                ", of which %s %s count as one sample,",
                evidence.requestsPerSample(),
                inFlight > 1 ? "in flight together" : "of all prompt lengths");
    }

    static String because(double coefficient) {
        return String.format(
                Locale.ROOT, " for successive ones resemble one another (rank correlation %.2f)", coefficient);
    }
}
