package io.github.latencybudget.load;

import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.trace.TokenTrace;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One request that is to be made.
 *
 * @param number its number within the run, from 0
 * @param promptTokens the length of its prompt
 * @param outputTokens how many output tokens it asks for
 * @param thinkNanos how long its user thinks before it, in a closed loop; it is made after that
 * @param generation makes it ready; what that throws ends all
 * @param started told just before it is sent
 * @param ended told once it is over, or was dropped; by one thread at a time where several share a run only if it sees to that
 */
record Request(
        int number,
        int promptTokens,
        int outputTokens,
        long thinkNanos,
        Supplier<Generation> generation,
        Runnable started,
        Consumer<TokenTrace> ended) {}
