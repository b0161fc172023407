package io.github.latencybudget.metric;

import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.apiguardian.api.API;

/**
 * How many requests were in flight at each time of a run.
 *
 * @param steps where the number changes, in the order of time; none where nothing was sent
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record InFlight(List<Step> steps) {

    public InFlight {
        steps = List.copyOf(steps);
    }

    /**
     * From a time on there are so many.
     *
     * @param nanos since the first request of the run started, or was due
     * @param requests how many are in flight from then on
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record Step(long nanos, int requests) {}

    /** {@return the requests from when they were sent until they were over} */
    public static InFlight sent(List<TokenTrace> traces) {
        return of(traces, t -> t.sentNanos().orElse(t.startNanos()));
    }

    /** {@return the requests from when their client began to send them until they were over, as a limit on what may be in flight counts} */
    public static InFlight begun(List<TokenTrace> traces) {
        return of(traces, t -> t.begunNanos().orElse(t.startNanos()));
    }

    /** {@return the requests from {@code t_0} until they were over: in an open loop, those that wait to be sent too} */
    public static InFlight due(List<TokenTrace> traces) {
        return of(traces, TokenTrace::startNanos);
    }

    private static InFlight of(List<TokenTrace> traces, ToLongFunction<TokenTrace> from) {
        // From one origin on, since nanoTime may run over the end of the long range within a run.
        SortedMap<Long, Integer> changes = new TreeMap<>();
        long origin = traces.isEmpty() ? 0 : traces.get(0).startNanos();
        for (TokenTrace trace : traces) {
            if (trace.outcome() != Outcome.DROPPED) {
                long start = from.applyAsLong(trace) - origin;
                changes.merge(start, 1, Integer::sum);
                changes.merge(Math.max(start, overNanos(trace) - origin), -1, Integer::sum);
            }
        }
        return new InFlight(steps(changes));
    }

    private static long overNanos(TokenTrace trace) {
        return trace.endNanos()
                .orElse(trace.startNanos() + StreamMetrics.e2eNanos(trace).orElse(0));
    }

    private static List<Step> steps(SortedMap<Long, Integer> changes) {
        List<Step> steps = new ArrayList<>();
        int now = 0;
        for (Map.Entry<Long, Integer> change : changes.entrySet()) {
            now += change.getValue();
            steps.add(new Step(change.getKey(), now));
        }
        return steps;
    }

    /** {@return the most that there were at a time; 0 where nothing was sent} */
    public int peak() {
        return steps.stream().mapToInt(Step::requests).max().orElse(0);
    }

    /** {@return how many there were on average, from the first change to the last; 0 where nothing was sent} */
    public double mean() {
        double sum = 0;
        for (int i = 1; i < steps.size(); i++) {
            sum += (double) steps.get(i - 1).requests()
                    * (steps.get(i).nanos() - steps.get(i - 1).nanos());
        }
        long all = steps.isEmpty()
                ? 0
                : steps.get(steps.size() - 1).nanos() - steps.get(0).nanos();
        return all == 0 ? 0 : sum / all;
    }
}
