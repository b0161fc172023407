package io.github.latencybudget.junit;

import io.github.latencybudget.baseline.Baseline;
import io.github.latencybudget.baseline.Comparison;
import io.github.latencybudget.baseline.Tolerance;
import io.github.latencybudget.budget.Confidence;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.record.BaselineStore;
import io.github.latencybudget.record.ComparisonEntry;
import io.github.latencybudget.record.UnusableBaselineException;
import io.github.latencybudget.trace.IoFault;
import io.github.latencybudget.trace.Measurement;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.Optional;

/**
 * The baseline of a gate, and what is done with it.
 *
 * @param baseline what the run is compared with; empty where the run is to become the baseline
 */
record BaselineCheck(
        String name, Tolerance tolerance, boolean gating, BaselineStore store, Optional<Baseline> baseline) {

    /**
     * What came of it.
     *
     * @param comparison empty where the run has or should have become the baseline
     * @param problem why it has not; empty where it has, or was not to
     */
    record Outcome(ComparisonEntry entry, Optional<Comparison> comparison, Optional<MeasurementException> problem) {}

    /**
     * {@return the check that a gate asks for; empty where it asks for none}
     *
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException for an attribute that is not allowed, and where
     *     there is no baseline or it cannot be used
     */
    static Optional<BaselineCheck> of(Gate gate, Settings settings, Confidence confidence) {
        return gate.baseline().map(annotation -> of(annotation, gate, settings, confidence));
    }

    private static BaselineCheck of(
            ComparedWithBaseline annotation, Gate gate, Settings settings, Confidence confidence) {
        AttributeCheck check = new AttributeCheck(ComparedWithBaseline.class, gate.where());
        double percent = annotation.worseByMoreThanPercent();
        check.require(percent > 0 && percent < 100, "worseByMoreThanPercent", percent, "must be above 0 and below 100");
        String name = annotation.name().isEmpty() ? gate.where() : annotation.name();
        check.require(
                Baseline.isName(name),
                "name",
                name,
                "must be at most 100 letters, digits, `.`, `_` and `-`, and begin with a letter or digit");
        BaselineStore store = new BaselineStore(settings.baselines());
        Optional<Baseline> baseline = Optional.empty();
        if (!settings.updatesBaselines()) {
            try {
                baseline = Optional.of(store.read(name));
            } catch (UnusableBaselineException e) {
                throw ConfigurationErrors.annotation(ComparedWithBaseline.class, gate.where(), e.getMessage());
            }
        }
        return new BaselineCheck(
                name, new Tolerance(percent, annotation.p95(), confidence), annotation.gating(), store, baseline);
    }

    /** Compares a run, or makes it the baseline. */
    Outcome check(Measurement run) {
        if (baseline.isPresent()) {
            Comparison comparison = baseline.get().compare(run, tolerance);
            return new Outcome(ComparisonEntry.of(comparison, gating), Optional.of(comparison), Optional.empty());
        }
        try {
            Baseline stored = new Baseline(name, Clock.systemUTC().instant(), run);
            store.write(stored);
            return new Outcome(ComparisonEntry.storedByThisRun(stored, tolerance), Optional.empty(), Optional.empty());
        } catch (IllegalArgumentException e) {
            return notStored(new MeasurementException(e.getMessage(), e));
        } catch (UncheckedIOException e) {
            return notStored(new MeasurementException(
                    IoFault.unwritable(e, "name another folder with latencybudget.baselines"), e));
        }
    }

    private Outcome notStored(MeasurementException problem) {
        return new Outcome(
                ComparisonEntry.notStored(name, tolerance, problem.getMessage()),
                Optional.empty(),
                Optional.of(problem));
    }
}
