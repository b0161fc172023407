package io.github.latencybudget.budget;

import static io.github.latencybudget.trace.Traces.MS;
import static io.github.latencybudget.trace.Traces.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.GuardSettings;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.Traces;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

class DriftGuardTest {

    private static final Rule HOLDS = ttft(500);
    private static final Rule IS_BROKEN = ttft(150);
    private static final Rule GAPS = LatencyRule.itl(Percentile.P95, Duration.ofMillis(60));
    private static final Rule TOO_STRICT_GAPS = LatencyRule.itl(Percentile.P95, Duration.ofMillis(20));

    @Test
    void aRunThatBecameSlowerShowsNoPass() {
        Verdicts verdicts = judge(HOLDS, ttft(90, i -> 200 * MS + i * MS));

        assertThat(verdicts.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(verdicts.findings())
                .containsExactly(
                        new Finding(
                                Finding.Kind.SLOWED_DOWN,
                                "the run became slower while it lasted: median TTFT at 512 tokens 214.0 ms in the first third, 274.0 ms in the last (+28.0%, 30 requests each); look for heat, a leak or another load on the machine, and measure again"));
    }

    /** Above what a target can answer, nothing has to be wrong with the machine. */
    @Test
    void atARateTheFirstReasonIsTheRate() {
        Traces slower = ttft(90, i -> 200 * MS + i * MS)
                .openLoop(new Load.Open(new Arrivals.Constant(100), OptionalInt.empty(), 100));

        assertThat(judge(HOLDS, slower).findings())
                .extracting(Finding::sentence)
                .singleElement(STRING)
                .endsWith(
                        "; where more requests are due than the target answers, they queue ever longer: send fewer per second; else look for heat, a leak or another load on the machine, and measure again");
    }

    @Test
    void whatBreaksALimitOnItsWayDownBreaksIt() {
        Verdicts verdicts = judge(IS_BROKEN, ttft(90, i -> 200 * MS + i * MS));

        assertThat(verdicts.status()).isEqualTo(Status.BREACH);
        assertThat(verdicts.describe()).contains("\nthe run became slower while it lasted: ");
    }

    @Test
    void aRunThatBecameFasterShowsNeither() {
        Traces faster = gaps(90, i -> 50 * MS - i * MS / 3);

        assertThat(judge(GAPS, faster).findings())
                .containsExactly(
                        new Finding(
                                Finding.Kind.SPED_UP,
                                "the run became faster while it lasted: median mean gap at 512 tokens 45.0 ms in the first third, 25.0 ms in the last (-44.4%, 30 requests each); it began before its steady state: give the warm-up more runs, or quieten the machine"));
        assertThat(judge(TOO_STRICT_GAPS, faster).status()).isEqualTo(Status.INCONCLUSIVE);
    }

    @Test
    void aSmallChangeIsNone() {
        Traces nine = ttft(90, i -> i < 45 ? 300 * MS : 327 * MS);

        assertThat(judge(HOLDS, nine).findings()).isEmpty();
        assertThat(said(HOLDS, nine)).isEqualTo("TTFT at 512 tokens +9.0%");
        assertThat(judge(HOLDS, nine.guarded(GuardSettings.DEFAULT.with(Guard.MAX_DRIFT, 0.08)))
                        .findings())
                .hasSize(1);
    }

    /** The floor of the fixture's warm-up is 1 ms. */
    @Test
    void aChangeThatDoesNotMatterToALimitInMillisecondsIsNone() {
        assertThat(judge(ttft(5), ttft(90, i -> i < 45 ? 2 * MS : 3 * MS)).findings())
                .isEmpty();
        assertThat(judge(ttft(5), ttft(90, i -> i < 45 ? 2 * MS : 3 * MS + 1)).findings())
                .hasSize(1);
    }

    /** At 250 ms the same rule would hold, so this run says of 500 ms what a steady one would. */
    @Test
    void aChangeFarFromEveryLimitDecidesNothing() {
        assertThat(judge(HOLDS, ttft(90, i -> i < 45 ? 50 * MS : 250 * MS)).status())
                .isEqualTo(Status.PASS);
        assertThat(said(HOLDS, ttft(90, i -> i < 45 ? 50 * MS : 250 * MS)))
                .isEqualTo("TTFT at 512 tokens +400.0%, far from its limit");
        assertThat(judge(HOLDS, ttft(90, i -> i < 45 ? 50 * MS : 250 * MS + 1)).status())
                .isEqualTo(Status.INCONCLUSIVE);
    }

    @Test
    void itIsNearWhereTheRulesOwnPercentileIs() {
        Traces tail = ttft(90, i -> (i % 10 == 0 ? 260 : 50) * MS + (i < 45 ? 0 : 20 * MS));

        assertThat(judge(HOLDS, tail).findings()).extracting(Finding::kind).containsExactly(Finding.Kind.SLOWED_DOWN);
    }

    @Test
    void aRateIsNearBelowTwiceItsLimit() {
        Traces slower = gaps(90, i -> i < 45 ? 10 * MS : 12 * MS);

        assertThat(judge(rate(40), slower).findings()).isEmpty();
        assertThat(judge(rate(42), slower).findings())
                .singleElement()
                .satisfies(f -> assertThat(f.sentence())
                        .startsWith("the run became slower while it lasted: median mean gap at 512 tokens 10.0 ms"));
    }

    @Test
    void aMeanAndEachLimitOfGoodputAreWatchedToo() {
        Traces slower = ttft(90, i -> i < 45 ? 200 * MS : 300 * MS);

        assertThat(judge(MeanLatencyRule.ttft(PromptLength.exactly(512), Duration.ofMillis(500)), slower)
                        .findings())
                .extracting(Finding::kind)
                .containsExactly(Finding.Kind.SLOWED_DOWN);
        assertThat(judge(MeanLatencyRule.ttft(PromptLength.exactly(512), Duration.ofMillis(700)), slower)
                        .findings())
                .isEmpty();
        assertThat(judge(
                                GoodputRule.atLeast(
                                        0.9, RequestLimit.ttft(PromptLength.exactly(512), Duration.ofMillis(500))),
                                slower)
                        .findings())
                .hasSize(1);
    }

    @Test
    void aRuleThatIsAboutNoTimeHasNoDrift() {
        assertThat(said(FailureRule.atMost(0.1), ttft(90, i -> 200 * MS + i * MS)))
                .isEqualTo("no rule is about a time");
    }

    @Test
    void withoutARuleAnyClearChangeIsOne() {
        assertThat(Budget.findings(ttft(90, i -> i < 45 ? 50 * MS : 60 * MS).measurement()))
                .extracting(Finding::kind)
                .containsExactly(Finding.Kind.SLOWED_DOWN);
    }

    @Test
    void ofAHandfulOfRequestsNoDriftCanBeSeen() {
        Traces handful = ttft(23, i -> 200 * MS + 10 * i * MS);

        assertThat(judge(IS_BROKEN, handful).status()).isEqualTo(Status.BREACH);
        assertThat(judge(IS_BROKEN, handful).guards())
                .filteredOn(g -> g.guard() == Guard.MAX_DRIFT)
                .extracting(GuardReport::state)
                .containsExactly(GuardReport.State.NOT_CHECKED);
        assertThat(said(IS_BROKEN, handful))
                .isEqualTo(
                        "too few to compare the first third with the last: TTFT at 512 tokens of 23 requests; it takes 24");
        assertThat(said(IS_BROKEN, run()))
                .isEqualTo("too few to compare the first third with the last: no completed request; it takes 24");
    }

    @Test
    void eachPromptLengthIsComparedWithItself() {
        Traces both = run();
        for (int i = 0; i < 60; i++) {
            both.prompt(128).add(1, 100 * MS, 10 * MS).prompt(512);
            both.add(1, i < 30 ? 200 * MS : 300 * MS, 10 * MS);
        }

        assertThat(judge(HOLDS, both).findings())
                .singleElement()
                .satisfies(f -> assertThat(f.sentence())
                        .contains("median TTFT at 512 tokens 200.0 ms in the first third, 300.0 ms in the last"));
    }

    /** Once one length is decided, the other has the target to itself: another load, and no drift of the target. */
    @Test
    void whatComesOnceAnotherLengthMakesRoomIsNoDrift() {
        Traces traces = run().concurrency(2).together(2);
        for (int i = 0; i < 30; i++) {
            traces.prompt(128).add(1, 100 * MS, 10 * MS).prompt(512).add(1, 200 * MS, 10 * MS);
        }
        traces.add(60, 100 * MS, 10 * MS);

        assertThat(judge(HOLDS, traces).findings())
                .extracting(Finding::kind)
                .doesNotContain(Finding.Kind.SPED_UP, Finding.Kind.SLOWED_DOWN);
    }

    private static Traces ttft(int requests, IntToLongFunction nanos) {
        Traces traces = run();
        for (int i = 0; i < requests; i++) {
            traces.add(1, nanos.applyAsLong(i), 10 * MS);
        }
        return traces;
    }

    private static Traces gaps(int requests, IntToLongFunction nanos) {
        Traces traces = run();
        for (int i = 0; i < requests; i++) {
            traces.add(1, 200 * MS, nanos.applyAsLong(i));
        }
        return traces;
    }

    private static String said(Rule rule, Traces traces) {
        return judge(rule, traces).guards().stream()
                .filter(g -> g.guard() == Guard.MAX_DRIFT)
                .findFirst()
                .flatMap(GuardReport::said)
                .orElseThrow();
    }

    private static Verdicts judge(Rule rule, Traces traces) {
        return Budget.of(rule).evaluate(traces.measurement());
    }

    private static Rule rate(double tokensPerSecond) {
        return new ThroughputRule(
                Metric.DECODE_TGS,
                Percentile.P95,
                tokensPerSecond,
                ThroughputConditions.of(Set.of(512), Sampling.GREEDY, 1, 24L << 30));
    }

    private static Rule ttft(int millis) {
        return LatencyRule.ttft(PromptLength.exactly(512), Percentile.P95, Duration.ofMillis(millis));
    }
}
