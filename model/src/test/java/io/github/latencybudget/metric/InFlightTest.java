package io.github.latencybudget.metric;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.metric.InFlight.Step;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import io.github.latencybudget.trace.Traces;
import java.util.List;
import org.junit.jupiter.api.Test;

class InFlightTest {

    @Test
    void aRequestIsInFlightFromItsStartToItsLastToken() {
        InFlight inFlight =
                InFlight.sent(traces(Traces.run().arrivals(100, 140, 160).arrivals(120, 130, 200)));

        assertThat(inFlight.steps())
                .containsExactly(new Step(0, 1), new Step(20, 2), new Step(60, 1), new Step(100, 0));
        assertThat(inFlight.peak()).isEqualTo(2);
        // 20 with one, 40 with two, 40 with one
        assertThat(inFlight.mean()).isEqualTo(1.4);
    }

    @Test
    void oneOfAnOpenLoopIsInFlightOnceItIsSentAndWaitsBefore() {
        Traces run = Traces.run().arrivals(0, 50).sentAfter(0).arrivals(10, 90).sentAfter(40);

        assertThat(InFlight.sent(traces(run)).steps())
                .containsExactly(new Step(0, 1), new Step(50, 1), new Step(90, 0));
        assertThat(InFlight.due(traces(run)).steps())
                .containsExactly(new Step(0, 1), new Step(10, 2), new Step(50, 1), new Step(90, 0));
    }

    @Test
    void oneThatFailsIsInFlightUntilThatIsKnown() {
        Traces run = Traces.run().arrivals(0, 50).add(Outcome.FAILED, "503", 10).overAfter(90);

        assertThat(InFlight.sent(traces(run)).steps())
                .containsExactly(new Step(0, 1), new Step(10, 2), new Step(50, 1), new Step(100, 0));
    }

    @Test
    void oneThatWasNeverSentIsNot() {
        Traces run = Traces.run().arrivals(0, 50).add(Outcome.DROPPED, "full", 10);

        assertThat(InFlight.due(traces(run)).peak()).isEqualTo(1);
    }

    @Test
    void timesMayRunOverTheEndOfTheLongRange() {
        Traces run = Traces.run().arrivals(Long.MAX_VALUE - 5, Long.MIN_VALUE + 4);

        assertThat(InFlight.sent(traces(run)).steps()).containsExactly(new Step(0, 1), new Step(10, 0));
    }

    @Test
    void nothingSentIsNothingInFlight() {
        InFlight none = InFlight.sent(List.of());

        assertThat(none.steps()).isEmpty();
        assertThat(none.peak()).isZero();
        assertThat(none.mean()).isZero();
    }

    private static List<TokenTrace> traces(Traces run) {
        return run.measurement().traces();
    }
}
