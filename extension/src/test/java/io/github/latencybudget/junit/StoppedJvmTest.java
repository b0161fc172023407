package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectFile;

import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.GateRecord.State;
import io.github.latencybudget.record.MeasurementEntry;
import io.github.latencybudget.scripted.Answer;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.scripted.ServedRequest;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.SharedPrompts;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** JVMs of their own that a signal stops in mid-run. What they measure hangs by then, so each request that ended is known. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "a process cannot ask another to stop")
class StoppedJvmTest {

    private static final String NO_SUCH_LINE = "neither this";

    @TempDir
    Path folder;

    private final List<Process> started = new CopyOnWriteArrayList<>();

    @AfterEach
    void killWhatDoesNotStop() {
        started.forEach(Process::destroyForcibly);
    }

    static class OneInFlight {
        @Test
        @InferenceTarget(model = "stuck", target = StuckTarget.class, options = "answers=45")
        @LatencyBudget(promptTokens = 8, outputTokens = 3, requests = 200, itlP95Ms = 10_000)
        void gate() {}
    }

    static class AllHangs {
        @Test
        @InferenceTarget(
                model = "stuck",
                target = StuckTarget.class,
                options = {"answers=45", "looksHang="})
        @LatencyBudget(promptTokens = 8, outputTokens = 3, requests = 200, itlP95Ms = 10_000)
        void gate() {}
    }

    static class EightInFlight {
        @Test
        @InferenceTarget(
                model = "stuck",
                target = StuckTarget.class,
                options = {"answers=45", "inFlight=8"})
        @LatencyBudget(promptTokens = 8, outputTokens = 3, requests = 2_000, concurrency = 8, itlP95Ms = 10_000)
        void gate() {}
    }

    static class OfAnOpenLoop {
        @Test
        @InferenceTarget(
                model = "stuck",
                target = StuckTarget.class,
                options = {"answers=45", "inFlight=1"})
        @LatencyBudget(promptTokens = 8, outputTokens = 3, requests = 20_000, ttftMs = 10_000)
        @OpenLoop(requestsPerSecond = 1_000, arrivals = OpenLoop.Arrivals.CONSTANT, maxInFlight = 1, maxQueued = 0)
        void gate() {}
    }

    static class Sweeping {
        @Test
        @InferenceTarget(
                model = "stuck",
                target = StuckTarget.class,
                options = {"step=1", "answers=10", "inFlight=2"})
        @LatencyBudget(promptTokens = 8, outputTokens = 3, requests = 64, itlP95Ms = 10_000)
        @LoadSweep(
                concurrency = {1, 2, 4},
                atLeast = 4)
        void gate() {}
    }

    static class LocalThenServed {
        @Test
        @LocalAgainstServed(
                local = @InferenceTarget(model = "local", target = StuckTarget.class),
                served = @InferenceTarget(model = "served", target = StuckTarget.class, options = "answers=45"),
                prompts = SharedPrompts.LENGTHS)
        @LatencyBudget(promptTokens = 8, outputTokens = 3, requests = 64, itlP95Ms = 10_000)
        void gate() {}
    }

    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    static class Several {
        @Test
        @Order(1)
        @InferenceTarget(model = "whole", target = StuckTarget.class)
        @LatencyBudget(promptTokens = 8, outputTokens = 3, requests = 64, itlP95Ms = 10_000)
        void ended() {}

        @Test
        @Order(2)
        @InferenceTarget(model = "whole", target = StuckTarget.class)
        @LatencyBudget(promptTokens = 8, outputTokens = 3, requests = 64, itlP95Ms = 10_000)
        void isMeasured() throws InterruptedException {
            System.out.println(StuckTarget.STUCK);
            Thread.sleep(Long.MAX_VALUE);
        }

        @Test
        @Order(3)
        @InferenceTarget(model = "whole", target = StuckTarget.class)
        @LatencyBudget(promptTokens = 8, outputTokens = 3, requests = 64, itlP95Ms = 10_000)
        void planned() {}
    }

