package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.load.LoadDriver;
import io.github.latencybudget.load.Prompts;
import io.github.latencybudget.load.Scenario;
import io.github.latencybudget.load.WarmUpPlan;
import io.github.latencybudget.scripted.Answer;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.scripted.ServedRequest;
import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.GuardSettings;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenTrace;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * More connections that are not made than there are threads which make requests ready; they are made only once all other requests
 * were answered. Whoever waited for them would wait until the deadline.
 */
@Timeout(120)
class SlowConnectsTest {

    private static final int STALLED = 18;
    private static final int OUTPUT_TOKENS = 2;

    private final AtomicReference<TestProxy> proxy = new AtomicReference<>();
    private final AtomicInteger measured = new AtomicInteger();
    private final AtomicLong releasedNanos = new AtomicLong();

    private List<TokenTrace> run(Load load, int requests, int freeOfThem) throws Exception {
        OpenAiScript script = new OpenAiScript(0, 0);
        Function<ServedRequest, Answer> server = request -> {
            if (!request.body().contains("\"max_tokens\":%d,".formatted(OUTPUT_TOKENS))) {
                return script.apply(request);
            }
            int number = measured.incrementAndGet();
            if (number == 1) {
                proxy.get().stallNext(STALLED);
            }
            if (number == freeOfThem) {
                releasedNanos.set(System.nanoTime());
                proxy.get().release();
            }
            // So that each request needs a connection of its own.
            return script.apply(request).header("connection", "close").ending(Answer.End.CLOSE);
        };
        try (ScriptedServer scripted = ScriptedServer.start(server);
                TestProxy through = new TestProxy(scripted.port(), "200 OK")) {
            proxy.set(through);
            try (TargetSession session =
                    Requests.open(scripted.url(), Map.of("proxy", through.url(), "connectSeconds", "40"))) {
                Scenario scenario = new Scenario(
                        new TreeSet<>(Set.of(8)),
                        Prompts.IN_TURN,
                        requests,
                        Optional.empty(),
                        OUTPUT_TOKENS,
                        Sampling.GREEDY,
                        load,
                        WarmUpPlan.DEFAULT);
                return new LoadDriver(
                                session,
                                scenario,
                                Progress.NONE,
                                Optional.empty(),
                                false,
                                GuardSettings.DEFAULT.without(Guard.MAX_CLIENT_ERROR_SHARE),
                                0)
                        .run()
                        .traces();
            }
        }
    }

    private static Map<String, Long> endings(List<TokenTrace> traces) {
        return traces.stream()
                .collect(Collectors.groupingBy(t -> t.outcome() + t.reason().orElse(""), Collectors.counting()));
    }

    @Test
    void inAnOpenLoopTheyHoldUpTheirOwnRequestsAlone() throws Exception {
        List<TokenTrace> traces =
                run(new Load.Open(new Arrivals.Constant(40), OptionalInt.empty(), 100), 80, 80 - STALLED);

        assertThat(endings(traces)).containsExactly(entry(Outcome.COMPLETED.name(), 80L));
        assertThat(traces.stream().filter(t -> t.arrivalNanos(1) > releasedNanos.get()))
                .as("their time began when they were due, and holds the wait")
                .hasSizeGreaterThanOrEqualTo(STALLED)
                .anyMatch(t -> t.startNanos() < releasedNanos.get());
    }

    @Test
    void inAClosedLoopTheOthersGoOnAndNoTimeHoldsTheWait() throws Exception {
        List<TokenTrace> traces = run(new Load.Closed(20), 60, 60 - STALLED);

        assertThat(endings(traces)).containsExactly(entry(Outcome.COMPLETED.name(), 60L));
        assertThat(traces.stream().filter(t -> t.startNanos() > releasedNanos.get()))
                .hasSizeGreaterThanOrEqualTo(STALLED);
    }
}
