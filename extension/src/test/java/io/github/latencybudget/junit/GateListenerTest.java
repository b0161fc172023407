package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.GateRecord.State;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** The listener, found and called by a real launcher, in this JVM and in one that is killed. */
class GateListenerTest {

    @TempDir
    Path output;

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class Mixed {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void runs() {}

        @Test
        @Disabled("not before the release")
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void disabled() {}

        @Test
        void noGate() {}
    }

    @Disabled("none of them")
    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class AllDisabled {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() {}
    }

    static class NoGates {
        @Test
        void test() {}
    }

    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    static class Killed {
        @Test
        @Order(1)
        @InferenceTarget(model = "fake:holds", target = FakeTarget.class)
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void first() {}

        @Test
        @Order(2)
        @InferenceTarget(model = "fake:halts", target = FakeTarget.class, options = "halt=now")
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void second() {}

        @Test
        @Order(3)
        @InferenceTarget(model = "fake:holds", target = FakeTarget.class)
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void third() {}
    }

    @Test
    void recordsWhatRanAndWhatWasSkippedAndWhy() {
        launch(output, Mixed.class, AllDisabled.class);

        assertThat(new Gates(output).records())
                .extracting(r -> r.gate().methodName(), GateRecord::state, GateRecord::skipReason)
                .containsExactlyInAnyOrder(
                        tuple("runs()", State.ENDED, null),
                        tuple("disabled()", State.SKIPPED, "not before the release"),
                        tuple("gate()", State.SKIPPED, "none of them"));
        assertThat(output.resolve("index.html")).content().contains("not before the release");
    }

    @Test
    void writesNothingWhereThereIsNoGate() {
        launch(output.resolve("none"), NoGates.class);

        assertThat(output.resolve("none")).doesNotExist();
    }

    /** Case 19. */
    @Test
    void aGateThatIsRunAgainIsAFurtherAttempt() {
        launch(output, Mixed.class);
        launch(output, Mixed.class);

        assertThat(new Gates(output).records())
                .filteredOn(r -> r.gate().methodName().equals("runs()"))
                .extracting(GateRecord::attempt)
                .containsExactly(1, 2);
    }

    /** Case 34. */
    @Test
    void aGateThatIsKilledStaysVisible() throws IOException, InterruptedException {
        Path console = output.resolve("console.txt");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                output.toString()));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(console.toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();

        assertThat(process.exitValue()).as(Files.readString(console)).isEqualTo(137);
        assertThat(new Gates(output).records())
                .extracting(r -> r.gate().methodName(), GateRecord::state)
                .containsExactlyInAnyOrder(
                        tuple("first()", State.ENDED),
                        tuple("second()", State.STARTED),
                        tuple("third()", State.PLANNED));
        assertThat(output.resolve("summary.md")).content().containsIgnoringCase("not finished");
    }

    /** Runs {@link Killed} in a JVM of its own. */
    static final class Main {
        public static void main(String[] arguments) {
            launch(new File(arguments[0]).toPath(), Killed.class);
        }
    }

    static void launch(Path output, Class<?>... classes) {
        LauncherFactory.create()
                .execute(LauncherDiscoveryRequestBuilder.request()
                        .selectors(
                                Arrays.stream(classes).map(c -> selectClass(c)).toList())
                        .configurationParameter("latencybudget.output", output.toString())
                        .configurationParameter("latencybudget.run", "test")
                        .configurationParameter("latencybudget.device.locks", Gates.LOCKS)
                        .build());
    }
}
