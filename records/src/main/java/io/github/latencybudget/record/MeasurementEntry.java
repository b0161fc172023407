package io.github.latencybudget.record;

import io.github.latencybudget.trace.Chunks;
import io.github.latencybudget.trace.Conditions;
import io.github.latencybudget.trace.Environment;
import io.github.latencybudget.trace.Exchange;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.RunWatch;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenTrace;
import io.github.latencybudget.trace.WarmUp;
import io.github.latencybudget.trace.Workload;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * A measurement as a record holds it: every raw time, so that it can be judged again.
 *
 * @param model the model's name
 * @param weights where its weights come from
 * @param dtype the type that it computes in
 * @param device the device by its own name
 * @param requestsByPromptTokens how many requests were planned at each prompt length
 * @param outputTokens the declared number of output tokens
 * @param temperature 0 for greedy decoding
 * @param topK how many of the most probable tokens are drawn from, 0 for all
 * @param topP the share of the probability mass that is drawn from
 * @param repetitionPenalty of tokens that came before, 1 for none
 * @param samplingSeed what the draws followed from, 0 where nothing was drawn
 * @param concurrency how many requests were in flight at a time
 * @param settings what else the target was told that its numbers depend on
 * @param workload how the requests followed one another
 * @param environment the machine and the software, by name
 * @param warmUp the warm-up before the run
 * @param peakDeviceMemoryBytes the most memory in use on the device; null where it could not be read
 * @param findings what was found during the run
 * @param requests one per request, in the order of their start
 * @param steps what the engine did; null where it cannot be looked into
 * @param watch which guards the run is judged with, and what was seen of the device
 * @param openLoop the arrivals of an open loop; null for a closed one
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record MeasurementEntry(
        String model,
        String weights,
        String dtype,
        String device,
        SortedMap<Integer, Integer> requestsByPromptTokens,
        int outputTokens,
        double temperature,
        int topK,
        double topP,
        double repetitionPenalty,
        long samplingSeed,
        int concurrency,
        SortedMap<String, String> settings,
        Workload workload,
        SortedMap<String, String> environment,
        WarmUp warmUp,
        @Nullable Long peakDeviceMemoryBytes,
        List<Finding> findings,
        List<Request> requests,
        @Nullable StepsEntry steps,
        RunWatch watch,
        @Nullable OpenLoopEntry openLoop) {

    /** @throws NullPointerException where a file leaves out what every measurement has */
    public MeasurementEntry {
        requestsByPromptTokens = Collections.unmodifiableSortedMap(new TreeMap<>(requestsByPromptTokens));
        settings = Collections.unmodifiableSortedMap(new TreeMap<>(settings));
        Objects.requireNonNull(workload, "workload");
        environment = Collections.unmodifiableSortedMap(new TreeMap<>(environment));
        Objects.requireNonNull(warmUp, "warmUp");
        findings = List.copyOf(findings);
        requests = List.copyOf(requests);
        Objects.requireNonNull(watch, "watch");
    }

    /**
     * One request.
     *
     * @param request its number within the run, from 0
     * @param promptTokens the length of its prompt, BOS included
     * @param requestedOutputTokens how many output tokens were asked for
     * @param outcome how it ended
     * @param reason why it did not complete; null where it did
     * @param startNanos {@code t_0}, from the start of the first request of the run on
     * @param arrivalNanos when each chunk came, from {@code t_0} on; each holds one token unless the next two say otherwise
     * @param chunkTokens how many tokens each chunk held; null for one each, and where that is not known
     * @param outputTokens how many tokens came, where that is all that is known of the chunks; else null
     * @param firstVisibleChunk the first chunk of the visible answer, from 1, 0 for none; null for the first
     * @param sendDelayNanos how long after {@code t_0} it was sent, in an open loop; null in a closed one
     * @param cachedPromptTokens how many tokens of its prompt came from a prefix cache; null where it is not known
     * @param exchange what else is known of one that went over a network; null for one in process
     * @param isWhole true where the answer was not streamed, so that its one arrival is that of all of it; null where it was
     * @param overNanos when it was known to be over, from {@code t_0} on; null where nobody noted it
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record Request(
            int request,
            int promptTokens,
            int requestedOutputTokens,
            Outcome outcome,
            @Nullable String reason,
            long startNanos,
            List<Long> arrivalNanos,
            @Nullable List<Integer> chunkTokens,
            @Nullable Integer outputTokens,
            @Nullable Integer firstVisibleChunk,
            @Nullable Long sendDelayNanos,
            @Nullable Integer cachedPromptTokens,
            @Nullable Exchange exchange,
            @Nullable Boolean isWhole,
            @Nullable Long overNanos) {

        private static Request of(TokenTrace trace, long origin) {
            Chunks chunks = trace.chunks();
            int firstVisible = chunks.firstVisible().orElse(0);
            return new Request(
                    trace.request(),
                    trace.promptTokens(),
                    trace.requestedOutputTokens(),
                    trace.outcome(),
                    trace.reason().orElse(null),
                    trace.startNanos() - origin,
                    IntStream.rangeClosed(1, chunks.count())
                            .mapToObj(i -> chunks.arrivalNanos(i) - trace.startNanos())
                            .toList(),
                    chunks.isOneTokenEach() || !chunks.areTokensKnown()
                            ? null
                            : IntStream.rangeClosed(1, chunks.count())
                                    .mapToObj(chunks::tokensOf)
                                    .toList(),
                    chunks.areTokensKnown() ? null : chunks.tokens(),
                    firstVisible == Math.min(1, chunks.count()) ? null : firstVisible,
                    trace.scheduleDelayNanos().isPresent()
                            ? trace.scheduleDelayNanos().getAsLong()
                            : null,
                    trace.cachedPromptTokens().isPresent()
                            ? trace.cachedPromptTokens().getAsInt()
                            : null,
                    trace.exchange().orElse(null),
                    chunks.isWhole() ? true : null,
                    trace.endNanos().isPresent() ? trace.endNanos().getAsLong() - trace.startNanos() : null);
        }

        private TokenTrace toTrace() {
            TokenTrace trace = new TokenTrace(
                    request, promptTokens, requestedOutputTokens, startNanos, visible(chunks()), outcome, reason);
            TokenTrace sent = sendDelayNanos == null ? trace : trace.sentAt(Math.addExact(startNanos, sendDelayNanos));
            TokenTrace cached = cachedPromptTokens == null ? sent : sent.withCachedPromptTokens(cachedPromptTokens);
            TokenTrace known = exchange == null ? cached : cached.withExchange(exchange);
            return overNanos == null ? known : known.endedAt(Math.addExact(startNanos, overNanos));
        }

        private Chunks chunks() {
            long[] arrivals = arrivalNanos.stream()
                    .mapToLong(a -> Math.addExact(startNanos, a))
                    .toArray();
            if (isWhole != null && isWhole) {
                if (arrivals.length != 1) {
                    throw new IllegalArgumentException(
                            "an answer that came as a whole came " + arrivals.length + " times");
                }
                return Chunks.whole(arrivals[0], chunkTokens == null || chunkTokens.isEmpty() ? 1 : chunkTokens.get(0));
            }
            if (outputTokens != null) {
                return Chunks.ofUnknownSizes(arrivals, outputTokens);
            }
            return chunkTokens == null
                    ? Chunks.ofOneToken(arrivals)
                    : Chunks.of(
                            arrivals,
                            chunkTokens.stream().mapToInt(Integer::intValue).toArray());
        }

        private Chunks visible(Chunks chunks) {
            return firstVisibleChunk == null ? chunks : chunks.visibleFrom(firstVisibleChunk);
        }
    }

    /** {@return the entry for a measurement} */
    public static MeasurementEntry of(Measurement measurement) {
        Conditions conditions = measurement.conditions();
        List<TokenTrace> traces = measurement.traces();
        long origin = traces.isEmpty() ? 0 : traces.get(0).startNanos();
        return new MeasurementEntry(
                conditions.model(),
                conditions.weights(),
                conditions.dtype(),
                conditions.device(),
                conditions.requestsByPromptTokens(),
                conditions.outputTokens(),
                conditions.sampling().temperature(),
                conditions.sampling().topK(),
                conditions.sampling().topP(),
                conditions.sampling().repetitionPenalty(),
                conditions.sampling().seed(),
                conditions.concurrency(),
                conditions.settings(),
                conditions.workload(),
                measurement.environment().details(),
                measurement.warmUp(),
                measurement.peakDeviceMemoryBytes().isPresent()
                        ? measurement.peakDeviceMemoryBytes().getAsLong()
                        : null,
                measurement.findings(),
                traces.stream().map(t -> Request.of(t, origin)).toList(),
                measurement.steps().isEmpty() ? null : StepsEntry.of(measurement.steps(), origin),
                measurement.watch(),
                conditions.openLoop().map(OpenLoopEntry::of).orElse(null));
    }

    /** {@return the measurement again; its times start at the first request's start} */
    public Measurement toMeasurement() {
        return new Measurement(
                new Conditions(
                        model,
                        weights,
                        dtype,
                        device,
                        requestsByPromptTokens,
                        outputTokens,
                        sampling(),
                        concurrency,
                        settings,
                        Optional.ofNullable(openLoop).map(OpenLoopEntry::toLoad),
                        workload),
                new Environment(environment),
                warmUp,
                requests.stream().map(Request::toTrace).toList(),
                peakDeviceMemoryBytes == null ? OptionalLong.empty() : OptionalLong.of(peakDeviceMemoryBytes),
                findings,
                steps == null ? List.of() : steps.toSteps(),
                watch);
    }

    MeasurementEntry withoutSteps() {
        return new MeasurementEntry(
                model,
                weights,
                dtype,
                device,
                requestsByPromptTokens,
                outputTokens,
                temperature,
                topK,
                topP,
                repetitionPenalty,
                samplingSeed,
                concurrency,
                settings,
                workload,
                environment,
                warmUp,
                peakDeviceMemoryBytes,
                findings,
                requests,
                null,
                watch,
                openLoop);
    }

    private Sampling sampling() {
        return new Sampling(temperature, topK, topP, repetitionPenalty, samplingSeed);
    }
}
