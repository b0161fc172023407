package io.github.latencybudget.junit;

import io.github.latencybudget.baseline.SideBySide;
import io.github.latencybudget.budget.Quantity;
import io.github.latencybudget.inference.Target;
import io.github.latencybudget.inference.TargetSpec;
import io.github.latencybudget.junit.BudgetReader.ScenarioAndBudget;
import io.github.latencybudget.load.Prompts;
import io.github.latencybudget.record.GateRecord.TestEnding;
import io.github.latencybudget.record.SideEntry;
import io.github.latencybudget.trace.SharedPrompts;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.opentest4j.TestAbortedException;

/** A gate on two targets, from its turn to its verdicts. */
final class ComparedGate {

    private final Gate gate;
    private final Function<GateSide, GateRun> runs;

    /** Both runs, of which each has yet to be judged. */
    record Measurements(String where, MeasuredGate local, MeasuredGate served) {

        ComparedRuns runs() {
            return new ComparedRuns(local.measurement(), served.measurement());
        }

        void judge(TestEnding ending, Failures failures) {
            judge(local, GateSide.LOCAL, ending, failures);
            judge(served, GateSide.SERVED, ending, failures);
            SideBySide both = runs().sideBySide(local.asked().budget().confidence());
            lines(both).forEach(line -> Console.say(where + ": " + line));
        }

        private static void judge(MeasuredGate run, GateSide side, TestEnding ending, Failures failures) {
            run.judge(ending, failures).failInto(failures, Optional.of(side.label()));
        }

        private static List<String> lines(SideBySide both) {
            return both.refusals().isEmpty()
                    ? both.ratios().stream()
                            .filter(r -> r.ratio().isPresent())
                            .map(r -> String.format(
                                    Locale.ROOT,
                                    "%s: local %s, served %s, %.2f times%s",
                                    r.name(),
                                    Quantity.of(r.metric(), r.first().value()),
                                    Quantity.of(r.metric(), r.second().value()),
                                    r.ratio().getAsDouble(),
                                    r.lower().isPresent() && r.upper().isPresent()
                                            ? String.format(
                                                    Locale.ROOT,
                                                    " (%.2f to %.2f)",
                                                    r.lower().getAsDouble(),
                                                    r.upper().getAsDouble())
                                            : ""))
                            .toList()
                    : both.refusals().stream()
                            .map(r -> "local and served have no factor between them: " + r)
                            .toList();
        }
    }

    /** @param runs makes the run of a side */
    ComparedGate(Gate gate, Function<GateSide, GateRun> runs) {
        this.gate = gate;
        this.runs = runs;
    }

    /** Whole runs, one after the other: a block of the one between two of the other would find its device cold, and its load gone. */
    Measurements measure() {
        MeasuredGate local = runs.apply(GateSide.LOCAL).measureAlone();
        try {
            return new Measurements(
                    gate.where(), local, runs.apply(GateSide.SERVED).measureAlone());
        } catch (RuntimeException | Error e) {
            // It was measured, and stays so whatever became of the other.
            Failures failures = new Failures();
            Measurements.judge(local, GateSide.LOCAL, Failures.ending(e), failures);
            if (e instanceof TestAbortedException) {
                failures.raise();
            }
            throw e;
        }
    }

    /** {@return what a side has in common with the other; empty for a gate on one target} */
    static Optional<Beside> beside(Gate gate, GateSide side, Settings settings, SessionState session) {
        return gate.compared()
                .map(annotation -> new Beside(
                        new SideEntry(
                                gate.id().toString(),
                                side.label(),
                                side == GateSide.LOCAL ? 0 : 1,
                                annotation.prompts(),
                                true),
                        side == GateSide.LOCAL && annotation.prompts() == SharedPrompts.TEXTS
                                ? Optional.of(progress -> OpenedTarget.of(
                                                settings.served(), gate.attributes(GateSide.SERVED), session, progress)
                                        .session())
                                : Optional.empty()));
    }

    /** @throws org.junit.jupiter.api.extension.ExtensionConfigurationException for prompts of a file, and for a sweep */
    static void requireOneLoad(Gate gate, ScenarioAndBudget asked) {
        AttributeCheck check = new AttributeCheck(LocalAgainstServed.class, gate.where());
        check.require(
                !(asked.scenario().prompts() instanceof Prompts.FromFile),
                "prompts of a file have lengths of their own, so no factor could be given; name prompt lengths, and leave the file to a test of its own");
        check.require(
                asked.sweep().isEmpty(),
                "a sweep has several loads, and a factor is of one; name one load, and leave the sweep to a test of its own");
    }

    /** @throws org.junit.jupiter.api.extension.ExtensionConfigurationException for two targets that are not a local and a served one */
    static void check(Gate gate, Settings settings) {
        LocalAgainstServed annotation = gate.compared().orElseThrow();
        AttributeCheck check = new AttributeCheck(LocalAgainstServed.class, gate.where());
        TargetAttributes local = gate.attributes(GateSide.LOCAL);
        TargetAttributes served = gate.attributes(GateSide.SERVED);
        Settings ofServed = settings.served();
        check.require(
                settings.server(local).isEmpty(),
                "local",
                TargetSpec.withoutSecrets(settings.target(local).model()),
                "it is the target in this process; name a folder or synthetic: and a shape");
        check.require(
                isOfOwn(served) || ofServed.server(served).isPresent(),
                "served",
                served.model().isBlank()
                        ? ""
                        : TargetSpec.withoutSecrets(ofServed.target(served).model()),
                "it is the target behind an endpoint; name it as @InferenceTarget(\"openai:...\"), or by latencybudget.served.model");
        check.require(
                settings.target(local).seed() == ofServed.target(served).seed(),
                "served",
                "@InferenceTarget(seed = \"" + annotation.served().seed() + "\")",
                "both targets have one load, and its prompts and draws follow from the seed: name it once, by latencybudget.seed, or make them equal");
        check.require(
                gate.baseline().isEmpty(),
                "a gate with @ComparedWithBaseline has one run, and this has two; put the baseline on a test of its own");
    }

    /** A target of the user's own need not know its server. */
    private static boolean isOfOwn(TargetAttributes served) {
        return served.type() != Target.class;
    }
}
