package io.github.latencybudget.target;

import io.github.latencybudget.trace.Sampling;
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
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record GenerationRequest(
        int promptTokens, int outputTokens, boolean ignoreEos, Sampling sampling, long promptNumber) {}
