package io.github.latencybudget.budget;

import static io.github.latencybudget.trace.Traces.MS;
import static io.github.latencybudget.trace.Traces.times;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.PromptFile;
import io.github.latencybudget.trace.Traces;
import io.github.latencybudget.trace.Workload;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Prompts of a file have the lengths that they have, and none may pass unseen. */
final class UnjudgedPromptsTest {

    private static final Rule SHORT = ttft(PromptLength.between(1, 128), 500);
    private static final Rule LONG = ttft(PromptLength.above(128), 800);
    private static final Rule ITL = LatencyRule.itl(Percentile.P95, Duration.ofMillis(50));

    private static Rule ttft(PromptLength length, int millis) {
        return LatencyRule.ttft(length, Percentile.P95, Duration.ofMillis(millis));
    }

    private static Traces run(int turns) {
        Traces run =
                Traces.run().workload(Workload.of(new PromptFile("chat.jsonl", "0123456789abcdef", 400, 0, 0, turns)));
        for (int i = 0; i < 200; i++) {
            run.prompt(i % 2 == 0 ? 10 + i % 50 : 200 + i).add(1, 400 * MS, times(2, 20 * MS));
        }
        return run;
    }

    @Test
    void aTableThatHasARowForEachIsJudged() {
        assertThat(Budget.of(SHORT, LONG, ITL).evaluate(run(1).measurement()).status())
                .isEqualTo(Status.PASS);
    }

    @Test
    void oneInNoRowKeepsAllFromBeingShown() {
        Verdicts verdicts = Budget.of(SHORT, ITL).evaluate(run(1).measurement());

        assertThat(verdicts.verdicts().get(0).reason())
                .hasValue(
                        "100 of 200 requests had prompts of 201 to 399 tokens, which no limit on TTFT is about; add a row for such prompts, or leave them out of the file");
        assertThat(verdicts.status()).isEqualTo(Status.INCONCLUSIVE);
    }

    /** It would be good or bad at no length. */
    @Test
    void oneWhoseLengthIsNotKnownIsNotPassedOver() {
        Rule goodput =
                GoodputRule.atLeast(0.8, RequestLimit.ttft(PromptLength.between(1, 1000), Duration.ofMillis(500)));

        Verdict verdict = Budget.of(goodput)
                .evaluate(run(1).prompt(0).add(Outcome.FAILED, "status 503", 0).measurement())
                .verdicts()
                .get(0);

        assertThat(verdict.status()).isEqualTo(Status.INCONCLUSIVE);
        assertThat(verdict.reason().orElseThrow())
                .contains(
                        "1 of 201 requests ended before the length of their prompt was known, so no limit on goodput at a prompt length is about them; see why they did not complete");
    }

    @Test
    void theTurnsOfAConversationShareAMoment() {
        assertThat(Budget.of(ITL).evaluate(run(1).measurement()).status()).isEqualTo(Status.PASS);
        Verdict ofFour =
                Budget.of(ITL).evaluate(run(4).measurement()).verdicts().get(0);

        assertThat(ofFour.evidence().orElseThrow().requestsPerSample()).isEqualTo(4);
        assertThat(ofFour.status()).isEqualTo(Status.INCONCLUSIVE);
    }

    @Test
    void theFileIsInTheFirstLineAndItsLengthsAreARange() {
        Verdicts verdicts = Budget.of(SHORT, LONG).evaluate(run(1).measurement());

        assertThat(verdicts.describe())
                .startsWith(
                        "[Llama-2-7b fp16 synthetic, seed 42 | prompt file chat.jsonl, sha256 0123456789ab, 400 conversations of 1 turn | output");
        assertThat(run(1).measurement().conditions().promptLengths()).isEqualTo("10 to 399 (200 requests)");
    }

    @Test
    void aDriftIsLookedForAmongAllPrompts() {
        Traces run = run(1);
        for (int i = 0; i < 200; i++) {
            run.prompt(50 + i).add(1, 700 * MS, times(2, 20 * MS));
        }

        Verdicts verdicts = Budget.of(ttft(PromptLength.above(1), 800)).evaluate(run.measurement());

        assertThat(verdicts.findings())
                .extracting(Finding::sentence)
                .containsExactly(
                        "the run became slower while it lasted: median TTFT of all prompts 400.0 ms in the first third, 700.0 ms in the last (+75.0%, 133 requests each); look for heat, a leak or another load on the machine, and measure again");
    }

    @Test
    void anEntryMayHaveItsOwnOutputLength() {
        Traces run = run(1).prompt(50).add(1, 400 * MS, times(5, 20 * MS));

        assertThat(Budget.of(ITL).evaluate(run.measurement()).status()).isEqualTo(Status.PASS);
        assertThat(new LatencyRule(Metric.ITL, Percentile.P95, Duration.ofMillis(50), Optional.empty()))
                .isEqualTo(ITL);
    }
}
