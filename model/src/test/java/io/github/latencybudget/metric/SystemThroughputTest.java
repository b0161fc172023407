package io.github.latencybudget.metric;

import static io.github.latencybudget.trace.Traces.MS;
import static io.github.latencybudget.trace.Traces.run;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Traces;
import org.junit.jupiter.api.Test;

/** System TGS, against numbers computed by hand. */
class SystemThroughputTest {

    /** In flight from 0 to 400 and from 100 to 500 ms: 5 tokens in 500 ms. */
    private static Traces two() {
        return run().arrivals(0, 200 * MS, 300 * MS, 400 * MS).arrivals(100 * MS, 400 * MS, 500 * MS);
    }

    @Test
    void allTokensOverTheTimeFromTheFirstStartToTheLastToken() {
        SystemThroughput system =
                SystemThroughput.of(two().measurement().traces()).orElseThrow();

        assertThat(system.outputTokens()).isEqualTo(5);
        assertThat(system.windowNanos()).isEqualTo(500 * MS);
        assertThat(system.systemTgs()).isEqualTo(10);
        assertThat(system.meanInFlight()).isEqualTo(1.6);
    }

    @Test
    void tokensOfARequestThatBrokeDoNotCountAndItsTimeDoes() {
        SystemThroughput system = SystemThroughput.of(two().add(Outcome.FAILED, "broke", 200 * MS, 600 * MS, 1000 * MS)
                        .measurement()
                        .traces())
                .orElseThrow();

        assertThat(system.outputTokens()).isEqualTo(5);
        assertThat(system.systemTgs()).isEqualTo(5);
    }

    @Test
    void theOrderOfTheTracesDoesNotMatter() {
        Traces traces = run().arrivals(100 * MS, 400 * MS, 500 * MS).arrivals(0, 200 * MS, 300 * MS, 400 * MS);

        assertThat(SystemThroughput.of(traces.measurement().traces()))
                .isEqualTo(SystemThroughput.of(two().measurement().traces()));
    }

    @Test
    void aClockThatRunsOverIsNoMatter() {
        long start = Long.MAX_VALUE - 100 * MS;
        Traces traces = run().arrivals(start, start + 200 * MS, start + 500 * MS);

        assertThat(SystemThroughput.of(traces.measurement().traces())
                        .orElseThrow()
                        .systemTgs())
                .isEqualTo(4);
    }

    @Test
    void absentWithoutATokenOfACompletedRequestOrWithoutTime() {
        assertThat(SystemThroughput.of(run().measurement().traces())).isEmpty();
        assertThat(SystemThroughput.of(run().add(Outcome.EMPTY, "no token came", 0)
                        .add(Outcome.FAILED, "broke", 0, 5)
                        .measurement()
                        .traces()))
                .isEmpty();
        assertThat(SystemThroughput.of(run().arrivals(7, 7).measurement().traces()))
                .isEmpty();
    }
}
