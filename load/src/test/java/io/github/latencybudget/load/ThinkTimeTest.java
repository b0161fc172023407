package io.github.latencybudget.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.ThinkTime;
import io.github.latencybudget.trace.TokenTrace;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Users of a closed loop think, whether each has a thread or none. */
final class ThinkTimeTest {

    static Stream<TargetSession> sessions() {
        return Stream.of(
                new ScriptedSession(2, p -> {}, p -> {}),
                new EventedSession(p -> {}, (prompt, answer) -> answer.run()));
    }

    private static Scenario scenario(int users, Duration think) {
        return new Scenario(
                new TreeSet<>(List.of(8)),
                Prompts.IN_TURN,
                6,
                Optional.empty(),
                2,
                Sampling.GREEDY,
                new Load.Closed(users, Optional.of(new ThinkTime(ThinkTime.Distribution.CONSTANT, think, 0))),
                new WarmUpPlan(1_000_000, Long.MAX_VALUE, 3));
    }

    @ParameterizedTest
    @MethodSource("sessions")
    void whoHasThoughtGoesOn(TargetSession session) {
        assertThat(new LoadDriver(session, scenario(2, Duration.ofNanos(1)), Progress.NONE)
                        .run()
                        .traces())
                .extracting(TokenTrace::request)
                .containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5);
    }

    /** It would take an hour else. */
    @ParameterizedTest
    @MethodSource("sessions")
    void anInterruptEndsTheThought(TargetSession session) throws Exception {
        FutureTask<List<TokenTrace>> run = new FutureTask<>(
                () -> new LoadDriver(session, scenario(2, Duration.ofHours(1)), interrupting(Thread.currentThread()))
                        .run()
                        .traces());
        new Thread(run).start();

        assertThat(run.get(1, TimeUnit.MINUTES)).hasSize(2);
    }

    /** Once both users have an answer. */
    private static Progress interrupting(Thread thread) {
        return (what, done, total, unit) -> {
            if (what.equals("measuring") && done == 2) {
                thread.interrupt();
            }
        };
    }
}
