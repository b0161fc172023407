package io.github.latencybudget.budget;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Sampling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class TrialTest {

    private static final double ALLOWED = 0.1;

    /** By chains that are written out, instead of by places in one series. */
    @Test
    void chainsAndFoldsAreThoseThatAreWrittenOut() {
        Random random = new Random(4);
        int folded = 0;
        for (int round = 0; round < 400; round++) {
            int chains = random.nextInt(1, 5);
            double fading = random.nextBoolean() ? 0 : 0.8;
            double[] slow = new double[chains];
            Trial trial = new Trial(Bet.onShare(ALLOWED), 0.2, chains, -100, true);
            List<Double> shares = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                slow[i % chains] = fading * slow[i % chains] + random.nextGaussian();
                shares.add(slow[i % chains] > 2 ? random.nextDouble() : 0);
                trial.add(shares.get(i), slow[i % chains]);
            }
            folded += trial.samplesInOne() > 1 && chains > 1 ? 1 : 0;

            assertThat(trial.holdsAfter()).isEqualTo(holdsAfter(shares, chains, trial.samplesInOne()));
        }
        assertThat(folded).isGreaterThan(50);
    }

    /** Fast requests resemble one another on any machine; only what comes near the limit matters. */
    @Test
    void resemblanceFarFromTheLimitDoesNotMatter() {
        Rule rule = LatencyRule.itl(Percentile.P95, Duration.ofNanos(1000));
        Trial far = Trial.of(Terms.of(rule), Confidence.DEFAULT, 1);
        Trial near = Trial.of(Terms.of(rule), Confidence.DEFAULT, 1);
        for (int i = 0; i < 64; i++) {
            far.add(0, 400 + i);
            near.add(0, 900 + i);
        }

        assertThat(far.isShownToHold()).isTrue();
        assertThat(near.isShownToHold()).isFalse();
        assertThat(near.correlation()).isPresent();
    }

    @Test
    void ofRatesThoseFarAboveTheLimitDoNotMatter() {
        Rule rule = new ThroughputRule(
                Metric.DECODE_TGS,
                Percentile.P95,
                20,
                ThroughputConditions.of(List.of(512), Sampling.GREEDY, 1, 24L << 30));
        Trial far = Trial.of(Terms.of(rule), Confidence.DEFAULT, 1);
        Trial near = Trial.of(Terms.of(rule), Confidence.DEFAULT, 1);
        for (int i = 0; i < 64; i++) {
            far.add(0, 41 + i);
            near.add(0, 21 + i / 10.0);
        }

        assertThat(far.isShownToHold()).isTrue();
        assertThat(near.correlation()).isPresent();
    }

    private static int holdsAfter(List<Double> shares, int chains, int inOne) {
        Capital[] capitals = Stream.generate(() -> ShareCapital.onLessThan(ALLOWED))
                .limit(chains)
                .toArray(Capital[]::new);
        double[] latest = new double[chains];
        Arrays.fill(latest, 1);
        List<List<Double>> waiting = Stream.generate(ArrayList<Double>::new)
                .limit(chains)
                .map(l -> (List<Double>) l)
                .toList();
        for (int i = 0; i < shares.size(); i++) {
            List<Double> ofChain = waiting.get(i % chains);
            ofChain.add(shares.get(i));
            if (ofChain.size() == inOne) {
                latest[i % chains] = capitals[i % chains].bet(
                        ofChain.stream().mapToDouble(s -> s).average().orElseThrow());
                ofChain.clear();
            }
            if (Arrays.stream(latest).average().orElseThrow() >= 5) {
                return i + 1;
            }
        }
        return 0;
    }
}
