package io.github.latencybudget.scripted;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;

/** Runs a scripted server in a process of its own, until its input ends. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class ScriptedServerCommand {

    private static final String USAGE =
            "arguments: port ttft-ms itl-ms [fault [from-request]]; port 0 takes a free one. Faults: %s";
    private static final double NANOS_PER_MILLI = 1e6;

    private ScriptedServerCommand() {}

    /**
     * Prints its address, and at the end of its input one line per request: the header {@code x-request-id}, or its number where it
     * has none, when it had arrived, and the send times of its answer, in nanoseconds of {@link System#nanoTime()}.
     */
    public static void main(String[] arguments) throws IOException {
        Optional<OpenAiScript> script = script(arguments);
        if (script.isEmpty()) {
            System.err.println(String.format(Locale.ROOT, USAGE, List.of(Fault.values())));
            System.exit(2);
            return;
        }
        try (ScriptedServer server = ScriptedServer.start(Integer.parseInt(arguments[0]), script.get())) {
            System.out.println(server.url() + "/v1");
            while (System.in.read() >= 0) {
                // Only its end means something.
            }
            print(server.requests(), System.out);
        }
    }

    private static Optional<OpenAiScript> script(String[] arguments) {
        try {
            OpenAiScript script = new OpenAiScript(nanos(arguments[1]), nanos(arguments[2]));
            if (arguments.length == 3) {
                return Optional.of(script);
            }
            int from = arguments.length > 4 ? Integer.parseInt(arguments[4]) : 0;
            return Fault.named(arguments[3]).map(fault -> script.failing(fault, from));
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            return Optional.empty();
        }
    }

    private static long nanos(String millis) {
        return Math.round(Double.parseDouble(millis) * NANOS_PER_MILLI);
    }

    private static void print(List<ServedRequest> requests, PrintStream out) {
        for (ServedRequest request : requests) {
            List<String> line = new ArrayList<>();
            String id = request.header("x-request-id");
            line.add(id.isEmpty() ? String.valueOf(request.number()) : id);
            line.add(String.valueOf(request.arrivedNanos()));
            for (long nanos : request.sentNanos()) {
                line.add(String.valueOf(nanos));
            }
            out.println(String.join(" ", line));
        }
    }
}
