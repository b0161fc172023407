package io.github.latencybudget.junit;

import io.github.latencybudget.record.GateId;
import io.github.latencybudget.record.GateManifest;
import io.github.latencybudget.record.PlanRecord;
import io.github.latencybudget.record.PlanRecord.PlannedGate;
import io.github.latencybudget.record.RecordStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The manifest of expected gates, as a run reads and writes it. */
final class ExpectedGates {

    private ExpectedGates() {}

    /**
     * {@return whether this run has to record a plan without gates}
     *
     * <p>The manifest expects gates, and no plan of this run had one yet. Without the record, the report of an older run would stay. One
     * plan is enough: many JVMs of a build run other tests only.
     */
    static boolean areOfNoPlan(Settings settings, RecordStore records) {
        return !settings.updatesGates()
                && (settings.namesGates() || Files.exists(settings.gates()))
                && Selection.of(System::getProperty).isEmpty()
                && records.read(Optional.of(records.run())).plans().isEmpty();
    }

    /**
     * {@return the gates that the manifest expects; empty where there is none, or where this run writes it}
     *
     * <p>A manifest that cannot be read is a gate that is refused: without it nobody would know what is missing.
     *
     * @param planned the gates of the plan, to add one to
     */
    static Optional<List<PlannedGate>> read(Settings settings, RecordStore records, List<PlannedGate> planned) {
        if (settings.updatesGates()) {
            return Optional.empty();
        }
        Path file = settings.gates();
        try {
            Optional<GateManifest> manifest = GateManifest.read(file);
            if (manifest.isEmpty() && settings.namesGates()) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT,
                        "there is no manifest of expected gates %s: write it with latencybudget.gates.update = true, or correct latencybudget.gates",
                        file));
            }
            return manifest.map(GateManifest::gates);
        } catch (IllegalArgumentException e) {
            PlannedGate itself = new PlannedGate(
                    new GateId(file.toString().replace('\\', '/'), "manifest"),
                    "Manifest of expected gates",
                    List.of());
            Console.say(e.getMessage());
            planned.add(itself);
            records.refuse(itself.gate(), itself.displayName(), e.getMessage());
            return Optional.empty();
        }
    }

    /**
     * Writes the gates of all test plans of this run into the manifest, where a setting asks for it.
     *
     * @return what was written, in words; empty where nothing was
     */
    static Optional<String> update(Settings settings, RecordStore records) {
        if (!settings.updatesGates()) {
            return Optional.empty();
        }
        List<PlanRecord> plans = records.read(Optional.of(records.run())).plans().stream()
                .map(RecordStore.PlanFile::content)
                .toList();
        GateManifest planned = GateManifest.of(
                plans.stream().flatMap(plan -> plan.gates().stream()).toList());
        boolean isPart = plans.stream().anyMatch(plan -> plan.selection() != null);
        GateManifest manifest = isPart
                ? GateManifest.read(settings.gates())
                        .orElse(GateManifest.of(List.of()))
                        .with(planned.gates())
                : planned;
        manifest.write(settings.gates());
        return Optional.of(String.format(
                Locale.ROOT,
                "wrote %d gate%s to the manifest %s",
                manifest.gates().size(),
                manifest.gates().size() == 1 ? "" : "s",
                settings.gates()));
    }
}
