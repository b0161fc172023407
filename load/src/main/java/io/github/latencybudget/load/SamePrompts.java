package io.github.latencybudget.load;

import io.github.latencybudget.inference.Conversation;
import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Said;
import io.github.latencybudget.inference.TargetDescription;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.inference.Turn;
import io.github.latencybudget.trace.ClientCalibration;
import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.NanoClock;
import io.github.latencybudget.trace.ServerMetrics;
import io.github.latencybudget.trace.SharedPrompts;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apiguardian.api.API;

/**
 * A session whose prompts are those of another, as text: request by request, equal numbers have equal prompts. Each request is
 * checked to have as many tokens on both.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class SamePrompts implements TargetSession {

    private final TargetSession session;
    private final TargetSession prompts;

    /**
     * @param session what is measured; closing it is for whoever has opened it
     * @param prompts whose prompts it is given
     */
    public SamePrompts(TargetSession session, TargetSession prompts) {
        this.session = session;
        this.prompts = prompts;
    }

    /** With where its prompts are from as a setting, for its numbers depend on it. */
    @Override
    public TargetDescription description() {
        TargetDescription own = session.description();
        SortedMap<String, String> settings = new TreeMap<>(own.settings());
        settings.put("prompts", SharedPrompts.OF_THE_OTHER);
        return new TargetDescription(
                own.model(),
                own.weights(),
                own.dtype(),
                own.device(),
                own.deviceKey(),
                own.contextTokens(),
                settings,
                own.details());
    }

    @Override
    public Generation prepare(GenerationRequest request) {
        String text = prompts.promptText(request)
                .orElseThrow(() -> new MeasurementException(String.format(
                        Locale.ROOT,
                        "the prompts of %s are no texts, so no other target can have the same: let both have prompts of their own, of the same lengths",
                        prompts.description().model())));
        Generation generation = session.converse()
                .prepare(new Turn(
                        new Said.Text(text),
                        request.outputTokens(),
                        request.ignoreEos(),
                        request.sampling(),
                        request.promptNumber()));
        if (generation.promptTokens() != request.promptTokens()) {
            generation.discard();
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "promptTokens = %d: the text that the other target makes of it has %d tokens by the count of %s: name a model with the same tokenizer, and where a chat template adds tokens there, the option api=completions; or let both have prompts of their own, of the same lengths",
                    request.promptTokens(),
                    generation.promptTokens(),
                    session.description().model()));
        }
        return generation;
    }

    @Override
    public Conversation converse() {
        return session.converse();
    }

    @Override
    public boolean isEventDriven() {
        return session.isEventDriven();
    }

    @Override
    public Optional<String> promptText(GenerationRequest request) {
        return prompts.promptText(request);
    }

    @Override
    public void renewPrompts() {
        prompts.renewPrompts();
    }

    @Override
    public OptionalLong deviceMemoryBytes() {
        return session.deviceMemoryBytes();
    }

    @Override
    public NanoClock clock() {
        return session.clock();
    }

    @Override
    public int maxConcurrency() {
        return session.maxConcurrency();
    }

    @Override
    public List<EngineStep> takeSteps() {
        return session.takeSteps();
    }

    @Override
    public Optional<ClientCalibration> calibrate(int streams, double eventsPerSecond, long mostErrorNanos) {
        return session.calibrate(streams, eventsPerSecond, mostErrorNanos);
    }

    @Override
    public Optional<ServerMetrics> serverMetrics() {
        return session.serverMetrics();
    }

    /** Nothing: it is shared with gates that have other prompts. */
    @Override
    public void close() {}
}
