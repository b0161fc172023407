package io.github.latencybudget.trace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Builds runs from explicit nanoseconds, without a clock. Unless a test says otherwise, a run is warm at every length that it
 * measures, ran greedily one request at a time, used 20 GiB, and declares what its requests gave.
 */
public final class Traces {

    public static final long MS = 1_000_000;

    private final List<TokenTrace> traces = new ArrayList<>();
    private final SortedMap<Integer, Integer> planned = new TreeMap<>();
    private final List<Finding> findings = new ArrayList<>();
    private final List<EngineStep> steps = new ArrayList<>();
    private int promptTokens = 512;
    private int declared;
    private String model = "Llama-2-7b";
    private String weights = "synthetic, seed 42";
    private String dtype = "fp16";
    private Sampling sampling = Sampling.GREEDY;
    private int concurrency = 1;
    private int together = 1;
    private OptionalLong memory = OptionalLong.of(20L << 30);
    private List<Integer> cold = List.of();
    private boolean isWarmedUp = true;
    private RunWatch watch = RunWatch.NONE;
    private Workload workload = Workload.IN_TURN;
    private Optional<Load.Open> openLoop = Optional.empty();

    private Traces() {}

    public static Traces run() {
        return new Traces();
    }

    /** Requests with the same times, each with a TTFT and then these gaps. */
    public static Traces run(int requests, long ttftNanos, long... gapNanos) {
        return run().add(requests, ttftNanos, gapNanos);
    }

    public static long[] times(int n, long nanos) {
        long[] gaps = new long[n];
        Arrays.fill(gaps, nanos);
        return gaps;
    }

    /** The requests added from here on have prompts of this length. */
    public Traces prompt(int promptTokens) {
        this.promptTokens = promptTokens;
        return this;
    }

    /** The requests added from here on start so many at a time, each as soon as the one before it has ended. */
    public Traces together(int requests) {
        this.together = requests;
        return this;
    }

    public Traces add(int requests, long ttftNanos, long... gapNanos) {
        for (int i = 0; i < requests; i++) {
            long start = together == 1
                    ? 1_000_000_000L * traces.size()
                    : traces.size()
                            / together
                            * (ttftNanos + Arrays.stream(gapNanos).sum());
            long[] arrivals = new long[gapNanos.length + 1];
            arrivals[0] = start + ttftNanos;
            for (int gap = 0; gap < gapNanos.length; gap++) {
                arrivals[gap + 1] = arrivals[gap] + gapNanos[gap];
            }
            arrivals(start, arrivals);
        }
        return this;
    }

    public Traces arrivals(long startNanos, long... arrivalNanos) {
        return add(Outcome.COMPLETED, null, startNanos, arrivalNanos);
    }

    /** Requests that start at 0, one after the other, whose output came in these chunks. */
    public Traces chunks(int requests, Chunks chunks) {
        declared = Math.max(declared, chunks.tokens());
        for (int i = 0; i < requests; i++) {
            traces.add(
                    new TokenTrace(traces.size(), promptTokens, chunks.tokens(), 0, chunks, Outcome.COMPLETED, null));
        }
        return this;
    }

    public Traces add(Outcome outcome, String reason, long startNanos, long... arrivalNanos) {
        declared = Math.max(declared, arrivalNanos.length);
        traces.add(new TokenTrace(
                traces.size(), promptTokens, arrivalNanos.length, startNanos, arrivalNanos, outcome, reason));
        return this;
    }

    public Traces planned(int promptTokens, int requests) {
        planned.put(promptTokens, requests);
        return this;
    }

    /** The same request as added last, sent so long after it was due. */
    public Traces sentAfter(long delayNanos) {
        TokenTrace last = traces.remove(traces.size() - 1);
        traces.add(last.sentAt(last.startNanos() + delayNanos));
        return this;
    }

