package io.github.latencybudget.load;

import io.github.latencybudget.budget.Looks;
import io.github.latencybudget.trace.NanoClock;
import io.github.latencybudget.trace.TokenTrace;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * Which request is next: of each prompt length in turn, until all that is asked about a length is decided, or as many requests
 * were made or as much time has gone by as may be. For one run; may be asked by several threads.
 */
final class Plan {

    private final List<Integer> promptTokens;
    private final int requestsPerPromptLength;
    private final int concurrency;
    private final long maxNanos;
    private final NanoClock clock;
    private final long startNanos;
    private final Optional<Looks> looks;
    private final Map<Integer, Integer> made = new HashMap<>();
    /** Those that ended before one with a lower number did: to look at them first would favour the fast ones. */
    private final Map<Integer, TokenTrace> early = new HashMap<>();

    private int next;
    private int nextToLookAt;
    private int turn;

    /** A request to make. */
    record Next(int number, int promptTokens) {}

    /** @param looks tell when enough was measured; empty to measure all */
    Plan(Scenario scenario, Optional<Looks> looks, NanoClock clock) {
        this.promptTokens = List.copyOf(scenario.promptTokens());
        this.requestsPerPromptLength = scenario.requestsPerPromptLength();
        this.concurrency = scenario.concurrency();
        this.maxNanos = scenario.maxDuration().map(d -> d.toNanos()).orElse(Long.MAX_VALUE);
        this.clock = clock;
        this.startNanos = clock.nanos();
        this.looks = looks;
    }

    /** {@return what to measure next; empty where it was enough} */
    synchronized Optional<Next> next() {
        if (clock.nanos() - startNanos >= maxNanos) {
            return Optional.empty();
        }
        // As many as are in flight together are begun together or not at all: fewer would be another load.
        boolean isWithinRound = next % concurrency != 0;
        return next(length -> !isDecided(length)).or(() -> isWithinRound ? next(length -> true) : Optional.empty());
    }

    private Optional<Next> next(IntPredicate isWanted) {
        for (int i = 0; i < promptTokens.size(); i++) {
            int length = promptTokens.get((turn + i) % promptTokens.size());
            if (made.getOrDefault(length, 0) < requestsPerPromptLength && isWanted.test(length)) {
                turn = (turn + i + 1) % promptTokens.size();
                made.merge(length, 1, Integer::sum);
                return Optional.of(new Next(next++, length));
            }
        }
        return Optional.empty();
    }

    private boolean isDecided(int length) {
        return looks.filter(l -> l.isDecided(length)).isPresent();
    }

    /** Takes what came of a request. */
    synchronized void done(TokenTrace trace) {
        if (looks.isEmpty()) {
            return;
        }
        early.put(trace.request(), trace);
        while (early.containsKey(nextToLookAt)) {
            looks.get().add(early.remove(nextToLookAt++));
        }
    }
}
