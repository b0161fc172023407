package io.github.latencybudget.record;

import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * Which gates one JVM was to run in one test plan. A gate that is here and has no record was lost.
 *
 * @param schema {@link #SCHEMA}
 * @param source which run and machine it is of
 * @param pid the process id of the JVM
 * @param directory its working directory, which tells the modules of a build apart
 * @param started when the plan began, by the wall clock
 * @param finished when it ended; null while it runs, and for ever where the JVM was killed
 * @param selection which tests were asked for, such as {@code -Dtest=ChatTest}; null where none were left out
 * @param gates the gates of the plan
 * @param expected the gates that a manifest asks for; null where there is no manifest
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record PlanRecord(
        String schema,
        Source source,
        long pid,
        String directory,
        Instant started,
        @Nullable Instant finished,
        @Nullable String selection,
        List<PlannedGate> gates,
        @Nullable List<PlannedGate> expected) {

    /** The name and version of this format. */
    public static final String SCHEMA = "latency-budget/plan/1";

    /** @throws NullPointerException where a file leaves out what every plan has */
    public PlanRecord {
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(directory, "directory");
        Objects.requireNonNull(started, "started");
        gates = List.copyOf(gates);
        expected = expected == null ? null : List.copyOf(expected);
    }

    /**
     * A gate of a plan.
     *
     * @param gate which gate
     * @param displayName its name for people
     * @param rules what it has to hold, a line per rule
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record PlannedGate(GateId gate, String displayName, List<String> rules) {

        /** @throws NullPointerException where a file leaves one of them out */
        public PlannedGate {
            Objects.requireNonNull(gate, "gate");
            Objects.requireNonNull(displayName, "displayName");
            rules = List.copyOf(rules);
        }

        /** {@return this gate with the rules of both} */
        public PlannedGate and(PlannedGate other) {
            Set<String> all = new LinkedHashSet<>(rules);
            all.addAll(other.rules());
            return new PlannedGate(gate, other.displayName(), List.copyOf(all));
        }
    }

    PlanRecord finishedAt(Instant now) {
        return new PlanRecord(schema, source, pid, directory, started, now, selection, gates, expected);
    }
}
