package io.github.latencybudget.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.PerRequest;
import io.github.latencybudget.trace.TokenTrace;
import io.github.latencybudget.trace.Traces;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

/** What a test says while samples come is what one says that is made anew after every sample. */
final class SequentialPropertiesTest {

    /** Mostly nothing or all beyond the limit, as in service, and shares between. */
    @Provide
    Arbitrary<List<Double>> shares() {
        Arbitrary<Double> share = Arbitraries.frequencyOf(
                Tuple.of(6, Arbitraries.just(0.0)),
                Tuple.of(2, Arbitraries.just(1.0)),
                Tuple.of(2, Arbitraries.doubles().between(0, 1)));
        return share.list().ofMinSize(1).ofMaxSize(150);
    }

    @Property(tries = 200)
    void aSequentialTestIsOneThatIsRunAnewAfterEveryRequest(
            @ForAll("shares") List<Double> shares,
            @ForAll @DoubleRange(min = 0.01, max = 0.6) double allowed,
            @ForAll @DoubleRange(min = 0.01, max = 0.5) double alpha,
            @ForAll @IntRange(min = 1, max = 4) int chains) {
        SequentialTest test = new SequentialTest(Bet.onShare(allowed), alpha, chains);
        for (int n = 1; n <= shares.size(); n++) {
            test.add(shares.get(n - 1));

            assertThat(test.samples()).isEqualTo(n);
            assertThat(test.holdsAfter()).isEqualTo(firstShown(shares.subList(0, n), allowed, alpha, chains, true));
            assertThat(test.brokenAfter()).isEqualTo(firstShown(shares.subList(0, n), allowed, alpha, chains, false));
        }
    }

    /** From the first sample on, for each number of samples, by the product of what each bet multiplies its capital by. */
    private static int firstShown(List<Double> shares, double allowed, double alpha, int chains, boolean isToHold) {
        for (int n = 1; n <= shares.size(); n++) {
            double sum = 0;
            for (int chain = 0; chain < chains; chain++) {
                sum += capital(ofChain(shares.subList(0, n), chain, chains), allowed, isToHold);
            }
            if (sum / chains >= 1 / alpha) {
                return n;
            }
        }
        return 0;
    }

    private static List<Double> ofChain(List<Double> shares, int chain, int chains) {
        List<Double> own = new ArrayList<>();
        for (int i = chain; i < shares.size(); i += chains) {
            own.add(shares.get(i));
        }
        return own;
    }

    /** The table of ADR 9. */
    private static double capital(List<Double> shares, double allowed, boolean isToHold) {
        double[][] oddsAndParts = isToHold
                ? new double[][] {{0, 0.5}, {0.1, 0.25}, {0.25, 0.15}, {0.5, 0.1}}
                : new double[][] {{1, 0.2}, {2, 0.25}, {4, 0.25}, {10, 0.2}, {30, 0.1}};
        double sum = 0;
        for (double[] part : oddsAndParts) {
            double odds = part[0] * allowed / (1 - allowed);
            double q = odds / (1 + odds);
            double stake = (1 - 1e-15) * (q - allowed) / (allowed * (1 - allowed));
            double product = part[1];
            for (double share : shares) {
                product *= 1 + stake * (share - allowed);
            }
            sum += product;
        }
        return sum;
    }

    /** What it says of clean samples to come is what it says once they have come. */
    @Property(tries = 200)
    void whatIsNeededIsEnoughAndNotOneMore(
            @ForAll("shares") List<Double> shares,
            @ForAll @DoubleRange(min = 0.05, max = 0.6) double allowed,
            @ForAll @IntRange(min = 1, max = 3) int chains) {
        SequentialTest test = new SequentialTest(Bet.onShare(allowed), 0.05, chains);
        shares.forEach(test::add);
        int needed = test.samplesToHold(0);

        if (test.holdsAfter() > 0) {
            assertThat(needed).isEqualTo(test.holdsAfter());
            return;
        }
        for (int n = test.samples(); n < Math.min(needed - 1, 100_000); n++) {
            test.add(0);
        }
        assertThat(test.holdsAfter()).isZero();
        test.add(0);
        assertThat(test.holdsAfter()).isEqualTo(needed);
    }

    /** With chains of one length: a share is that of its definition, whichever way it is asked for. */
    @Property
    void aShareBeyondIsCounted(
            @ForAll List<@IntRange(min = 1, max = 9) Integer> whole, @ForAll @IntRange(min = 0, max = 10) int limit) {
        if (whole.isEmpty()) {
            return;
        }
        double[] values = whole.stream().mapToDouble(v -> v).toArray();
        for (Metric metric : List.of(Metric.ITL, Metric.DECODE_TGS)) {
            boolean isTime = metric == Metric.ITL;
            Observations observations = Observations.of(
                    new Given(metric.unit(), values),
                    Traces.run(1, 1).measurement().traces(),
                    new Rounds<>(List.of(512), 1));
            double beyond =
                    whole.stream().filter(v -> isTime ? v > limit : v < limit).count();

            assertThat(observations.new Search().at(limit).next()).isCloseTo(beyond / values.length, within(1e-12));
            assertThat(observations.level(0))
                    .isCloseTo(whole.stream().mapToInt(v -> v).average().getAsDouble(), within(1e-12));
        }
    }

    private record Given(Metric.Unit unit, double[] values) implements PerRequest {

        @Override
        public String label() {
            return "given";
        }

        @Override
        public double[] of(TokenTrace trace) {
            return values.clone();
        }
    }
}
