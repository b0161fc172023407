package io.github.latencybudget.budget;

import io.github.latencybudget.metric.InFlight;
import io.github.latencybudget.trace.TokenTrace;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** How long requests of an open loop waited for no other reason than that as many were in flight as may be. */
final class RoomWaits {

    private final long[] nanos;
    private final boolean[] isFull;
    private final long[] fullBefore;

    /** @param mostInFlight how many may be in flight */
    RoomWaits(List<TokenTrace> traces, int mostInFlight) {
        List<InFlight.Step> steps = InFlight.begun(traces).steps();
        nanos = new long[steps.size()];
        isFull = new boolean[steps.size()];
        fullBefore = new long[steps.size()];
        for (int i = 0; i < steps.size(); i++) {
            nanos[i] = steps.get(i).nanos();
            isFull[i] = steps.get(i).requests() >= mostInFlight;
            if (i > 0) {
                fullBefore[i] = fullBefore[i - 1] + (isFull[i - 1] ? nanos[i] - nanos[i - 1] : 0);
            }
        }
    }

    /**
     * {@return of each request that was sent, by how much it was sent late while there was room, from the least on}
     *
     * @param traces the same
     */
    long[] delaysOfTheClient(List<TokenTrace> traces) {
        long origin = traces.isEmpty() ? 0 : traces.get(0).startNanos();
        Stream<TokenTrace> sent =
                traces.stream().filter(t -> t.scheduleDelayNanos().isPresent());
        return sent.mapToLong(t -> t.scheduleDelayNanos().getAsLong()
                        - (fullUntil(t.begunNanos().getAsLong() - origin) - fullUntil(t.startNanos() - origin)))
                .sorted()
                .toArray();
    }

    private long fullUntil(long time) {
        int found = Arrays.binarySearch(nanos, time);
        int last = found >= 0 ? found : -found - 2;
        return last < 0 ? 0 : fullBefore[last] + (isFull[last] ? time - nanos[last] : 0);
    }
}
