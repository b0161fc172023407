package io.github.latencybudget.llama;

import io.github.latencybudget.trace.Sampling;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/** Begins a step ahead whenever it may, notes what it is asked for, and refuses what must not be asked for then. */
final class NotedDecoding implements Decoding {

    private static final Set<Integer> EOS = Set.of(2);

    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    private List<Sequence> ahead = List.of();
    private boolean fails;

    @Override
    public String description() {
        return "ahead";
    }

    @Override
    public void prepare(int sequences) {
        // nothing is needed
    }

    @Override
    public long[] prefill(List<Sequence> sequences) {
        requireNotAhead();
        asked.add("prefill " + sequences.size());
        return new long[sequences.size()];
    }

    @Override
    public long[] decode(List<Sequence> sequences, boolean again) {
        if (isAhead() && !ahead.equals(sequences)) {
            throw new IllegalStateException("ahead for others");
        }
        asked.add((isAhead() ? "ahead " : "decode ") + sequences.size());
        ahead = again ? List.copyOf(sequences) : List.of();
        if (fails) {
            fails = false;
            throw new EngineFailure("broken", null);
        }
        return new long[sequences.size()];
    }

    private void requireNotAhead() {
        if (isAhead()) {
            throw new IllegalStateException("a step was begun ahead");
        }
    }

    @Override
    public boolean isAhead() {
        return !ahead.isEmpty();
    }

    @Override
    public void dropAhead() {
        if (isAhead()) {
            asked.add("drop");
            ahead = List.of();
        }
    }

    @Override
    public float[] logits(int slot, long id, int place) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long[] takeDeviceNanos() {
        requireNotAhead();
        return new long[0];
    }

    @Override
    public void close() {
        requireNotAhead();
    }

    List<String> asked() {
        return List.copyOf(asked);
    }

    void failNext() {
        fails = true;
    }

    static Sequence sequence(int outputTokens, boolean ignoreEos) {
        return new Sequence(
                0,
                true,
                new long[] {1},
                new StopCondition(outputTokens, ignoreEos, EOS),
                Draws.of(Sampling.GREEDY, outputTokens, 0));
    }
}
