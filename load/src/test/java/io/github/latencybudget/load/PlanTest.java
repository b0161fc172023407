package io.github.latencybudget.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.PromptShares;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.ThinkTime;
import io.github.latencybudget.trace.TokenTrace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class PlanTest {

    private static final long MILLI = 1_000_000;

    private final AtomicLong now = new AtomicLong();

    @Test
    void promptLengthsTakeTurns() {
        assertThat(lengths(plan(scenario(3, 1, Optional.empty(), 8, 512), Optional.empty()), 400))
                .containsExactly(8, 512, 8, 512, 8, 512);
    }

    @Test
    void aLengthThatIsDecidedIsMeasuredNoLonger() {
        // 512 is grossly too slow, which 2 requests show; 8 holds, which takes 64.
        Plan plan = plan(scenario(200, 1, Optional.empty(), 8, 512), of(ttft(8, 500), ttft(512, 100)));

        List<Integer> lengths = lengths(plan, 400);

        assertThat(lengths).startsWith(8, 512, 8, 512, 8, 8).hasSize(64 + 2);
        assertThat(lengths.stream().filter(l -> l == 8)).hasSize(64);
    }

    @Test
    void aLengthWithoutARuleIsNotMeasured() {
        assertThat(lengths(plan(scenario(5, 1, Optional.empty(), 8, 512), of(ttft(8, 500))), 400))
                .containsOnly(8);
    }

    @Test
    void atTheMostItEndsUndecided() {
        Plan plan = plan(scenario(20, 1, Optional.empty(), 8), of(ttft(8, 500)));

        assertThat(lengths(plan, 400)).hasSize(20);
    }

    @Test
    void afterTheTimeItEndsUndecided() {
        Plan plan = plan(scenario(200, 1, Optional.of(Duration.ofMillis(4000)), 8), of(ttft(8, 500)));

        assertThat(lengths(plan, 400)).hasSize(10);
    }

    /** Those in flight together begin together or not at all. */
    @Test
    void aRoundThatWasBegunIsMadeFull() {
        Plan plan = plan(scenario(200, 4, Optional.empty(), 8), of(ttft(8, 100)));

        assertThat(lengths(plan, 400).size())
                .isGreaterThan(4)
                .satisfies(n -> assertThat(n % 4).isZero());
    }

    /** The fast ones that overtake a slow one are not looked at before it. */
    @Test
    void requestsAreLookedAtInTheOrderOfTheirNumbers() {
        Plan plan = plan(scenario(200, 2, Optional.empty(), 8), of(ttft(8, 100)));
        for (int i = 0; i < 40; i++) {
            plan.next();
        }
        for (int i = 1; i < 40; i++) {
            plan.done(trace(i, 8, 400));
        }
        assertThat(plan.next()).isPresent();
        plan.done(trace(0, 8, 400));
        // The last of the round that was begun.
        assertThat(plan.next()).isPresent();
        assertThat(plan.next()).isEmpty();
    }

    @Test
    void drawnLengthsComeByTheirWeightsAndAsPlanned() {
        Scenario scenario = drawn(4000, 1, 8, 3, 512, 1);

        List<Integer> lengths = lengths(plan(scenario, Optional.empty()), 400);

        assertThat(lengths)
                .hasSize(4000)
                .startsWith(lengths(plan(scenario, Optional.empty()), 400)
                        .subList(0, 50)
                        .toArray(Integer[]::new));
        assertThat(lengths.stream().filter(l -> l == 512))
                .hasSize(scenario.requestsByPromptTokens(List.of()).get(512))
                .hasSizeBetween(900, 1100);
        // Each by itself: after a long one as often as after a short one.
        assertThat(IntStream.range(1, 4000)
                        .filter(i -> lengths.get(i - 1) == 512 && lengths.get(i) == 512)
                        .count())
                .isBetween(200L, 300L);
    }

    /** To leave a length out that is decided would be another load. */
    @Test
    void drawnLengthsAreMeasuredUntilAllIsDecided() {
        Plan plan = plan(drawn(2000, 1, 8, 3, 512, 1), of(ttft(8, 100), ttft(512, 500)));

        List<Integer> lengths = lengths(plan, 400);

        assertThat(lengths.stream().filter(l -> l == 512)).hasSize(64);
        assertThat(lengths.stream().filter(l -> l == 8)).hasSizeGreaterThan(128);
    }

    @Test
    void everyDrawnLengthHasToCome() {
        Plan plan = plan(drawn(2000, 1, 8, 200, 512, 1), of(ttft(8, 500)));

        assertThat(lengths(plan, 400)).hasSizeGreaterThan(64).endsWith(512).containsOnlyOnce(512);
    }

    /** The first requests are sent at once; each further one after an answer and the thought about it. */
    @Test
    void usersThinkBetweenAnAnswerAndTheNextRequest() {
        ThinkTime time = new ThinkTime(ThinkTime.Distribution.EXPONENTIAL, Duration.ofSeconds(2), 7);
        Scenario scenario = new Scenario(
                new TreeSet<>(List.of(8)),
                Prompts.IN_TURN,
                2000,
                Optional.empty(),
                1,
                Sampling.GREEDY,
                new Load.Closed(2, Optional.of(time)),
                WarmUpPlan.DEFAULT);
        Plan plan = plan(scenario, Optional.empty());

        assertThat(plan.next().orElseThrow().thinkNanos()).isZero();
        assertThat(plan.next().orElseThrow().thinkNanos()).isZero();
        assertThat(IntStream.range(0, 1900)
                        .mapToLong(i -> plan.next().orElseThrow().thinkNanos())
                        .average()
                        .orElseThrow())
                .isBetween(1800.0 * MILLI, 2200.0 * MILLI);
    }

    @Test
    void whoWouldThinkBeyondTheTimeDoesNotGoOn() {
        ThinkTime time = new ThinkTime(ThinkTime.Distribution.CONSTANT, Duration.ofSeconds(2), 7);
        Scenario scenario = new Scenario(
                new TreeSet<>(List.of(8)),
                Prompts.IN_TURN,
                2000,
                Optional.of(Duration.ofSeconds(5)),
                1,
                Sampling.GREEDY,
                new Load.Closed(1, Optional.of(time)),
                WarmUpPlan.DEFAULT);

        // On this clock thought takes no time: 1.5 and 2 seconds are within five, 3 and 2 are not.
        assertThat(lengths(plan(scenario, Optional.empty()), 1500)).hasSize(2);
    }

    private static Scenario drawn(int requests, int concurrency, int one, int weight, int other, int weightOfOther) {
        PromptShares shares = new PromptShares(new TreeMap<>(Map.of(one, weight, other, weightOfOther)));
        return new Scenario(
                new TreeSet<>(List.of(one, other)),
                new Prompts.Drawn(shares, 42),
                requests,
                Optional.empty(),
                1,
                Sampling.GREEDY,
                new Load.Closed(concurrency),
                WarmUpPlan.DEFAULT);
    }

    private List<Integer> lengths(Plan plan, long ttftMillis) {
        List<Integer> lengths = new ArrayList<>();
        for (Optional<Plan.Next> next = plan.next(); next.isPresent(); next = plan.next()) {
            lengths.add(next.get().promptTokens());
            now.addAndGet(ttftMillis * MILLI);
            plan.done(trace(next.get().number(), next.get().promptTokens(), ttftMillis));
        }
        return lengths;
    }

    private static TokenTrace trace(int number, int promptTokens, long ttftMillis) {
        return new TokenTrace(number, promptTokens, 1, 0, new long[] {ttftMillis * MILLI}, Outcome.COMPLETED, null);
    }

    private Plan plan(Scenario scenario, Optional<Budget> budget) {
        return new Plan(scenario, budget.map(scenario::looks), now::get);
    }

    private static Scenario scenario(
            int requests, int concurrency, Optional<Duration> maxDuration, Integer... lengths) {
        return new Scenario(
                new TreeSet<>(List.of(lengths)),
                Prompts.IN_TURN,
                requests,
                maxDuration,
                1,
                Sampling.GREEDY,
                new Load.Closed(concurrency),
                WarmUpPlan.DEFAULT);
    }

    private static Optional<Budget> of(Rule... rules) {
        return Optional.of(Budget.of(rules));
    }

    private static Rule ttft(int promptTokens, int millis) {
        return LatencyRule.ttft(PromptLength.exactly(promptTokens), Percentile.P95, Duration.ofMillis(millis));
    }
}
