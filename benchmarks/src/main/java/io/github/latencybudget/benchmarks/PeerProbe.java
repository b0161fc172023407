package io.github.latencybudget.benchmarks;

import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.inference.TargetSpec;
import io.github.latencybudget.load.LoadDriver;
import io.github.latencybudget.load.Prompts;
import io.github.latencybudget.load.Scenario;
import io.github.latencybudget.load.WarmUpPlan;
import io.github.latencybudget.openai.OpenAiTarget;
import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.GuardSettings;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenTrace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A run as a gate makes it, warm-up and calibration of the client included, with the times of each request in a file, so that other
 * tools' files can be held against the same server's.
 */
public final class PeerProbe {

    private static final int PROMPT_TOKENS = 32;
    private static final String RAMP = "ramp=";

    private PeerProbe() {}

    /**
     * Arguments: URL, requests in flight and in all, output tokens of each, file; {@code uncalibrated} for no calibration, and
     * {@code ramp=SECONDS} for an open loop in which so many are due in that time as are to be in flight, one after the other.
     */
    public static void main(String[] arguments) throws IOException {
        int concurrency = Integer.parseInt(arguments[1]);
        int requests = Integer.parseInt(arguments[2]);
        int tokens = Integer.parseInt(arguments[3]);
        TargetSpec spec = new TargetSpec("openai:" + arguments[0] + "?model=scripted", "", "", 1, new TreeMap<>());
        List<String> settings = List.of(arguments).subList(5, arguments.length);
        Scenario scenario = new Scenario(
                new TreeSet<>(Set.of(PROMPT_TOKENS)),
                Prompts.IN_TURN,
                requests,
                Optional.empty(),
                tokens,
                Sampling.GREEDY,
                load(concurrency, settings),
                WarmUpPlan.DEFAULT);
        try (TargetSession session = new OpenAiTarget().open(spec, Progress.NONE)) {
            GuardSettings guards = settings.contains("uncalibrated")
                    ? GuardSettings.DEFAULT.without(Guard.MAX_CLIENT_ERROR_SHARE)
                    : GuardSettings.DEFAULT;
            Measurement measurement =
                    new LoadDriver(session, scenario, Progress.NONE, Optional.empty(), false, guards, 0).run();
            write(Path.of(arguments[4]), measurement.traces());
        }
    }

    private static Load load(int concurrency, List<String> settings) {
        return settings.stream()
                .filter(setting -> setting.startsWith(RAMP))
                .map(setting -> Double.parseDouble(setting.substring(RAMP.length())))
                .<Load>map(seconds -> new Load.Open(
                        new Arrivals.Constant(concurrency / seconds), OptionalInt.empty(), Load.Open.QUEUED_BY_DEFAULT))
                .findFirst()
                .orElse(new Load.Closed(concurrency));
    }

    /** A line per request: when it began and when each of its chunks came, in nanoseconds of {@link System#nanoTime()}. */
    private static void write(Path file, List<TokenTrace> traces) throws IOException {
        List<String> lines = new ArrayList<>();
        for (TokenTrace trace : traces) {
            StringBuilder line =
                    new StringBuilder(trace.outcome().name()).append(' ').append(trace.startNanos());
            for (int i = 1; i <= trace.chunks().count(); i++) {
                line.append(' ').append(trace.chunks().arrivalNanos(i));
            }
            lines.add(line.toString());
        }
        Files.write(file, lines);
    }
}
