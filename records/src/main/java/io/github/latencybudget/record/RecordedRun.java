package io.github.latencybudget.record;

import io.github.latencybudget.trace.Measurement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.apiguardian.api.API;

/**
 * The run of one record file.
 *
 * @param record what the file holds
 * @param measurement what was measured
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record RecordedRun(GateRecord record, Measurement measurement) {

    /**
     * Reads a record file.
     *
     * @throws IllegalArgumentException where there is none, it cannot be read, or nothing was measured; the message says what to do
     */
    public static RecordedRun read(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "there is no record %s: give a file of a records folder, such as target/latency-budget/records/...json",
                    file));
        }
        Reading<GateRecord> reading = Reading.of(file, GateRecord.class);
        GateRecord record = reading.record()
                .orElseThrow(() -> new IllegalArgumentException(String.format(
                        Locale.ROOT,
                        "%s is no record that can be read: %s",
                        file,
                        reading.problem().orElse(""))));
        if (record.measurement() == null) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "nothing was measured in %s, which is %s: give the record of a gate that has measured",
                    file,
                    record.state()));
        }
        return new RecordedRun(record, record.measurement().toMeasurement());
    }
}
