package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.trace.ClientCalibration;
import io.github.latencybudget.trace.ClientCalibration.Step;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which rates are tried, how often, and what is kept. The streams are scripted. */
class ClientCalibratorTest {

    private final List<String> ran = new ArrayList<>();

    /** Follows up to a rate, in streams that are as exact as can be. */
    private ClientCalibrator.Seen follow(int streams, int rounds, long periodNanos, double mostPerSecond) {
        double rate = Math.rint(streams * 1e9 / periodNanos);
        ran.add("%d x %d at %.0f".formatted(streams, rounds, rate));
        long[] errors = new long[streams * rounds];
        Arrays.fill(errors, rate > mostPerSecond ? 20_000_000 : 1_000);
        if (errors.length > 100) {
            // Above the P99.
            errors[errors.length - 1] = 30_000_000;
        }
        return new ClientCalibrator.Seen(errors, rate);
    }

    @Test
    void ratesDoubleFromThePlannedOneUpToTheOneThatTheClientCannotFollow() throws InterruptedException {
        ClientCalibrator calibrator =
                new ClientCalibrator((streams, rounds, period) -> follow(streams, rounds, period, 1100));

        ClientCalibration found = calibrator.calibrate(2, 200, 0);

        assertThat(ran)
                .as("one to warm up, the planned rate for a second, those above for a fifth, the last three times")
                .containsExactly(
                        "2 x 1638 at 16384",
                        "2 x 128 at 256",
                        "2 x 51 at 512",
                        "2 x 102 at 1024",
                        "2 x 205 at 2048",
                        "2 x 205 at 2048",
                        "2 x 205 at 2048");
        assertThat(found)
                .isEqualTo(new ClientCalibration(
                        2,
                        new Step(256, 256, 1_000, 1_000),
                        List.of(
                                new Step(512, 102, 1_000, 1_000),
                                new Step(1024, 204, 1_000, 1_000),
                                new Step(2048, 410, 20_000_000, 20_000_000))));
        assertThat(found.ceiling(5_000_000)).hasValue(1024);
    }

    @Test
    void whatIsKnownIsNotMeasuredAgain() throws InterruptedException {
        ClientCalibrator calibrator =
                new ClientCalibrator((streams, rounds, period) -> follow(streams, rounds, period, 1100));
        ClientCalibration first = calibrator.calibrate(2, 200, 0);
        ran.clear();

        assertThat(calibrator.calibrate(2, 129, 0)).isEqualTo(first);
        assertThat(ran).isEmpty();
        calibrator.calibrate(2, 1, 0);
        assertThat(ran).containsExactly("2 x 64 at 128", "2 x 26 at 256");
    }

    /** With 20 ms something is judged where the limit is 500 ms; with that error the doubling once ended. */
    @Test
    void theDoublingGoesOnAsFarAsTheLimitsAllow() throws InterruptedException {
        ClientCalibrator calibrator = new ClientCalibrator((streams, rounds, period) -> {
            ClientCalibrator.Seen seen = follow(streams, rounds, period, 1100);
            return seen.eventsPerSecond() <= 5000 ? seen : scaled(seen, 3);
        });

        ClientCalibration strict = calibrator.calibrate(2, 200, 19_999_999);
        assertThat(strict.steps()).extracting(Step::eventsPerSecond).containsExactly(512.0, 1024.0, 2048.0);
        assertThat(strict.isAboveAll(50_000_000))
                .as("what comes above was not tried")
                .isFalse();

        ClientCalibration loose = calibrator.calibrate(2, 200, 50_000_000);
        assertThat(loose.steps())
                .extracting(Step::eventsPerSecond)
                .containsExactly(512.0, 1024.0, 2048.0, 4096.0, 8192.0);
        assertThat(loose.ceiling(50_000_000)).hasValue(4096);
        assertThat(loose.mostErrorNanos()).isEqualTo(50_000_000);
    }

    /** 12 ms, once: the largest limit allows it, and for a smaller one it would be where the client ends. */
    @Test
    void aMomentThatOnlyTheLargestLimitAllowsIsTriedAgain() throws InterruptedException {
        ClientCalibrator calibrator = new ClientCalibrator((streams, rounds, period) -> {
            ClientCalibrator.Seen seen = follow(streams, rounds, period, 1100);
            boolean isBusy = seen.eventsPerSecond() == 1024
                    && ran.stream().filter(r -> r.endsWith(" at 1024")).count() == 1;
            return isBusy ? scaled(seen, 12_000) : seen;
        });

        ClientCalibration found = calibrator.calibrate(2, 200, 15_000_000);

        assertThat(found.ceiling(5_000_000)).hasValue(1024);
        assertThat(calibrator.calibrate(2, 200, 0).steps())
                .as("a later gate with smaller limits")
                .isEqualTo(found.steps());
    }

