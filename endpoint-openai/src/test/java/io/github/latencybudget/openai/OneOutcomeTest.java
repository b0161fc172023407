package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.inference.TruncatedOutputException;
import io.github.latencybudget.scripted.Answer;
import io.github.latencybudget.scripted.Fault;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.scripted.ServedRequest;
import io.github.latencybudget.trace.NanoClock;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenRecorder;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever goes wrong, and however many are in flight: each request ends, once, and the counts add up. */
@Timeout(120)
class OneOutcomeTest {

    private static final int REQUESTS = 60;
    private static final Map<String, String> DEADLINES =
            Map.of("betweenTokensSeconds", "0.5", "firstTokenSeconds", "20", "requestSeconds", "30");

    /** All but that of 100 MB, which takes longer than all others together. */
    private static final List<Fault> FAULTS =
            Arrays.stream(Fault.values()).filter(f -> f != Fault.HUGE_EVENT).toList();

    /** What a request was started with, and how it went. */
    private record Started(TokenRecorder recorder, CompletableFuture<Outcome> ended) {}

    private static Started start(TargetSession session, int number) {
        TokenRecorder recorder = new TokenRecorder(NanoClock.SYSTEM, 4);
        recorder.start(number, 8, 4, true);
        CompletableFuture<Outcome> ended = session.prepare(new GenerationRequest(8, 4, true, Sampling.GREEDY, number))
                .start(recorder)
                .handle((nothing, thrown) -> trace(recorder, thrown).outcome());
        return new Started(recorder, ended);
    }

    private static TokenTrace trace(TokenRecorder recorder, Throwable thrown) {
        if (thrown == null) {
            return recorder.end();
        }
        return thrown instanceof TruncatedOutputException
                ? recorder.truncated(thrown.getMessage())
                : recorder.fail(String.valueOf(thrown.getMessage()));
    }

    private static List<Outcome> outcomes(List<Started> started) throws Exception {
        List<Outcome> outcomes = new ArrayList<>();
        for (Started request : started) {
            outcomes.add(request.ended().get(60, TimeUnit.SECONDS));
        }
        return outcomes;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void faultsAtRandom(long seed) throws Exception {
        Random random = new Random(seed);
        OpenAiScript good = new OpenAiScript(0, 0);
        // By the order in which requests come to the server; half of them go well.
        Map<Integer, Fault> faults = new java.util.HashMap<>();
        for (int i = 0; i < REQUESTS; i++) {
            if (random.nextBoolean()) {
                faults.put(i, FAULTS.get(random.nextInt(FAULTS.size())));
            }
        }
        java.util.concurrent.atomic.AtomicInteger streams = new java.util.concurrent.atomic.AtomicInteger();
        Function<ServedRequest, Answer> script = request -> {
            if (!request.body().contains("\"stream\":true")) {
                return good.apply(request);
            }
            Optional<Fault> fault = Optional.ofNullable(faults.get(streams.getAndIncrement()));
            return fault.map(f -> good.failing(f, 0).apply(request)).orElseGet(() -> good.apply(request));
        };
        try (ScriptedServer server = ScriptedServer.start(script);
                TargetSession session = Requests.open(server.url(), DEADLINES)) {
            List<Started> started = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++) {
                started.add(start(session, i));
            }

            Map<Outcome, Long> counts =
                    outcomes(started).stream().collect(Collectors.groupingBy(o -> o, Collectors.counting()));

            Map<Outcome, Long> expected = new java.util.EnumMap<>(Outcome.class);
            for (int i = 0; i < REQUESTS; i++) {
                expected.merge(expectedOutcome(faults.get(i)), 1L, Long::sum);
            }
            assertThat(counts).isEqualTo(expected);
            assertThat(streams).as("nothing is tried again").hasValue(REQUESTS);
        }
    }

    private static Outcome expectedOutcome(Fault fault) {
        if (fault == null) {
            return Outcome.COMPLETED;
        }
        return switch (fault) {
            case TRUNCATED, NOT_A_STREAM -> Outcome.TRUNCATED;
            case EMPTY -> Outcome.EMPTY;
            default -> Outcome.FAILED;
        };
    }

    @Test
    void aServerThatIsKilledMidStream() throws Exception {
        ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 3_600_000_000_000L));
        try (TargetSession session = Requests.open(server.url(), Map.of())) {
            List<Started> started = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                started.add(start(session, i));
            }
            while (server.requests().stream()
                            .filter(r -> r.body().contains("\"stream\":true") && r.sentNanos().length == 1)
                            .count()
                    < 20) {
                Thread.sleep(5);
            }
            server.close();
            for (int i = 20; i < 25; i++) {
                started.add(start(session, i));
            }

            assertThat(outcomes(started)).hasSize(25).containsOnly(Outcome.FAILED);
        }
    }
}
