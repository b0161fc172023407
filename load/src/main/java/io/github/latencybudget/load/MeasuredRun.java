package io.github.latencybudget.load;

import io.github.latencybudget.inference.TargetDescription;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.Environment;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.TokenTrace;
import io.github.latencybudget.trace.WarmUp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/** The measured part of a run, after its warm-up. It can be looked at while it lasts, whatever hangs. */
final class MeasuredRun {

    private static final Duration PATIENCE = Duration.ofMillis(500);

    private final TargetSession session;
    private final Scenario scenario;
    private final PeakMemory memory;
    private final OptionalInt mostInFlight;
    private final WarmUp warmUp;
    private final ClientCheck client;
    private final long firstPrompt;
    private final TargetDescription target;
    private final RunWatcher watcher;
    private final ServerLook before;
    private final EndedRequests ended = new EndedRequests();
    private final List<EngineStep> steps = new ArrayList<>();

    /**
     * @param mostInFlight how many requests of an open loop may be in flight; empty for a closed one
     * @param firstPrompt the number of the prompt of the first request
     * @param watcher watches from now on
     */
    MeasuredRun(
            TargetSession session,
            Scenario scenario,
            PeakMemory memory,
            OptionalInt mostInFlight,
            WarmUp warmUp,
            ClientCheck client,
            long firstPrompt,
            TargetDescription target,
            RunWatcher watcher) {
        this.session = session;
        this.scenario = scenario;
        this.memory = memory;
        this.mostInFlight = mostInFlight;
        this.warmUp = warmUp;
        this.client = client;
        this.firstPrompt = firstPrompt;
        this.target = target;
        this.watcher = watcher;
        this.before = ServerLook.at(session);
    }

    EndedRequests ended() {
        return ended;
    }

    /** {@return all of it, once it is over} */
    Measurement whole() {
        ServerLook server = ServerLook.at(session).since(before);
        return measurement(ended.byStart(), server, Optional.of(session.description()), takeSteps());
    }

    /**
     * {@return the requests that are over, of a run that does not go on; empty without one} The target, its server and its device are
     * asked as at the end of a run, and not waited for: one that hangs takes none of the times with it.
     */
    Optional<Measurement> soFar(boolean isMostRequests) {
        List<TokenTrace> traces = ended.byStart();
        if (traces.isEmpty()) {
            return Optional.empty();
        }
        Questions questions = new Questions(PATIENCE);
        Questions.Answer<List<EngineStep>> taken = questions.ask(this::takeSteps);
        Questions.Answer<TargetDescription> after = questions.ask(session::description);
        Questions.Answer<ServerLook> server =
                questions.ask(() -> ServerLook.at(session).since(before));
        Questions.Answer<Boolean> stopped = questions.ask(() -> {
            watcher.stop();
            return true;
        });
        stopped.get();
        return Optional.of(measurement(
                        traces,
                        server.get().orElseGet(() -> before.unanswered()),
                        after.get(),
                        taken.get().orElse(List.of()))
                .with(interrupted(traces.size(), isMostRequests)));
    }

    /** What was measured shows nothing that it would not have shown at the end of the run. */
    Finding interrupted(int requests, boolean isMostRequests) {
        return new Finding(
                Finding.Kind.INTERRUPTED,
                String.format(
                        Locale.ROOT,
                        "the run was interrupted after %d of %s%d requests: run the gate again",
                        requests,
                        isMostRequests ? "at most " : "",
                        scenario.requests()));
    }

    private Measurement measurement(
            List<TokenTrace> traces, ServerLook server, Optional<TargetDescription> after, List<EngineStep> taken) {
        return new Measurement(
                scenario.conditionsOn(target, traces),
                new Environment(HostDetails.with(target.details(), server)),
                warmUp,
                traces,
                memory.bytes(),
                after.flatMap(watcher::changed).stream().toList(),
                NumberedSteps.of(taken, firstPrompt),
                watcher.watch(scenario.openLoop(), mostInFlight, client, server, after.isPresent()));
    }

    /** All of this run: a session gives each step once, and the end of a run may come while it is looked at. */
    private List<EngineStep> takeSteps() {
        synchronized (steps) {
            steps.addAll(session.takeSteps());
            return List.copyOf(steps);
        }
    }
}
