package io.github.latencybudget.target.openai;

/**
 * How long each part of a request may take, in nanoseconds. Each is an option in seconds.
 *
 * @param connectNanos to connect, with what TLS takes
 * @param firstTokenNanos from the start to the first token
 * @param betweenTokensNanos from one event with a token to the next, and from the last to the end
 * @param requestNanos from the start to the end
 */
record Deadlines(long connectNanos, long firstTokenNanos, long betweenTokensNanos, long requestNanos) {}
