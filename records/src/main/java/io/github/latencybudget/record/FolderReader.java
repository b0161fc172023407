package io.github.latencybudget.record;

import io.github.latencybudget.record.RecordStore.PlanFile;
import io.github.latencybudget.record.RecordStore.RecordFile;
import io.github.latencybudget.record.Records.LeftOut;
import io.github.latencybudget.record.Records.Unreadable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Reads a records folder. */
final class FolderReader {

    private static final Comparator<RecordFile> ORDER = Comparator.comparing(
                    (RecordFile f) -> f.content().gate())
            .thenComparing(f -> f.content().source().run())
            .thenComparing(f -> f.content().source().origin())
            .thenComparing(f -> f.content().attempt())
            .thenComparing(RecordFile::path);

    private static final Comparator<PlanFile> ORDER_OF_PLANS =
            Comparator.comparing((PlanFile f) -> f.content().started()).thenComparing(PlanFile::path);

    private final Path folder;
    private final List<RecordFile> records = new ArrayList<>();
    private final List<PlanFile> plans = new ArrayList<>();
    private final List<Unreadable> unreadable = new ArrayList<>();
    private final List<GateId> leftOut = new ArrayList<>();

    FolderReader(Path folder) {
        this.folder = folder;
    }

    Records read(Optional<String> run) {
        for (Path file : RecordName.filesIn(folder)) {
            if (RecordName.isPlan(file)) {
                whole(file, PlanRecord.class)
                        .filter(plan -> run.isEmpty() || plan.source().run().equals(run.get()))
                        .ifPresent(plan -> plans.add(new PlanFile(file, plan)));
            } else if (run.isEmpty() || isOf(run.get(), file)) {
                whole(file, GateRecord.class).ifPresent(record -> records.add(new RecordFile(file, record)));
            }
        }
        records.sort(ORDER);
        plans.sort(ORDER_OF_PLANS);
        return new Records(run, records, plans, unreadable, new LeftOut(leftOut.size(), new TreeSet<>(leftOut)));
    }

    /** Of other runs, only what tells them apart is kept in memory. */
    private boolean isOf(String run, Path file) {
        Optional<Reading.Head> head = whole(file, Reading.Head.class);
        boolean isOther = head.isPresent() && !head.get().source().run().equals(run);
        if (isOther) {
            leftOut.add(head.get().gate());
        }
        return head.isPresent() && !isOther;
    }

    private <T> Optional<T> whole(Path file, Class<T> type) {
        Reading<T> reading = Reading.of(file, type);
        reading.problem().ifPresent(problem -> unreadable.add(new Unreadable(file, problem)));
        return reading.record();
    }
}
