package io.github.latencybudget.metric;

import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apiguardian.api.API;

/**
 * Which gaps between tokens contain the prefill of another request, and so are longer for what somebody else asked. No gap is
 * excused by it: whoever waits, waits.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class PrefillPauses {

    private final List<Gap> gaps;
    private final List<Pause> byHarm;

    /**
     * One prefill that others waited for.
     *
     * @param prefilled the requests whose prompts were taken
     * @param nanos the most of it that lies in one gap, in nanoseconds
     * @param delayed the requests that waited for it between two tokens
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record Pause(List<Integer> prefilled, long nanos, List<Integer> delayed) {

        public Pause {
            prefilled = List.copyOf(prefilled);
            delayed = List.copyOf(delayed);
        }

        /** {@return how long all of them together waited, at most} */
        double harmNanos() {
            return (double) nanos * delayed.size();
        }
    }

    /**
     * The gaps above a limit.
     *
     * @param gaps how many there are
     * @param touched how many of them contain the prefill of another request
     * @param longest the prefill that takes most of one of them; absent where none is touched
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record Above(int gaps, int touched, Optional<Pause> longest) {}

    /** A gap, and the prefills of others in it. */
    private record Gap(int request, long nanos, List<Part> parts) {
        boolean isTouched() {
            return !parts.isEmpty();
        }
    }

    /** What of a prefill lies in a gap. */
    private record Part(EngineStep prefill, long nanos) {}

    private PrefillPauses(List<Gap> gaps) {
        this.gaps = gaps;
        this.byHarm = pauses(gaps).stream()
                .sorted(Comparator.comparingDouble(Pause::harmNanos).reversed())
                .toList();
    }

    /**
     * @param traces the requests whose gaps are looked at
     * @param steps all steps of the engine, in their order, those of other requests included
     */
    public static PrefillPauses of(List<TokenTrace> traces, List<EngineStep> steps) {
        List<EngineStep> prefills =
                steps.stream().filter(s -> s.kind() == EngineStep.Kind.PREFILL).toList();
        List<Gap> gaps = new ArrayList<>();
        traces.forEach(t -> addGaps(t, prefills, gaps));
        return new PrefillPauses(gaps);
    }

    private static void addGaps(TokenTrace trace, List<EngineStep> prefills, List<Gap> gaps) {
        int next = 0;
        // An engine that can be looked into gives one token at a time.
        for (int i = 2; i <= trace.chunks().count(); i++) {
            long from = trace.chunks().arrivalNanos(i - 1);
            long to = trace.chunks().arrivalNanos(i);
            // Differences, since nanoTime may run over the end of the long range within a run.
            while (next < prefills.size() && prefills.get(next).endNanos() - from <= 0) {
                next++;
            }
            List<Part> parts = new ArrayList<>();
            for (int p = next; p < prefills.size() && prefills.get(p).startNanos() - to < 0; p++) {
                EngineStep prefill = prefills.get(p);
                long nanos = Math.min(to - from, prefill.endNanos() - from) - Math.max(0, prefill.startNanos() - from);
                if (nanos > 0 && !prefill.requests().contains(trace.request())) {
                    parts.add(new Part(prefill, nanos));
                }
            }
            gaps.add(new Gap(trace.request(), to - from, List.copyOf(parts)));
        }
    }

    private static List<Pause> pauses(List<Gap> gaps) {
        Map<EngineStep, Pause> pauses = new LinkedHashMap<>();
        for (Gap gap : gaps) {
            for (Part part : gap.parts()) {
                pauses.merge(
                        part.prefill(),
                        new Pause(part.prefill().requests(), part.nanos(), List.of(gap.request())),
                        PrefillPauses::together);
            }
        }
        return List.copyOf(pauses.values());
    }

    private static Pause together(Pause one, Pause other) {
        List<Integer> delayed = new ArrayList<>(one.delayed());
        other.delayed().stream().filter(r -> !delayed.contains(r)).forEach(delayed::add);
        return new Pause(one.prefilled(), Math.max(one.nanos(), other.nanos()), delayed);
    }

    /** {@return how many gaps there are} */
    public int gaps() {
        return gaps.size();
    }

    /** {@return the gaps that contain the prefill of another request, in nanoseconds} */
    public Distribution touched() {
        return distribution(true);
    }

    /** {@return the gaps that contain no prefill of another request, in nanoseconds} */
    public Distribution untouched() {
        return distribution(false);
    }

    /** {@return how much of each touched gap is prefill of others, in nanoseconds} */
    public Distribution prefillNanos() {
        return Distribution.of(gaps.stream()
                .filter(Gap::isTouched)
                .mapToDouble(g -> g.parts().stream().mapToLong(Part::nanos).sum()));
    }

    /** {@return the prefills that others waited for, the most harmful first: by their time and by how many waited} */
    public List<Pause> mostHarmful(int most) {
        return byHarm.stream().limit(most).toList();
    }

    /** {@return what the gaps above a limit in nanoseconds contain} */
    public Above above(double limitNanos) {
        List<Gap> above = gaps.stream().filter(g -> g.nanos() > limitNanos).toList();
        List<Gap> touched = above.stream().filter(Gap::isTouched).toList();
        return new Above(
                above.size(), touched.size(), pauses(touched).stream().max(Comparator.comparingLong(Pause::nanos)));
    }

    private Distribution distribution(boolean isTouched) {
        return Distribution.of(
                gaps.stream().filter(g -> g.isTouched() == isTouched).mapToDouble(Gap::nanos));
    }
}