    static class Opening {
        @Test
        @InferenceTarget(model = "stuck", target = StuckTarget.class, options = "opens=false")
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10_000)
        void gate() {}
    }

    static class WarmingUp {
        @Test
        @InferenceTarget(model = "stuck", target = StuckTarget.class, options = "warmsUp=false")
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10_000)
        void gate() {}
    }

    static class OnAnEndpoint {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 40, requests = 2_000, concurrency = 8, itlP95Ms = 10_000)
        void gate() {}
    }

    @Test
    void keepsWhatASingleLoopMeasured() throws Exception {
        stopOnceStuck("TERM", OneInFlight.class);

        assertKept(only(), 45, "the run was interrupted after 45 of at most 200 requests: run the gate again");
        assertThat(folder.resolve("out/index.html")).content().contains("INTERRUPTED");
    }

    @Test
    void keepsItOnCtrlC() throws Exception {
        assumeThatItIsHeard();
        stopOnceStuck("INT", OneInFlight.class);

        assertKept(only(), 45, "the run was interrupted after 45 of at most 200 requests: run the gate again");
    }

    /** The device, the target and its memory are looked at beside the requests. */
    @Test
    void keepsItWhereEveryLookHangsToo() throws Exception {
        stopOnceStuck("TERM", AllHangs.class);

        assertKept(only(), 45, "the run was interrupted after 45 of at most 200 requests: run the gate again");
        assertThat(only().measurement().watch().notChecked())
                .containsValue("the target did not answer once the run was interrupted");
    }

    @Test
    void keepsWhatSeveralInFlightMeasured() throws Exception {
        stopOnceStuck("TERM", EightInFlight.class);

        assertKept(only(), 45, "the run was interrupted after 45 of at most 2000 requests: run the gate again");
    }

    @Test
    void keepsWhatAnOpenLoopMeasuredAndDropped() throws Exception {
        stopOnceStuck("TERM", OfAnOpenLoop.class);

        MeasurementEntry measured = only().measurement();
        assertThat(only().state()).isEqualTo(State.INTERRUPTED);
        List<MeasurementEntry.Request> sent = measured.requests().stream()
                .filter(r -> r.outcome() != Outcome.DROPPED)
                .toList();
        assertThat(sent).extracting(MeasurementEntry.Request::sendDelayNanos).doesNotContainNull();
        assertTimes(sent);
        // Each takes three times as long as it is to the next.
        assertThat(measured.requests())
                .extracting(MeasurementEntry.Request::outcome)
                .contains(Outcome.DROPPED);
        assertThat(sent).extracting(MeasurementEntry.Request::request).allMatch(number -> number < 45);
        assertThat(measured.requests())
                .extracting(MeasurementEntry.Request::request)
                .containsAll(IntStream.range(0, 45).boxed().toList());
        assertThat(measured.openLoop()).isNotNull();
    }

    @Test
    void keepsTheStepsOfASweepAndWhatTheLastOneMeasured() throws Exception {
        stopOnceStuck("TERM", Sweeping.class);

        GateRecord record = only();
        assertThat(record.state()).isEqualTo(State.INTERRUPTED);
        assertThat(record.sweep().steps()).hasSize(1);
        assertThat(record.measurement().requests()).hasSize(64);
        assertTimes(record.measurement().requests());
        assertThat(record.sweep().unfinished().concurrency()).isEqualTo(2);
        assertThat(record.sweep().unfinished().requests()).hasSize(10);
        assertTimes(record.sweep().unfinished().requests());
    }

    @Test
    void keepsBothRunsOfALocalAndAServedTarget() throws Exception {
        stopOnceStuck("TERM", LocalThenServed.class);

        assertThat(records()).extracting(GateRecord::state).containsOnly(State.INTERRUPTED);
        GateRecord local = records().get(0);
        assertThat(local.displayName()).contains("local");
        assertThat(local.measurement().requests()).hasSize(64);
        assertThat(local.measurement().findings()).isEmpty();
        assertKept(records().get(1), 45, "the run was interrupted after 45 of 64 requests: run the gate again");
    }

    @Test
    void leavesAloneWhatHasEndedAndWhatHasNotBegun() throws Exception {
        stopOnceStuck("TERM", Several.class);

        assertThat(records())
                .extracting(r -> r.gate().methodName() + " " + r.state())
                .containsExactlyInAnyOrder("ended() ENDED", "isMeasured() INTERRUPTED", "planned() PLANNED");
        GateRecord measured = records().stream()
                .filter(r -> r.state() == State.INTERRUPTED)
                .findFirst()
                .orElseThrow();
        assertThat(measured.measurement().requests()).hasSize(64);
        assertThat(measured.measurement().findings()).isEmpty();
        assertThat(measured.judgement()).isNull();
    }

    @Test
    void saysThatNothingWasMeasuredYet() throws Exception {
        for (Class<?> early : List.of(Opening.class, WarmingUp.class)) {
            stopOnceStuck("TERM", early);

            assertThat(records()).as(early.getSimpleName()).allSatisfy(r -> {
                assertThat(r.state()).isEqualTo(State.INTERRUPTED);
                assertThat(r.measurement()).isNull();
            });
        }
    }

    @Test
    void keepsWhatAPolicyMeasured() throws Exception {
        Path policy = Files.writeString(folder.resolve("chat.yaml"), """
                version: 1
                name: chat
                targets:
                  fake: {type: %s, model: stuck, options: {answers: 45}}
                scenario: {promptTokens: 8, outputTokens: 3, requests: 200}
                rules:
                  itl: {metric: itl, atMostMs: 10000}
                """.formatted(StuckTarget.class.getName()));
        stopOnceStuck("TERM", policy.toString(), "");

        assertKept(only(), 45, "the run was interrupted after 45 of at most 200 requests: run the gate again");
    }

    @Test
    void keepsWhatAnEndpointAnswered() throws Exception {
        CountDownLatch stuck = new CountDownLatch(8);
        AtomicInteger measured = new AtomicInteger();
        OpenAiScript answers = new OpenAiScript(0, 0);
        Function<ServedRequest, Answer> script = request -> {
            // A warm-up asks for 32 tokens at most.
            if (!request.body().contains("\"max_tokens\":40") || measured.incrementAndGet() <= 45) {
                return answers.apply(request);
            }
            stuck.countDown();
            return Answer.stream().ending(Answer.End.STALL);
        };
        try (ScriptedServer server = ScriptedServer.start(script)) {
            Process process = start(OnAnEndpoint.class.getName(), "openai:" + server.url());
            Thread console = new Thread(() -> await(process, NO_SUCH_LINE));
            console.start();
            stuck.await();
            stop(process, "TERM");
            console.join();
            process.waitFor();
        }

        // Eight hang, and what was asked before them is over.
        assertKept(only(), 45, "the run was interrupted after 45 of at most 2000 requests: run the gate again");
        assertThat(only().measurement().requests())
                .allSatisfy(r -> assertThat(r.exchange()).isNotNull());
    }

    private static void assertKept(GateRecord record, int requests, String finding) {
        assertThat(record.state()).isEqualTo(State.INTERRUPTED);
        assertThat(record.judgement()).isNull();
        assertThat(record.times().ended()).isNotNull();
        assertThat(record.measurement().requests()).hasSize(requests);
        assertTimes(record.measurement().requests());
        assertThat(record.measurement().findings()).contains(new Finding(Finding.Kind.INTERRUPTED, finding));
        assertThat(record.measurement().warmUp().series()).isNotEmpty();
        assertThat(record.measurement().environment()).containsKey("jvm");
    }

    private static void assertTimes(List<MeasurementEntry.Request> requests) {
        assertThat(requests).isNotEmpty().allSatisfy(r -> {
            assertThat(r.outcome()).isEqualTo(Outcome.COMPLETED);
            assertThat(r.arrivalNanos()).hasSize(r.requestedOutputTokens()).isSorted();
        });
    }

    private GateRecord only() {
        assertThat(records()).hasSize(1);
        return records().get(0);
    }

    private List<GateRecord> records() {
        return new Gates(folder.resolve("out")).records();
    }

    private void stopOnceStuck(String signal, Class<?> gates) throws IOException, InterruptedException {
        stopOnceStuck(signal, gates.getName(), "");
    }

    private void stopOnceStuck(String signal, String what, String model) throws IOException, InterruptedException {
        Process process = start(what, model);
        assertThat(await(process, StuckTarget.STUCK)).endsWith(StuckTarget.STUCK);
        stop(process, signal);
        await(process, NO_SUCH_LINE);
        process.waitFor();
        try (Stream<Path> files = Files.list(folder.resolve("out/records"))) {
            assertThat(files).noneMatch(f -> f.toString().endsWith(".writing"), "half a record");
        }
    }

    private Process start(String what, String model) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + Files.createDirectories(folder.resolve("tmp")),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                folder.resolve("out").toString(),
                what));
        if (!model.isEmpty()) {
            command.add(model);
        }
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        started.add(process);
        return process;
    }

    /** {@return what the process says up to a line, or to its end} */
    private static String await(Process process, String line) {
        StringBuilder said = new StringBuilder();
        try {
            BufferedReader console =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            for (String next = console.readLine(); next != null; next = console.readLine()) {
                said.append(next);
                if (next.equals(line)) {
                    break;
                }
                said.append('\n');
            }
        } catch (IOException e) {
            said.append(e);
        }
        return said.toString();
    }

    private static void stop(Process process, String signal) {
        try {
            new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
        } catch (IOException | InterruptedException e) {
            process.destroy();
        }
    }

    /** A shell without job control has what it starts in the background ignore it, and so do their children. */
    private static void assumeThatItIsHeard() throws IOException {
        Path status = Path.of("/proc/self/status");
        Assumptions.assumeTrue(
                !Files.isReadable(status)
                        || Files.readAllLines(status).stream()
                                .filter(line -> line.startsWith("SigIgn:"))
                                .map(line -> Long.parseUnsignedLong(line.split("\\s+")[1], 16))
                                .noneMatch(ignored -> (ignored & 0b10) != 0),
                "SIGINT is ignored here");
    }

    /** Runs a class with gates, or a policy. */
    static final class Main {
        public static void main(String[] arguments) {
            DiscoverySelector what =
                    arguments[1].endsWith(".yaml") ? selectFile(arguments[1]) : selectClass(arguments[1]);
            LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request()
                    .selectors(what)
                    .configurationParameter("latencybudget.output", arguments[0])
                    .configurationParameter("latencybudget.run", "test");
            if (arguments.length > 2) {
                request.configurationParameter("latencybudget.model", arguments[2]);
            }
            LauncherFactory.create().execute(request.build());
        }
    }
}
