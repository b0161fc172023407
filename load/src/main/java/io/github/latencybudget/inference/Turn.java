package io.github.latencybudget.inference;

import io.github.latencybudget.trace.Sampling;
import org.apiguardian.api.API;

/**
 * A turn of a conversation: what is said, and how it is answered.
 *
 * @param said what is said now
 * @param outputTokens how many output tokens to generate at most; exactly so many where end-of-sequence is ignored
 * @param ignoreEos whether to go on after an end-of-sequence token
 * @param sampling how to choose tokens
 * @param promptNumber which prompt of the run, as that of a {@link GenerationRequest}
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Turn(Said said, int outputTokens, boolean ignoreEos, Sampling sampling, long promptNumber) {}
