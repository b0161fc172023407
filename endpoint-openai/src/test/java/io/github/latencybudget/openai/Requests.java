package io.github.latencybudget.openai;

import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.inference.TargetSpec;
import io.github.latencybudget.inference.TruncatedOutputException;
import io.github.latencybudget.trace.NanoClock;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenRecorder;
import io.github.latencybudget.trace.TokenTrace;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Opens endpoints and runs requests as the load does. */
final class Requests {

    private Requests() {}

    static TargetSession open(String url, Map<String, String> options, Map<String, String> environment) {
        return new OpenAiTarget(name -> Optional.ofNullable(environment.get(name)))
                .open(new TargetSpec("openai:" + url, "cpu", "", 42, new TreeMap<>(options)), Progress.NONE);
    }

    static TargetSession open(String url, Map<String, String> options) {
        return open(url, options, Map.of());
    }

    static TokenTrace run(TargetSession session, int promptTokens, int outputTokens, boolean ignoreEos, long number) {
        Generation generation =
                session.prepare(new GenerationRequest(promptTokens, outputTokens, ignoreEos, Sampling.GREEDY, number));
        TokenRecorder recorder = new TokenRecorder(NanoClock.SYSTEM, outputTokens);
        recorder.start(0, promptTokens, outputTokens, ignoreEos);
        try {
            generation.run(recorder);
            return recorder.end();
        } catch (TruncatedOutputException e) {
            return recorder.truncated(e.getMessage());
        } catch (Exception e) {
            return recorder.fail(String.valueOf(e.getMessage()));
        }
    }
}
