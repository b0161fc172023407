package io.github.latencybudget.report;

import io.github.latencybudget.baseline.Baseline;
import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.record.BaselineStore;
import io.github.latencybudget.record.GateId;
import io.github.latencybudget.record.GateManifest;
import io.github.latencybudget.record.PlanRecord.PlannedGate;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.trace.Measurement;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Everything that is written of a run, with names of many alphabets, to be the same on every machine. */
public final class EveryLocale {

    private static final GateId GATE = new GateId("com.example.GrößenTest", "iIıİ größe 模型 مودل()");

    private EveryLocale() {}

    /** Writes reports, records, a baseline, a manifest and what a command prints. */
    public static void write(Path folder) throws IOException {
        of(folder.resolve("all"), ReportExample::write);
        of(folder.resolve("endpoint"), ExchangeExample::write);
        of(folder.resolve("baseline"), BaselineExample::write);
        of(folder.resolve("names"), names -> {
            Measurement run = Samples.steady("größe/模型 \uD83D\uDE00", 80, 16, r -> 340 * Samples.MILLI);
            RecordStore.Attempt attempt = Samples.store(names).start(GATE, "Antwortet größtenteils: 模型 مودل ١");
            attempt.measured(run);
            Samples.judge(
                    attempt, Budget.of(LatencyRule.itl(Percentile.P95, Duration.ofMillis(10))), run, Samples.PASSED);
            new BaselineStore(names.resolve("baselines")).write(new Baseline("chat", Samples.NOON, run));
            GateManifest.of(List.of(new PlannedGate(GATE, "größe", List.of("ITL P95 ≤ 10 ms"))))
                    .write(names.resolve("gates.json"));
        });
    }

    private static void of(Path folder, Consumer<Path> example) throws IOException {
        // Otherwise random.
        Files.createDirectories(folder.resolve("records"));
        Files.writeString(folder.resolve("records/.origin"), "0123abcd", StandardCharsets.US_ASCII);
        example.accept(folder);
        try (PrintStream out = new PrintStream(folder.resolve("printed").toFile(), StandardCharsets.UTF_8)) {
            ReportCommand.run(new String[] {folder.toString(), "--run", "20260101T120000-4711"}, out, out);
        }
    }
}
