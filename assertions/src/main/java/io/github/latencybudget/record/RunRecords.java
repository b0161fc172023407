package io.github.latencybudget.record;

import java.nio.file.Path;
import java.util.List;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * The records of the newest run in a folder.
 *
 * @param run the run; null where no record can be read
 * @param records its records, in the order of their gates and attempts
 * @param unreadable the files that hold no record that can be read, of whichever run: a damaged file does not say
 * @param recordsOfOlderRuns how many records of other runs lie beside them
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record RunRecords(
        @Nullable String run,
        List<RecordStore.RecordFile> records,
        List<Unreadable> unreadable,
        int recordsOfOlderRuns) {

    public RunRecords {
        records = List.copyOf(records);
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
}
