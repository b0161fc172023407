package io.github.latencybudget.inference;

import io.github.latencybudget.trace.Sampling;
import java.util.List;
import java.util.Locale;
import org.apiguardian.api.API;

/**
 * One request.
 *
 * @param promptTokens the exact length of the prompt in tokens of the model's tokenizer, BOS included
 * @param outputTokens how many output tokens to generate at most; exactly so many where end-of-sequence is ignored
 * @param ignoreEos whether to go on after an end-of-sequence token
 * @param sampling how to choose tokens
 * @param promptNumber which prompt: equal numbers give equal prompts, different numbers prompts that differ from the first
 *     token after BOS on
 * @param stopStrings texts of which the first to appear in the output ends it, with the token that completes it as the last that
 *     counts; none where end-of-sequence is ignored
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record GenerationRequest(
        int promptTokens,
        int outputTokens,
        boolean ignoreEos,
        Sampling sampling,
        long promptNumber,
        List<String> stopStrings) {

    /** @throws IllegalArgumentException for an empty stop string, or one where end-of-sequence is ignored */
    public GenerationRequest {
        stopStrings = List.copyOf(stopStrings);
        if (stopStrings.contains("")) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "stopStrings = %s: an empty text is in every output", stopStrings));
        }
        if (ignoreEos && !stopStrings.isEmpty()) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "stopStrings = %s: an output that ignores end-of-sequence has the declared length",
                    stopStrings));
        }
    }

    /** A request without stop strings. */
    public GenerationRequest(
            int promptTokens, int outputTokens, boolean ignoreEos, Sampling sampling, long promptNumber) {
        this(promptTokens, outputTokens, ignoreEos, sampling, promptNumber, List.of());
    }
}
