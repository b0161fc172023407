package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import java.util.Locale;

/** Says by what method a verdict was found, and which requests did not count alone. */
final class MethodText {

    private MethodText() {}

    /** {@return such as {@code sequential betting test over requests}} */
    static String of(Metric metric, Observations observations, Trial trial) {
        int together = observations.roundSize() * observations.chains();
        String samples = together > 1
                ? "requests (%s in flight together count as one sample)".formatted(together)
                : metric.isClusteredByRequest() ? "requests (the gaps of one request count as one sample)" : "requests";
        if (together > 1 && observations.chains() == 1) {
            samples = "requests (one of each of the %s prompt lengths count as one sample)".formatted(together);
        }
        return "sequential betting test over "
                + samples
                + trial.correlation()
                        .map(c -> ", %s in a row as one%s".formatted(trial.samplesInOne(), because(c.coefficient())))
                        .orElse("");
    }

    /** {@return which requests count as one sample, to be put into a sentence; nothing where each is one} */
    static String notAlone(Evidence evidence, int inFlight) {
        if (evidence.correlation().isPresent()) {
            return ", of which %s in a row count as one sample%s,"
                    .formatted(
                            evidence.requestsPerSample(),
                            because(evidence.correlation().getAsDouble()));
        }
        if (evidence.requestsPerSample() == 1) {
            return "";
        }
        return ", of which %s %s count as one sample,"
                .formatted(evidence.requestsPerSample(), inFlight > 1 ? "in flight together" : "of all prompt lengths");
    }

    private static String because(double coefficient) {
        return String.format(
                Locale.ROOT, " for successive ones resemble one another (rank correlation %.2f)", coefficient);
    }
}