    private static ClientCalibrator.Seen scaled(ClientCalibrator.Seen seen, long by) {
        return new ClientCalibrator.Seen(
                Arrays.stream(seen.errorNanos()).map(e -> e * by).toArray(), seen.eventsPerSecond());
    }

    @Test
    void noLimitMakesAnEventThatDidNotComeOneThatDid() throws InterruptedException {
        ClientCalibrator calibrator = new ClientCalibrator((streams, rounds, period) -> {
            ClientCalibrator.Seen seen = follow(streams, rounds, period, 1e9);
            if (seen.eventsPerSecond() == 512) {
                throw new ClientCalibrator.Behind("it did not end");
            }
            return seen;
        });

        ClientCalibration found = calibrator.calibrate(2, 200, Long.MAX_VALUE);

        assertThat(found.steps()).extracting(Step::plannedPerSecond).containsExactly(512.0);
        assertThat(found.mostErrorNanos()).isLessThan(ClientCalibrator.MOST_WAIT_NANOS);
    }

    @Test
    void aClientThatFollowsAllIsAskedNoFurther() throws InterruptedException {
        ClientCalibrator calibrator =
                new ClientCalibrator((streams, rounds, period) -> follow(streams, rounds, period, 1e9));

        ClientCalibration found = calibrator.calibrate(10_000, 1e9, 0);

        assertThat(found.streams()).isEqualTo(256);
        assertThat(found.planned().eventsPerSecond()).isEqualTo(262_144);
        assertThat(found.steps()).isEmpty();
    }

    @Test
    void aServerThatFallsBehindIsACeilingToo() throws InterruptedException {
        ClientCalibrator calibrator = new ClientCalibrator((streams, rounds, period) -> {
            ClientCalibrator.Seen seen = follow(streams, rounds, period, 1e9);
            return new ClientCalibrator.Seen(seen.errorNanos(), Math.min(400, seen.eventsPerSecond()));
        });

        ClientCalibration found = calibrator.calibrate(1, 1, 0);

        assertThat(found.steps()).extracting(Step::eventsPerSecond).containsExactly(256.0, 400.0);
        assertThat(found.steps()).extracting(Step::plannedPerSecond).containsExactly(256.0, 512.0);
        assertThat(found.isAboveAll(5_000_000)).isFalse();
    }

    @Test
    void aClientThatGivesUpAtAHigherRateEndsTheDoublingThere() throws InterruptedException {
        ClientCalibrator calibrator = new ClientCalibrator((streams, rounds, period) -> {
            ClientCalibrator.Seen seen = follow(streams, rounds, period, 1e9);
            if (seen.eventsPerSecond() == 1024) {
                throw new ClientCalibrator.Behind("100 of 204 events came");
            }
            return seen;
        });

        ClientCalibration found = calibrator.calibrate(2, 200, 0);

        assertThat(found.planned()).isEqualTo(new Step(256, 256, 1_000, 1_000));
        assertThat(found.steps())
                .containsExactly(
                        new Step(512, 102, 1_000, 1_000),
                        new Step(20.4, 204, 10_000_000_000L, 10_000_000_000L, 1024.0));
        assertThat(found.isAboveAll(5_000_000)).isFalse();
        assertThat(found.ceiling(5_000_000)).hasValue(512);
        assertThat(ran).as("what took so long is not tried again").hasSize(4);
    }

    @Test
    void aClientThatGivesUpAtThePlannedRateIsInexactAndNotUnknown() throws InterruptedException {
        ClientCalibrator calibrator = new ClientCalibrator((streams, rounds, period) -> {
            throw new ClientCalibrator.Behind("it did not end");
        });

        ClientCalibration found = calibrator.calibrate(1, 100, 0);

        assertThat(found.planned()).isEqualTo(new Step(12.8, 128, 10_000_000_000L, 10_000_000_000L, 128.0));
    }

    @Test
    void whatBreaksAtAHigherRateTakesNothingFromThoseBelow() throws InterruptedException {
        ClientCalibrator calibrator = new ClientCalibrator((streams, rounds, period) -> {
            ClientCalibrator.Seen seen = follow(streams, rounds, period, 1e9);
            if (seen.eventsPerSecond() == 512) {
                throw new IOException("too many open files");
            }
            return seen;
        });

        ClientCalibration found = calibrator.calibrate(2, 200, 0);

        assertThat(found.planned().eventsPerSecond()).isEqualTo(256);
        assertThat(found.steps()).extracting(Step::plannedPerSecond).containsExactly(512.0);
        assertThat(found.isAboveAll(5_000_000)).isFalse();
    }

    @Test
    void aLoopbackThatBreaksSaysWhatToSee() {
        ClientCalibrator calibrator = new ClientCalibrator((streams, rounds, period) -> {
            throw new IOException("too many open files");
        });

        assertThatThrownBy(() -> calibrator.calibrate(1, 1, 0))
                .isInstanceOf(MeasurementException.class)
                .hasMessage(
                        "a connection of this machine to itself broke (too many open files); see that its loopback can be used, and how many files may be open");
    }
}
