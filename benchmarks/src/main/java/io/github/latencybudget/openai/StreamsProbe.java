package io.github.latencybudget.openai;

import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.TargetSpec;
import io.github.latencybudget.scripted.ScriptedServerCommand;
import io.github.latencybudget.trace.NanoClock;
import io.github.latencybudget.trace.Sampling;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/**
 * Many streams at once from a scripted server in a process of its own: whether an event is lost, how far the client's times are from
 * the server's, and what the client takes. Both read {@link System#nanoTime()} of one machine, which on Linux has one origin for all
 * processes.
 */
public final class StreamsProbe {

    private static final double NANOS_PER_MILLI = 1e6;
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final int WARM_UP_TOKENS = 250;
    private static final long APART_NANOS = 1_000_000;

    private final OpenAiOptions options;
    private final EventLoop loop = EventLoop.start();
    private final Failures failures;
    private final Connections connections;
    private final Http http;
    private final List<StreamedAnswer> answers = new ArrayList<>();

    private StreamsProbe(String url) {
        options = OpenAiOptions.of(
                new TargetSpec("openai:" + url + "?model=scripted", "cpu", "", 1, new TreeMap<>()),
                name -> Optional.empty());
        failures = new Failures(options);
        Connector connector = new Connector(
                loop,
                options.endpoint(),
                Optional.empty(),
                Optional.empty(),
                NanoClock.SYSTEM,
                options.deadlines().connectNanos());
        connections = new Connections(connector::connect);
        http = new Http(options, connections, failures);
    }

    /** Arguments: streams (1000), tokens of each (3000), milliseconds from one to the next (20). Streams begin a millisecond apart. */
    public static void main(String[] arguments) throws Exception {
        int streams = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1000;
        int tokens = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 3000;
        String millis = arguments.length > 2 ? arguments[2] : "20";
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(List.of(System.getProperty("server", "-XX:+UseSerialGC").split(" ")));
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                ScriptedServerCommand.class.getName(),
                "0",
                "1000",
                millis));
        Process server = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out = server.inputReader()) {
            StreamsProbe probe = new StreamsProbe(out.readLine());
            // Compiled code and open connections are what a gate measures with.
            probe.run("warm-", streams, WARM_UP_TOKENS);
            probe.answers.clear();
            long serverCpu = cpuMillis(server);
            probe.run("probe-", streams, tokens);
            System.out.printf(
                    Locale.ROOT, "CPU of the server meanwhile %.1f s%n", (cpuMillis(server) - serverCpu) / 1000.0);
            server.getOutputStream().close();
            probe.compare(out, streams, tokens);
            probe.loop.close();
        } finally {
            server.destroy();
        }
    }

    private void run(String prefix, int streams, int tokens) throws Exception {
        RequestBody body = new RequestBody(options, ServerKind.OTHER, "scripted");
        byte[] bytes = body.measured(new GenerationRequest(9, tokens, true, Sampling.GREEDY, 0), "a b");
        List<Connections.Lease> leases = new ArrayList<>();
        for (int i = 0; i < streams; i++) {
            leases.add(http.lease());
            answers.add(new StreamedAnswer(tokens + 1, false));
        }
        long cpu = cpuNanos();
        long start = System.nanoTime();
        List<CompletableFuture<Call.Ending>> endings = new ArrayList<>();
        for (int i = 0; i < streams; i++) {
            FullHttpRequest request = http.request(HttpMethod.POST, "/v1/chat/completions", bytes, "text/event-stream");
            request.headers().set("x-request-id", prefix + i);
            Call call = new Call(
                    "/v1/chat/completions", answers.get(i), NanoClock.SYSTEM, options.deadlines(), failures, List.of());
            endings.add(call.send(CompletableFuture.completedFuture(leases.get(i)), request, connections::lease));
            // As independent streams lie: not all in step.
            LockSupport.parkNanos(start + APART_NANOS * (i + 1) - System.nanoTime());
        }
        CompletableFuture.allOf(endings.toArray(CompletableFuture[]::new)).get();
        long wall = System.nanoTime() - start;
        long failed = endings.stream().filter(e -> e.join().reason() != null).count();
        System.out.printf(
                Locale.ROOT,
                "%s %d streams of %d tokens in %.1f s over %s: %d did not complete; client CPU %.2f cores, peak heap %d MiB%n",
                prefix,
                streams,
                tokens,
                wall / 1e9,
                loop.name(),
                failed,
                (cpuNanos() - cpu) / (double) wall,
                peakHeapBytes() >> 20);
    }

    private void compare(BufferedReader sent, int streams, int tokens) throws IOException {
        long[] late = new long[streams * tokens];
        SortedMap<Long, Integer> lateBySecond = new TreeMap<>();
        int compared = 0;
        int events = 0;
        for (StreamedAnswer answer : answers) {
            events += answer.chunks().count();
        }
        for (String line = sent.readLine(); line != null; line = sent.readLine()) {
            if (!line.startsWith("probe-")) {
                continue;
            }
            String[] parts = line.split(" ");
            StreamedAnswer.ChunkTimes chunks = answers.get(Integer.parseInt(parts[0].substring("probe-".length())))
                    .chunks();
            for (int i = 0; i < Math.min(chunks.count(), tokens); i++) {
                long sentNanos = Long.parseLong(parts[i + 2]);
                late[compared] = chunks.nanos(i) - sentNanos;
                if (late[compared] > NANOS_PER_MILLI) {
                    lateBySecond.merge(sentNanos / NANOS_PER_SECOND, 1, Integer::sum);
                }
                compared++;
            }
        }
        Arrays.sort(late, 0, compared);
        System.out.printf(
                Locale.ROOT,
                "%d of %d events came; read after they were sent: P50 %.3f ms, P99 %.3f ms, max %.3f ms%n",
                events,
                (long) streams * tokens,
                late[compared / 2] / NANOS_PER_MILLI,
                late[(int) Math.ceil(0.99 * compared) - 1] / NANOS_PER_MILLI,
                late[compared - 1] / NANOS_PER_MILLI);
        System.out.printf(Locale.ROOT, "of them over 1 ms, by second: %s%n", lateBySecond.values());
    }

    private static long cpuMillis(Process process) {
        return process.info().totalCpuDuration().map(Duration::toMillis).orElse(0L);
    }

    private static long cpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static long peakHeapBytes() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(p -> p.getType() == MemoryType.HEAP)
                .map(MemoryPoolMXBean::getPeakUsage)
                .mapToLong(java.lang.management.MemoryUsage::getUsed)
                .sum();
    }
}
