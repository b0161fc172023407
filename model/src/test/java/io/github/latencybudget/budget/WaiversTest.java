package io.github.latencybudget.budget;

import static io.github.latencybudget.trace.Traces.MS;
import static io.github.latencybudget.trace.Traces.run;
import static io.github.latencybudget.trace.Traces.times;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.Traces;
import java.net.URI;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class WaiversTest {

    private static final LocalDate LAST_DAY = LocalDate.of(2026, 12, 31);
    private static final Rule ITL = LatencyRule.itl(Percentile.P95, Duration.ofMillis(50));
    private static final Rule E2E = LatencyRule.e2e(Percentile.P95, Duration.ofSeconds(100));
    private static final Waiver WAIVER = waiver(OptionalDouble.empty());

    private static Waiver waiver(OptionalDouble upTo) {
        return new Waiver(
                "kv-team",
                "the cache is copied as it grows",
                Optional.of("KV-cache paging"),
                URI.create("https://tracker.example.com/KV-12"),
                LAST_DAY,
                upTo);
    }

    private static Verdicts judge(Traces run, LocalDate today, Rule rule, Waiver waiver) {
        return new Budget(List.of(rule, E2E), Confidence.DEFAULT, new Waivers(today, Map.of(rule, waiver)))
                .evaluate(run.measurement());
    }

    private static Traces gapsOf(long millis) {
        return run(64, 400 * MS, times(3, millis * MS));
    }

    @Test
    void aBreachIsWaivedUpToTheLastDayAndSaysSo() {
        Verdicts verdicts = judge(gapsOf(60), LAST_DAY, ITL, WAIVER);

        assertThat(verdicts.status()).isEqualTo(Status.WAIVED);
        assertThat(verdicts.passed()).isTrue();
        assertThat(verdicts.describe()).startsWith("""
                        [Llama-2-7b fp16 synthetic, seed 42 | prompt 512 | output 4 | greedy | warm | concurrency 1 | NVIDIA H200]
                        WAIVED  ITL P95 at most 50.0 ms: observed 60.0 ms, 10.0 ms (20.0%) over
                                waived until 2026-12-31 (UTC, that day included) by kv-team: the cache is copied as it grows; remediation plan: KV-cache paging, https://tracker.example.com/KV-12
                        """);
    }

    @Test
    void onTheDayAfterTheBreachIsABreachAgain() {
        Verdicts verdicts = judge(gapsOf(60), LAST_DAY.plusDays(1), ITL, WAIVER);

        assertThat(verdicts.status()).isEqualTo(Status.BREACH);
        assertThat(verdicts.passed()).isFalse();
        assertThat(verdicts.verdicts().get(0).reason())
                .hasValue(
                        "its waiver by kv-team expired on 2026-12-31, and today is 2027-01-01 (UTC): carry out the remediation plan (KV-cache paging, https://tracker.example.com/KV-12), or have the waiver renewed");
    }

    @Test
    void aWaiverThatIsNotNeededFails() {
        for (LocalDate today : List.of(LAST_DAY, LAST_DAY.plusDays(1))) {
            Verdicts verdicts = judge(gapsOf(40), today, ITL, WAIVER);

            assertThat(verdicts.status()).isEqualTo(Status.UNUSED_WAIVER);
            assertThat(verdicts.passed()).isFalse();
            assertThat(verdicts.verdicts().get(0).reason())
                    .hasValue(
                            "the rule holds, and a waiver by kv-team says that it does not: remove the waiver; remediation plan: KV-cache paging, https://tracker.example.com/KV-12");
        }
    }

    @Test
    void whatCouldNotBeShownIsNotWaived() {
        Verdicts tooFew = judge(run(1, 400 * MS, 60 * MS), LAST_DAY, ITL, WAIVER);
        Verdicts notWarm = judge(gapsOf(60).withoutWarmUp(), LAST_DAY, ITL, WAIVER);

        assertThat(tooFew.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(notWarm.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(tooFew.passed()).isFalse();
        assertThat(tooFew.verdicts().get(0).waiver()).hasValue(WAIVER);
    }

    @Test
    void anotherBreachIsNotWaived() {
        Verdicts verdicts = new Budget(
                        List.of(ITL, LatencyRule.e2e(Percentile.P95, Duration.ofMillis(1))),
                        Confidence.DEFAULT,
                        new Waivers(LAST_DAY, Map.of(ITL, WAIVER)))
                .evaluate(gapsOf(60).measurement());

        assertThat(verdicts.verdicts()).extracting(Verdict::status).containsExactly(Status.WAIVED, Status.BREACH);
        assertThat(verdicts.status()).isEqualTo(Status.BREACH);
    }

    @Test
    void aFailedRequestStillKeepsOtherRulesFromPassing() {
        Traces run = gapsOf(60).add(Outcome.FAILED, "status 503", 0);

        assertThat(judge(run, LAST_DAY, ITL, WAIVER).status()).isEqualTo(Status.INCONCLUSIVE);
    }

    @Test
    void aWaiverCoversWhatItSaysAndNothingWorse() {
        Waiver upTo70 = waiver(OptionalDouble.of(70 * MS));

        assertThat(judge(gapsOf(70), LAST_DAY, ITL, upTo70).status()).isEqualTo(Status.WAIVED);
        Verdict worse = judge(gapsOf(71), LAST_DAY, ITL, upTo70).verdicts().get(0);
        assertThat(worse.status()).isEqualTo(Status.BREACH);
        assertThat(worse.reason())
                .hasValue(
                        "its waiver by kv-team covers it up to 70.0 ms only: repair what became worse; remediation plan: KV-cache paging, https://tracker.example.com/KV-12");
    }

    /** A breach is soon shown; that it is no worse than what is covered takes as many requests as any pass. */
    @Test
    void whatIsCoveredHasToBeShown() {
        Waiver upTo70 = waiver(OptionalDouble.of(70 * MS));
        Verdict verdict = judge(run(10, 400 * MS, times(3, 60 * MS)), LAST_DAY, ITL, upTo70)
                .verdicts()
                .get(0);

        assertThat(verdict.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(verdict.reason())
                .hasValue(
                        "broken, and not shown to be up to 70.0 ms, which is what its waiver by kv-team covers: could not be shown with 95% confidence from 10 requests with 0 of 30 values beyond the limit; needs 64 requests if no further value is beyond it");
    }

    @Test
    void aRunIsMeasuredUntilThatIsDecidedToo() {
        Budget budget = new Budget(
                List.of(ITL),
                Confidence.DEFAULT,
                new Waivers(LAST_DAY, Map.of(ITL, waiver(OptionalDouble.of(70 * MS)))));
        Looks looks = budget.looks(new TreeSet<>(List.of(512)), 1);
        int requests = 0;
        while (!looks.isDecided(512)) {
            looks.add(gapsOf(60).measurement().traces().get(requests++));
        }

        assertThat(requests).isEqualTo(64);
    }

    @Test
    void aRateIsCoveredDownToABound() {
        Rule rate = new ThroughputRule(
                Metric.DECODE_TGS,
                Percentile.P95,
                20,
                ThroughputConditions.of(List.of(512), Sampling.GREEDY, 1, 24L << 30));

        assertThat(judge(gapsOf(60), LAST_DAY, rate, waiver(OptionalDouble.of(16)))
                        .status())
                .isEqualTo(Status.WAIVED);
        assertThat(judge(gapsOf(60), LAST_DAY, rate, waiver(OptionalDouble.of(17)))
                        .verdicts()
                        .get(0)
                        .reason()
                        .orElseThrow())
                .startsWith("its waiver by kv-team covers it down to 17.0 tokens/s only");
    }

    /** While the run lasts, it would be too late to say so. */
    @Test
    void aBoundThatCannotBeALimitIsRefused() {
        Rule failures = FailureRule.atMost(0.1);
        assertThatThrownBy(() -> new Budget(
                        List.of(failures),
                        Confidence.DEFAULT,
                        new Waivers(LAST_DAY, Map.of(failures, waiver(OptionalDouble.of(1))))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a waiver of \"failure share at most 10.0%\" is judged as a limit (maxShare = 1.0: must be above 0 and below 1, for no number of requests shows what holds without exception): leave out what it covers up to, to cover every value");
    }

    @Test
    void aWaiverThatCoversNothingIsRefused() {
        assertThatThrownBy(() -> judge(gapsOf(60), LAST_DAY, ITL, waiver(OptionalDouble.of(50 * MS))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a waiver up to 50.0 ms covers no breach of \"ITL P95 at most 50.0 ms\": raise what it covers, or remove it");
        assertThatThrownBy(
                        () -> new Budget(List.of(E2E), Confidence.DEFAULT, new Waivers(LAST_DAY, Map.of(ITL, WAIVER))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a waiver of \"ITL P95 at most 50.0 ms\", which is no rule of this budget: name one of its rules");
    }

    @ParameterizedTest
    @ValueSource(strings = {"KV-12", "javascript:alert(1)", "file:///plan.md", "https:///KV-12"})
    void aPlanIsALink(String remediation) {
        assertThatThrownBy(() -> new Waiver(
                        "kv-team", "slow", Optional.empty(), URI.create(remediation), LAST_DAY, OptionalDouble.empty()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("remediation = %s: must be a link to the plan, such as https://tracker.example.com/KV-12"
                        .formatted(remediation));
    }

    @Test
    void aPasswordInALinkIsRefusedWithoutBeingShown() {
        assertThatThrownBy(() -> new Waiver(
                        "kv-team",
                        "slow",
                        Optional.empty(),
                        URI.create("https://me:secret@tracker.example.com/KV-12"),
                        LAST_DAY,
                        OptionalDouble.empty()))
                .hasMessage("remediation names a user or a password before its host: reports show it; leave them out");
    }
}
