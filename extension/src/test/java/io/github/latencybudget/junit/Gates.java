package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.PlanRecord.PlannedGate;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.record.Records;
import io.github.latencybudget.report.Report;
import io.github.latencybudget.report.ReportSummary;
import java.nio.file.Path;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

/** Runs fixture classes as JUnit would. */
final class Gates {

    /** Apart from those of other builds on this machine, which gates would wait for. */
    static final String LOCKS = Path.of("target", "device-locks").toString();

    private final Path output;
    private final Map<String, String> parameters = new LinkedHashMap<>();

    Gates(Path output) {
        this.output = output;
        parameters.put("latencybudget.output", output.toString());
        parameters.put("latencybudget.run", "test");
        parameters.put("latencybudget.device.locks", LOCKS);
    }

    Gates with(String key, String value) {
        parameters.put(key, value);
        return this;
    }

    Optional<String> parameter(String key) {
        return Optional.ofNullable(parameters.get(key));
    }

    EngineExecutionResults run(Class<?>... classes) {
        EngineTestKit.Builder kit = EngineTestKit.engine("junit-jupiter").configurationParameters(parameters);
        for (Class<?> c : classes) {
            kit.selectors(selectClass(c));
        }
        return kit.execute();
    }

    /** {@return what the only test of the classes threw} */
    Throwable failure(Class<?>... classes) {
        return failure(run(classes));
    }

    /** That the only test of a class is refused as wrongly written, in exactly these words. */
    void assertRefused(Class<?> gate, String message) {
        assertThat(failure(gate))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessage(message);
    }

    static List<Throwable> failures(EngineExecutionResults results) {
        return results.testEvents().finished().failed().stream()
                .map(e -> e.getRequiredPayload(TestExecutionResult.class))
                .map(r -> r.getThrowable().orElseThrow())
                .toList();
    }

    static Throwable failure(EngineExecutionResults results) {
        return failures(results).stream().findFirst().orElseThrow(() -> new AssertionError("no test failed"));
    }

    /** Writes the report of what is there, as if a test plan had had it all: a test kit tells no listener of its plan. */
    static ReportSummary report(Path output) {
        RecordStore store = new RecordStore(output.resolve("records"), "test", Clock.systemUTC());
        List<PlannedGate> planned = store.read(Optional.empty()).records().stream()
                .map(RecordStore.RecordFile::content)
                .map(record -> new PlannedGate(record.gate(), record.displayName(), List.of()))
                .toList();
        store.finished(store.planned(null, planned, null));
        return Report.write(store, output);
    }

    /** Whatever a gate is, its record says what its times show. */
    List<GateRecord> records() {
        Records read = new RecordStore(output.resolve("records"), "test", Clock.systemUTC()).read(Optional.empty());
        assertThat(read.unreadable()).isEmpty();
        List<GateRecord> records =
                read.records().stream().map(RecordStore.RecordFile::content).toList();
        assertThat(records)
                .allSatisfy(r -> assertThat(r.judgeAgain().differences()).isEmpty());
        return records;
    }
}
