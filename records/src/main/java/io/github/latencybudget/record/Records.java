package io.github.latencybudget.record;

import io.github.latencybudget.record.RecordStore.PlanFile;
import io.github.latencybudget.record.RecordStore.RecordFile;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apiguardian.api.API;

/**
 * What was read from a records folder.
 *
 * @param run the run that was asked for; empty for all runs
 * @param records its records, in the order of their gates, runs, origins and attempts
 * @param plans its plans, in the order in which they started
 * @param unreadable the files that hold nothing that can be read, of whichever run: a damaged file does not say
 * @param leftOut the records of other runs than the one that was asked for
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Records(
        Optional<String> run,
        List<RecordFile> records,
        List<PlanFile> plans,
        List<Unreadable> unreadable,
        LeftOut leftOut) {

    public Records {
        records = List.copyOf(records);
        plans = List.copyOf(plans);
        unreadable = List.copyOf(unreadable);
    }

    /**
     * A file that cannot be read.
     *
     * @param path the file
     * @param problem what is wrong with it, in words
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record Unreadable(Path path, String problem) {}

    /**
     * What lies beside the run that was asked for.
     *
     * @param records how many records, an attempt each
     * @param gates which gates they are of
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record LeftOut(int records, SortedSet<GateId> gates) {

        /** Nothing lies beside it. */
        public static final LeftOut NONE = new LeftOut(0, new TreeSet<>());

        public LeftOut {
            gates = Collections.unmodifiableSortedSet(new TreeSet<>(gates));
        }
    }
}
