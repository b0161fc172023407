package io.github.latencybudget.budget;

import static io.github.latencybudget.trace.Traces.MS;
import static io.github.latencybudget.trace.Traces.run;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Traces;
import java.time.Duration;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class LoadTextTest {

    private static final Load.Open FIVE = new Load.Open(new Arrivals.Poisson(5, 42), OptionalInt.of(64), 100);

    /** Due at 0, 200, 400 and 1000 ms; one is never sent, one fails. */
    private static Traces four() {
        return run().openLoop(FIVE)
                .concurrency(2)
                .arrivals(0, 300 * MS)
                .sentAfter(0)
                .overAfter(310 * MS)
                .arrivals(200 * MS, 500 * MS)
                .sentAfter(2 * MS)
                .overAfter(300 * MS)
                .add(Outcome.DROPPED, "full", 400 * MS)
                .add(Outcome.FAILED, "503", 1000 * MS)
                .sentAfter(10 * MS)
                .overAfter(20 * MS);
    }

    @Test
    void theRatesAreThoseOfWhatWasDueSentAndCompleted() {
        assertThat(LoadText.rates(four().measurement()))
                .contains(
                        "3.00 requests/s due, 1.98 sent, 5.00 completed; 1 of 4 never sent; 1 of 4 sent and not completed");
    }

    @Test
    void theDelayIsFromWhenARequestWasDue() {
        assertThat(LoadText.scheduleDelay(four().measurement())).contains("P50 2.00 ms, P99 10.0 ms, max 10.0 ms");
    }

    @Test
    void inFlightIsWhatWasSentAndIsNotOver() {
        // 202 with one, 108 with two, 190 with one, 510 with none, 10 with one: 618 of 1020
        assertThat(LoadText.inFlight(four().measurement())).contains("0.6 on average, 2 at most");
    }

    @Test
    void aClosedLoopHasNeitherRateNorDelay() {
        assertThat(LoadText.rates(run(3, 100 * MS).measurement())).isEmpty();
        assertThat(LoadText.scheduleDelay(run(3, 100 * MS).measurement())).isEmpty();
        assertThat(LoadText.inFlight(run(3, 100 * MS).measurement())).isEmpty();
        assertThat(LoadText.inFlight(
                        run().together(2).add(4, 100 * MS).concurrency(2).measurement()))
                .contains("2.0 on average, 2 at most");
    }

    @Test
    void aRunOfOneRequestHasNoRate() {
        assertThat(LoadText.rates(run(1, 100 * MS).openLoop(FIVE).measurement()))
                .isEmpty();
    }

    @Test
    void arrivalsAreSaidWithTheirSeedAndTheirBounds() {
        assertThat(LoadText.arrivals(FIVE))
                .isEqualTo("open loop of 5 requests/s, Poisson, seed 42; at most 64 in flight and 100 waiting");
        assertThat(LoadText.arrivals(
                        new Load.Open(new Arrivals.Ramp(0, 2.5, Duration.ofSeconds(60)), OptionalInt.empty(), 0)))
                .isEqualTo(
                        "open loop of 0 to 2.5 requests/s over 60 s; at most as many as the target can have in flight and 0 waiting");
    }

    @Test
    void aFailureSaysWhatBecameOfTheLoad() {
        assertThat(Budget.of(LatencyRule.ttft(PromptLength.exactly(512), Percentile.P95, Duration.ofMillis(500)))
                        .evaluate(four().measurement())
                        .describe())
                .startsWith(
                        "[Llama-2-7b fp16 synthetic, seed 42 | prompt 512 | output 1 | greedy | warm | open loop of 5 requests/s, Poisson | NVIDIA H200]\n"
                                + "        3.00 requests/s due, 1.98 sent, 5.00 completed; 1 of 4 never sent; 1 of 4 sent and not completed; sent after they were due by P50 2.00 ms, P99 10.0 ms, max 10.0 ms; in flight 0.6 on average, 2 at most\n");
    }
}
