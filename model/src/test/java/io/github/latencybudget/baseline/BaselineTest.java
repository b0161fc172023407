package io.github.latencybudget.baseline;

import static io.github.latencybudget.trace.Traces.MS;
import static io.github.latencybudget.trace.Traces.times;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.latencybudget.budget.Confidence;
import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.Conditions;
import io.github.latencybudget.trace.Environment;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.Traces;
import io.github.latencybudget.trace.Workload;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BaselineTest {

    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private static final Tolerance TEN = Tolerance.ofPercent(10);

    // Evaluation case 18.
    @Test
    void aRunThatIsFasterPassesAndSaysImproved() {
        Comparison comparison = baseline(run(20)).compare(run(15), TEN);

        assertThat(comparison.passed()).isTrue();
        assertThat(comparison.status()).isEqualTo(ChangeStatus.IMPROVED);
        assertThat(comparison.describe()).isEqualTo("""
                IMPROVED  against the baseline chat of 2026-01-01T12:00:00Z: worse is more than 10%, with 95% confidence at each bound
                SAME  TTFT for prompts of 512 tokens: no change observed
                        at best unchanged, at worst unchanged; baseline 400.0 ms from 60 requests, this run 400.0 ms from 60 requests
                SAME  TTFT P95 for prompts of 512 tokens: no change observed (not judged)
                        at best unchanged, at worst unchanged; baseline 400.0 ms from 60 requests, this run 400.0 ms from 60 requests
                IMPROVED  ITL for prompts of 512 tokens: improved by 25.0%
                        at best 25.0% better, at worst 25.0% better; baseline 20.0 ms from 60 requests, this run 15.0 ms from 60 requests
                IMPROVED  ITL P95 for prompts of 512 tokens: improved by 25.0% (not judged)
                        at best 25.0% better, at worst 25.0% better; baseline 20.0 ms from 60 requests, this run 15.0 ms from 60 requests
                IMPROVED  TPOT for prompts of 512 tokens: improved by 25.0%
                        at best 25.0% better, at worst 25.0% better; baseline 20.0 ms from 60 requests, this run 15.0 ms from 60 requests
                IMPROVED  TPOT P95 for prompts of 512 tokens: improved by 25.0% (not judged)
                        at best 25.0% better, at worst 25.0% better; baseline 20.0 ms from 60 requests, this run 15.0 ms from 60 requests
                SAME  E2E for prompts of 512 tokens: improved by 7.8%
                        at best 7.8% better, at worst 7.8% better; baseline 580.0 ms from 60 requests, this run 535.0 ms from 60 requests
                SAME  E2E P95 for prompts of 512 tokens: improved by 7.8% (not judged)
                        at best 7.8% better, at worst 7.8% better; baseline 580.0 ms from 60 requests, this run 535.0 ms from 60 requests
                IMPROVED  decode TGS for prompts of 512 tokens: improved by 33.3%
                        at best 33.3% better, at worst 33.3% better; baseline 50.0 tokens/s from 60 requests, this run 66.7 tokens/s from 60 requests
                        method: the typical request by the Hodges-Lehmann ratio of all pairs, its bounds by Mann-Whitney; the P95 by the ratio of the two, within the binomial bounds of each""");
    }

    @Test
    void aRunThatIsSlowerByMoreThanTheToleranceIsWorse() {
        Comparison comparison = baseline(run(20)).compare(run(23), TEN);

        assertThat(comparison.passed()).isFalse();
        assertThat(comparison.status()).isEqualTo(ChangeStatus.WORSE);
        assertThat(lines(comparison))
                .contains(
                        "WORSE  ITL for prompts of 512 tokens: worsened by 15.0%",
                        "WORSE  decode TGS for prompts of 512 tokens: worsened by 13.0%",
                        "SAME  E2E for prompts of 512 tokens: worsened by 4.7%");
    }

    @Test
    void atExactlyTheToleranceItIsNotWorse() {
        assertThat(baseline(run(20)).compare(run(22), TEN).status()).isEqualTo(ChangeStatus.SAME);
        assertThat(baseline(run(22)).compare(run(20), TEN).status()).isEqualTo(ChangeStatus.SAME);
    }

    /** At a rate of 50, 45 is 10% less and 45.45 the rate at a gap that is 10% longer. */
    @Test
    void aRateIsWorseWhereItIsLower() {
        Comparison comparison = baseline(run(20)).compare(run(22.3), TEN);

        assertThat(lines(comparison))
                .contains(
                        "WORSE  TPOT for prompts of 512 tokens: worsened by 11.5%",
                        "WORSE  decode TGS for prompts of 512 tokens: worsened by 10.3%");
        assertThat(baseline(run(20)).compare(run(18), TEN).changes().stream()
                        .filter(c -> c.name().startsWith("decode TGS"))
                        .findFirst()
                        .orElseThrow()
                        .status())
                .isEqualTo(ChangeStatus.IMPROVED);
    }

    @Test
    void sameIsShownAndNotAssumed() {
        Comparison comparison = baseline(noisy(4, 0)).compare(noisy(4, 1), TEN);

        assertThat(comparison.status()).isEqualTo(ChangeStatus.INCONCLUSIVE);
        assertThat(comparison.passed()).isFalse();
        assertThat(comparison.describe())
                .contains("INCONCLUSIVE  TTFT for prompts of 512 tokens: observed under 0.1% worse\n"
                        + "        neither worse by more than 10% nor no worse could be shown; measure more requests, in the baseline too, or quieten the machine\n"
                        + "        at best ");
    }

    @Test
    void tooFewRequestsHaveNoBound() {
        Comparison comparison = baseline(Traces.run(2, 400 * MS).measurement())
                .compare(Traces.run(2, 400 * MS).measurement(), TEN);

        assertThat(comparison.status()).isEqualTo(ChangeStatus.INCONCLUSIVE);
        assertThat(comparison.changes().get(0).evidence())
                .isEqualTo("no bound yet; baseline 400.0 ms from 2 requests, this run 400.0 ms from 2 requests");
    }

    /** What is slower at one length in five is lost among the others, so each length is compared by itself. */
    @Test
    void eachPromptLengthIsComparedByItself() {
        Measurement before = lengths(400);
        Comparison comparison = baseline(before).compare(lengths(500), TEN);

        assertThat(comparison.status()).isEqualTo(ChangeStatus.WORSE);
        assertThat(comparison.judged().stream().map(Change::line))
                .containsExactly(
                        "SAME  TTFT for prompts of 128 tokens: no change observed",
                        "SAME  E2E for prompts of 128 tokens: no change observed",
                        "WORSE  TTFT for prompts of 512 tokens: worsened by 25.0%",
                        "WORSE  E2E for prompts of 512 tokens: worsened by 25.0%");
        assertThat(comparison.leftOut())
                .containsExactly(
                        "ITL: outputs of 1 token have no gap",
                        "TPOT: outputs of 1 token have no gap",
                        "decode TGS: outputs of 1 token have no gap");
    }

    /** The slowest tenth is twice as slow, and the typical request as before. */
    @Test
    void theP95IsJudgedWhereThatIsAsked() {
        Traces slowTail = Traces.run();
        for (int i = 0; i < 200; i++) {
            slowTail.add(1, (i % 10 == 0 ? 800 : 400) * MS);
        }
        Measurement run = slowTail.measurement();
        Baseline baseline = baseline(Traces.run(200, 400 * MS).measurement());

        assertThat(baseline.compare(run, TEN).status()).isEqualTo(ChangeStatus.SAME);
        assertThat(baseline.compare(run, TEN.withP95()).status()).isEqualTo(ChangeStatus.WORSE);
    }

    @Test
    void requestsInFlightTogetherAreWorthLess() {
        Measurement run = Traces.run()
                .concurrency(4)
                .together(4)
                .add(80, 400 * MS, times(9, 20 * MS))
                .measurement();

        assertThat(baseline(run).compare(run, TEN).changes().get(0).evidence())
                .contains("baseline 400.0 ms from 80 requests (as much as 20 independent)");
    }

    @Test
    void aRateWithoutTheDeviceMemoryIsLeftOut() {
        Measurement unknown = Traces.run(60, 400 * MS, times(9, 20 * MS))
                .memory(OptionalLong.empty())
                .measurement();
        Comparison comparison = baseline(run(20)).compare(unknown, TEN);

        assertThat(comparison.passed()).isTrue();
        assertThat(comparison.describe())
                .endsWith(
                        "\n        not compared: decode TGS: the device memory in use could not be read, and a TGS value without it says nothing"
                                + "\n        environment: peak device memory: the baseline has 20.0 GiB, this run none");
    }

    @Test
    void otherConditionsAreRefusedByName() {
        Measurement before = run(20);
        Conditions other = new Conditions(
                "Llama-2-13b",
                "synthetic, seed 43",
                "bf16",
                "NVIDIA A100",
                new TreeMap<>(Map.of(128, 30, 512, 30)),
                11,
                new Sampling(0.8, 0.9),
                2,
                new TreeMap<>(Map.of("use_cache", "off")),
                Optional.empty(),
                Workload.IN_TURN);
        Measurement run = with(before, other);

        Comparison comparison = baseline(before).compare(run, TEN);

        assertThat(comparison.passed()).isFalse();
        assertThat(comparison.status()).isEqualTo(ChangeStatus.INCONCLUSIVE);
        assertThat(comparison.changes()).isEmpty();
        assertThat(comparison.line())
                .isEqualTo(
                        "INCONCLUSIVE  against the baseline chat of 2026-01-01T12:00:00Z: the two runs cannot be compared");
        assertThat(comparison.refusals().subList(0, 9))
                .containsExactly(
                        "model: the baseline has Llama-2-7b, this run Llama-2-13b",
                        "weights: the baseline has synthetic, seed 42, this run synthetic, seed 43",
                        "data type: the baseline has fp16, this run bf16",
                        "device: the baseline has NVIDIA H200, this run NVIDIA A100",
                        "prompt lengths: the baseline has 512 (60 requests), this run 128 (30 requests), 512 (30 requests)",
                        "output tokens: the baseline has 10, this run 11",
                        "sampling: the baseline has greedy, this run temperature 0.8, top-p 0.9",
                        "concurrency: the baseline has 1, this run 2",
                        "use_cache: the baseline has as by default, this run off");
    }

    @Test
    void anOpenLoopIsComparedWithTheSameArrivalsWhateverTheirSeed() {
        Measurement before = open(new Arrivals.Poisson(5, 1), 9);

        assertThat(baseline(before)
                        .compare(open(new Arrivals.Poisson(5, 2), 12), TEN)
                        .status())
                .isEqualTo(ChangeStatus.SAME);
        assertThat(baseline(before)
                        .compare(open(new Arrivals.Constant(5), 9), TEN)
                        .refusals())
                .containsExactly(
                        "load: the baseline has open loop of 5 requests/s, Poisson, at most 64 in flight and 100 queued, this run open loop of 5 requests/s, constant, at most 64 in flight and 100 queued");
        assertThat(baseline(before)
                        .compare(Traces.run(60, 400 * MS, times(9, 20 * MS)).measurement(), TEN)
                        .refusals())
                .containsExactly(
                        "load: the baseline has open loop of 5 requests/s, Poisson, at most 64 in flight and 100 queued, this run concurrency 1");
    }

    private static Measurement open(Arrivals arrivals, int mostInFlight) {
        return Traces.run(60, 400 * MS, times(9, 20 * MS))
                .concurrency(mostInFlight)
                .openLoop(new Load.Open(arrivals, OptionalInt.of(64), 100))
                .measurement();
    }

    @Test
    void theSeedAndTheNumberOfRequestsAreNoConditions() {
        Measurement before = Traces.run(60, 400 * MS, times(9, 20 * MS))
                .sampling(new Sampling(0.8, 0.9).withSeed(1))
                .measurement();
        Measurement run = Traces.run(80, 400 * MS, times(9, 20 * MS))
                .sampling(new Sampling(0.8, 0.9).withSeed(2))
                .measurement();

        assertThat(baseline(before).compare(run, TEN).status()).isEqualTo(ChangeStatus.SAME);
    }

    @Test
    void otherSharesOfTheSameLengthsAreRefused() {
        Measurement before = lengths(400);
        Measurement run = Traces.run()
                .prompt(128)
                .add(20, 100 * MS)
                .prompt(512)
                .add(60, 400 * MS)
                .measurement();

        assertThat(baseline(before).compare(run, TEN).refusals())
                .containsExactly(
                        "prompt lengths: the baseline has 128 (40 requests), 512 (40 requests), this run 128 (20 requests), 512 (60 requests)");
    }

    @Test
    void aLengthThatWasPlannedAndNotMeasuredIsRefused() {
        Measurement run = Traces.run()
                .prompt(128)
                .add(40, 100 * MS)
                .planned(128, 40)
                .planned(512, 40)
                .measurement();

        Comparison comparison = baseline(lengths(400)).compare(run, TEN);

        assertThat(comparison.refusals())
                .contains("TTFT for prompts of 512 tokens: this run gave no value; measure every planned length");
        assertThat(comparison.changes()).isEmpty();
        assertThat(comparison.passed()).isFalse();
    }

    @Test
    void anotherEnvironmentIsToldAndNotRefused() {
        Measurement before = with(run(20), new Environment(new TreeMap<>(Map.of("driver", "550", "os", "Linux"))));
        Measurement now =
                with(run(20), new Environment(new TreeMap<>(Map.of("driver", "560", "os", "Linux", "jvm", "17"))));

        Comparison comparison = baseline(before).compare(now, TEN);

        assertThat(comparison.passed()).isTrue();
        assertThat(comparison.environment())
                .containsExactly(
                        "driver: the baseline has 550, this run 560", "jvm: the baseline has none, this run 17");
    }

    @Test
    void aRunThatShowsNothingIsNoBaselineAndIsNotCompared() {
        Measurement cold =
                Traces.run(60, 400 * MS, times(9, 20 * MS)).withoutWarmUp().measurement();
        Measurement failed = Traces.run(60, 400 * MS, times(9, 20 * MS))
                .add(Outcome.FAILED, "status 503", 0)
                .planned(512, 60)
                .measurement();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> baseline(cold))
                .withMessage(
                        "this run cannot be the baseline chat: not warm: a prompt length of 512 tokens was measured without a warm-up; warm up every length that is measured; store a run without such findings");
        assertThat(baseline(run(20)).compare(cold, TEN).refusals())
                .containsExactly(
                        "this run: not warm: a prompt length of 512 tokens was measured without a warm-up; warm up every length that is measured");
        assertThat(baseline(run(20)).compare(failed, TEN).passed()).isFalse();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> baseline(Traces.run().measurement()))
                .withMessage(
                        "this run cannot be the baseline chat: no request completed; store a run without such findings");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "../chat", "a/b", ".chat", "chat name", "a\\b"})
    void aNameIsThatOfAFile(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Baseline(name, NOON, run(20)))
                .withMessage(
                        "baseline = %s: must be at most 100 letters, digits, `.`, `_` and `-`, and begin with a letter or digit",
                        name);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, 100, Double.NaN, Double.POSITIVE_INFINITY})
    void aToleranceIsAPercentage(double percent) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Tolerance(percent, false, Confidence.DEFAULT))
                .withMessage("percent = %s: must be above 0 and below 100", percent);
    }

    private static Baseline baseline(Measurement measurement) {
        return new Baseline("chat", NOON, measurement);
    }

    private static Measurement run(double gapMillis) {
        return Traces.run(60, 400 * MS, times(9, Math.round(gapMillis * MS))).measurement();
    }

    /** TTFT from 200 to 600 ms. */
    private static Measurement noisy(int quarter, long shift) {
        Traces run = Traces.run();
        for (int i = 0; i < 4 * quarter; i++) {
            run.add(1, (200 + 100L * (i % 5)) * MS + shift);
        }
        return run.measurement();
    }

    private static Measurement lengths(long ttftOf512) {
        return Traces.run()
                .prompt(128)
                .add(40, 100 * MS)
                .prompt(512)
                .add(40, ttftOf512 * MS)
                .measurement();
    }

    private static Measurement with(Measurement m, Conditions conditions) {
        return new Measurement(
                conditions, m.environment(), m.warmUp(), m.traces(), m.peakDeviceMemoryBytes(), m.findings());
    }

    private static Measurement with(Measurement m, Environment environment) {
        return new Measurement(
                m.conditions(), environment, m.warmUp(), m.traces(), m.peakDeviceMemoryBytes(), m.findings());
    }

    private static List<String> lines(Comparison comparison) {
        return comparison.changes().stream().map(Change::line).toList();
    }
}