    /** The same request as added last, which its client began with so long before it was sent. */
    public Traces begunBeforeSent(long nanos) {
        TokenTrace last = traces.remove(traces.size() - 1);
        traces.add(last.withExchange(
                new Exchange("usage", null, 0, false, null, null, nanos, null, null, null, null, new TreeMap<>())));
        return this;
    }

    /** The same request as added last, known to be over so long after its start. */
    public Traces overAfter(long nanos) {
        TokenTrace last = traces.remove(traces.size() - 1);
        traces.add(last.endedAt(last.startNanos() + nanos));
        return this;
    }

    public Traces openLoop(Load.Open load) {
        openLoop = Optional.of(load);
        return this;
    }

    /** Of each request added so far, so many tokens of the prompt came from a prefix cache. */
    public Traces cached(int promptTokens) {
        traces.replaceAll(t -> t.withCachedPromptTokens(promptTokens));
        return this;
    }

    public Traces watched(RunWatch watch) {
        this.watch = watch;
        return this;
    }

    public Traces guarded(GuardSettings guards) {
        this.watch = new RunWatch(
                guards,
                watch.device(),
                watch.notChecked(),
                watch.notApplicable(),
                watch.client(),
                watch.server(),
                watch.mostInFlight());
        return this;
    }

    public Traces mostInFlight(int requests) {
        this.watch = new RunWatch(
                watch.guards(),
                watch.device(),
                watch.notChecked(),
                watch.notApplicable(),
                watch.client(),
                watch.server(),
                OptionalInt.of(requests));
        return this;
    }

    public Traces declaring(int outputTokens) {
        declared = outputTokens;
        return this;
    }

    public Traces model(String model) {
        this.model = model;
        return this;
    }

    public Traces weights(String weights, String dtype) {
        this.weights = weights;
        this.dtype = dtype;
        return this;
    }

    public Traces sampling(Sampling sampling) {
        this.sampling = sampling;
        return this;
    }

    public Traces concurrency(int concurrency) {
        this.concurrency = concurrency;
        return this;
    }

    public Traces memory(OptionalLong bytes) {
        memory = bytes;
        return this;
    }

    public Traces cold(Integer... promptTokens) {
        cold = List.of(promptTokens);
        return this;
    }

    public Traces withoutWarmUp() {
        isWarmedUp = false;
        return this;
    }

    public Traces workload(Workload workload) {
        this.workload = workload;
        return this;
    }

    public Traces finding(Finding finding) {
        findings.add(finding);
        return this;
    }

    /** A step of the engine, 1 ms of whose time is not the device's. */
    public Traces step(EngineStep.Kind kind, long startNanos, long endNanos, Integer... requests) {
        steps.add(new EngineStep(
                kind, startNanos, endNanos, OptionalLong.of(endNanos - startNanos - MS), List.of(requests)));
        return this;
    }

    public Measurement measurement() {
        SortedMap<Integer, Integer> lengths = planned.isEmpty()
                ? traces.stream()
                        .collect(Collectors.groupingBy(
                                TokenTrace::promptTokens, TreeMap::new, Collectors.summingInt(t -> 1)))
                : planned;
        return new Measurement(
                new Conditions(
                        model,
                        weights,
                        dtype,
                        "NVIDIA H200",
                        lengths,
                        declared,
                        sampling,
                        concurrency,
                        new TreeMap<>(),
                        openLoop,
                        workload),
                new Environment(new TreeMap<>()),
                new WarmUp(
                        0.2,
                        MS,
                        isWarmedUp ? lengths.keySet().stream().map(this::series).toList() : List.of()),
                traces,
                memory,
                findings,
                steps,
                watch);
    }

    private WarmUp.Series series(int promptTokens) {
        boolean isWarm = !cold.contains(promptTokens);
        return new WarmUp.Series(
                promptTokens,
                8,
                List.of(900 * MS, 400 * MS, isWarm ? 400 * MS : 500 * MS, 400 * MS),
                List.of(40 * MS, 20 * MS, 20 * MS, 20 * MS),
                isWarm);
    }
}
