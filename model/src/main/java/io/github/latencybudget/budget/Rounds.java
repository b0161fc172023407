package io.github.latencybudget.budget;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Puts requests into rounds, in their order: as many of every prompt length, since a rule over several lengths is about all of
 * them in equal shares, and together as many as may be in flight, since their places in a batch may differ. With one length and
 * one in flight each request is a round, and so is each that drew its prompt.
 */
final class Rounds<T> {

    /** What stands for every length where requests draw theirs. */
    private static final int ANY = 0;

    private final SortedMap<Integer, Queue<T>> waiting = new TreeMap<>();
    private final boolean isDrawn;
    private final int ofEach;
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
        ofEach = (Math.max(1, inFlight) + lengths - 1) / lengths;
        // What is in flight at the end of a round may share a moment with the next one, and not with the one after
        // that.
        chains = inFlight > 1 ? 2 : 1;
    }

    /** {@return how many requests a round has} */
    int size() {
        return waiting.size() * ofEach;
    }

    /** {@return how many successive rounds may share a moment} */
    int chains() {
        return chains;
    }

    /** {@return the round that is full with this request; empty where none is} */
    Optional<List<T>> add(int promptTokens, T request) {
        waiting.get(isDrawn ? ANY : promptTokens).add(request);
        return waiting.values().stream().anyMatch(ofLength -> ofLength.size() < ofEach)
                ? Optional.empty()
                : Optional.of(waiting.values().stream()
                        .flatMap(ofLength -> Stream.generate(ofLength::remove).limit(ofEach))
                        .toList());
    }
}
