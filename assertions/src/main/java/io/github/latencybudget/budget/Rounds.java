package io.github.latencybudget.budget;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Puts requests into rounds, in their order: one of every prompt length, since a rule over several lengths is about all of them
 * in equal shares. With one length each request is a round, and so is each that drew its prompt.
 */
final class Rounds<T> {

    /** What stands for every length where requests draw theirs. */
    private static final int ANY = 0;

    private final SortedMap<Integer, Queue<T>> waiting = new TreeMap<>();
    private final boolean isDrawn;
    private final int chains;

    /** @param inFlight how many requests may share a moment */
    Rounds(Collection<Integer> promptTokens, int inFlight) {
        this(promptTokens, inFlight, false);
    }

    /**
     * @param inFlight how many requests may share a moment
     * @param isDrawn whether each request drew its prompt
     */
    Rounds(Collection<Integer> promptTokens, int inFlight, boolean isDrawn) {
        this.isDrawn = isDrawn;
        (isDrawn ? List.of(ANY) : promptTokens).forEach(p -> waiting.put(p, new ArrayDeque<>()));
        int lengths = Math.max(1, waiting.size());
        chains = (Math.max(1, inFlight) + lengths - 1) / lengths;
    }

    /** {@return how many requests a round has} */
    int size() {
        return waiting.size();
    }

    /** {@return how many successive rounds may share a moment} */
    int chains() {
        return chains;
    }

    /** {@return how many requests may share a moment, in whole rounds} */
    int inFlight() {
        return size() * chains;
    }

    /** {@return the round that is full with this request; empty where none is} */
    Optional<List<T>> add(int promptTokens, T request) {
        waiting.get(isDrawn ? ANY : promptTokens).add(request);
        return waiting.values().stream().anyMatch(Queue::isEmpty)
                ? Optional.empty()
                : Optional.of(waiting.values().stream().map(Queue::remove).toList());
    }
}
