package io.github.latencybudget.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Named.named;

import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.ServerMetrics;
import io.github.latencybudget.trace.TokenTrace;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a driver has measured where a run does not come to its end. */
@Timeout(60)
class SoFarTest {

    private static final int ANSWERED = 6;
    private static final Load ONE = new Load.Closed(1);
    private static final Load TWO = new Load.Closed(2);
    private static final Load OPEN = new Load.Open(new Arrivals.Constant(1_000), OptionalInt.of(2), 100);

    /** A load, and the driver's own way to put it on a target. */
    private record Way(Load load, boolean isEventDriven) {

        TargetSession session(LongConsumer prepared, ScriptedSession.Script script) {
            return isEventDriven
                    ? new EventedSession(prepared, (number, answer) -> {
                        if (hasRun(script, number)) {
                            answer.run();
                        }
                    })
                    : new ScriptedSession(2, prepared, script);
        }

        private static boolean hasRun(ScriptedSession.Script script, long number) {
            try {
                script.run(number);
                return true;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static Stream<Named<Way>> ways() {
        return Stream.of(
                named("the caller's thread", new Way(ONE, false)),
                named("threads", new Way(TWO, false)),
                named("events", new Way(TWO, true)),
                named("an open loop", new Way(OPEN, false)));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void anErrorWhenARequestIsMadeLosesNoneThatHasEnded(Way way) {
        TargetSession session = way.session(
                number -> {
                    if (number >= warmUps(way) + ANSWERED) {
                        throw new OutOfMemoryError("heap");
                    }
                },
                number -> {});
        LoadDriver driver = new LoadDriver(session, scenario(way.load()), Progress.NONE);

        assertThatThrownBy(driver::run).isNotNull();

        assertThat(driver.soFar().orElseThrow().traces())
                .extracting(TokenTrace::request)
                .isSubsetOf(IntStream.range(0, ANSWERED).boxed().toList())
                .isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void anErrorOfWhoeverIsToldLosesNotEvenTheRequestThatItIsToldOf(Way way) {
        LoadDriver driver = new LoadDriver(
                way.session(number -> {}, number -> {}), scenario(way.load()), (what, done, total, unit) -> {
                    if (what.equals("measuring") && done == ANSWERED) {
                        throw new IllegalStateException("no room on the disk");
                    }
                });

        assertThatThrownBy(driver::run).hasMessageContaining("no room on the disk");

        Measurement soFar = driver.soFar().orElseThrow();
        assertThat(soFar.traces()).hasSizeGreaterThanOrEqualTo(ANSWERED);
        assertThat(soFar.findings())
                .contains(new Finding(
                        Finding.Kind.INTERRUPTED,
                        String.format(
                                Locale.ROOT,
                                "the run was interrupted after %d of 100 requests: run the gate again",
                                soFar.traces().size())));
    }

    @Test
    void aTargetThatIsGoneAtTheEndOfItsRunTakesNoTimesWithIt() {
        ScriptedSession session = new ScriptedSession(2, number -> {}, number -> {});
        session.counts = new FailsTheSecondTime();
        LoadDriver driver = new LoadDriver(session, scenario(ONE), Progress.NONE);

        assertThatExceptionOfType(RuntimeException.class).isThrownBy(driver::run);

        assertThat(driver.soFar().orElseThrow().traces()).hasSize(100);
    }

    private static final class FailsTheSecondTime implements Supplier<Optional<ServerMetrics>> {

        private int looks;

        @Override
        public Optional<ServerMetrics> get() {
            if (++looks > 1) {
                throw new IllegalStateException("the server is gone");
            }
            return Optional.empty();
        }
    }

    @Test
    void aRequestInFlightIsNoPartOfIt() throws InterruptedException {
        CountDownLatch hangs = new CountDownLatch(1);
        ScriptedSession session = new ScriptedSession(2, number -> {}, number -> {
            if (number == warmUps(new Way(ONE, false)) + ANSWERED) {
                hangs.countDown();
                Thread.sleep(Long.MAX_VALUE);
            }
        });
        LoadDriver driver = new LoadDriver(session, scenario(ONE), Progress.NONE);
        assertThat(driver.soFar()).as("before its first request").isEmpty();
        Thread running = new Thread(driver::run);
        running.start();
        hangs.await();

        Measurement soFar = driver.soFar().orElseThrow();

        assertThat(soFar.traces())
                .hasSize(ANSWERED)
                .allSatisfy(t -> assertThat(t.outcome()).isEqualTo(Outcome.COMPLETED));
        assertThat(soFar.watch().notChecked()).doesNotContainKey(Guard.SAME_TARGET);
        running.interrupt();
        running.join();
        assertThat(driver.soFar().orElseThrow().traces()).hasSize(ANSWERED + 1);
    }

    @Test
    void aRunThatIsOverIsWhole() {
        LoadDriver driver =
                new LoadDriver(new ScriptedSession(2, number -> {}, number -> {}), scenario(ONE), Progress.NONE);

        assertThat(driver.run()).isSameAs(driver.soFar().orElseThrow());
        assertThat(driver.soFar().orElseThrow().findings()).isEmpty();
    }

    /** Three rounds of as many as are in flight; an open loop has two requests by themselves before. */
    private static long warmUps(Way way) {
        return way.load() instanceof Load.Open ? 2 + 3 * 2 : 3L * ((Load.Closed) way.load()).concurrency();
    }

    private static Scenario scenario(Load load) {
        return new Scenario(
                new TreeSet<>(List.of(8)),
                Prompts.IN_TURN,
                100,
                Optional.empty(),
                2,
                Sampling.GREEDY,
                load,
                new WarmUpPlan(1_000_000, Long.MAX_VALUE, 3));
    }
}
