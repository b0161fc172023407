package io.github.latencybudget.junit;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.Confidence;
import io.github.latencybudget.device.DeviceLock;
import io.github.latencybudget.device.DeviceLockException;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.TargetDescription;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.junit.BudgetReader.ScenarioAndBudget;
import io.github.latencybudget.load.LoadDriver;
import io.github.latencybudget.record.GateId;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.trace.IoFault;
import io.github.latencybudget.trace.OneLine;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.opentest4j.TestAbortedException;

/**
 * One gate from its turn to its verdict, whichever engine runs it: alone on its device it is recorded as started, its target is
 * opened, it is measured; then it is judged.
 *
 * @param id which gate
 * @param displayName its name for people
 * @param where the same in the log
 * @param target what it is measured on
 * @param limit how long its measurement may take
 * @param asked what to run and what has to hold; fails where the configuration is wrong
 * @param comparison the check of the run against its baseline, for a confidence; empty where it is compared with none
 * @param beside which of several targets it is about; empty for a gate by itself
 * @param budgetOn what has to hold on a device by its name; empty where that is the same on all that it is applicable to
 */
record GateRun(
        GateId id,
        String displayName,
        String where,
        TargetAttributes target,
        TimeLimit limit,
        Supplier<ScenarioAndBudget> asked,
        Function<Confidence, Optional<BaselineCheck>> comparison,
        Optional<Beside> beside,
        Optional<Function<String, Budget>> budgetOn,
        Settings settings,
        SessionState session) {

    /** Of an error in a record: no more than a page. */
    private static final int MOST_CHARACTERS = 4000;

    /** What a gate needs to know before it waits for its device. */
    private record Configured(ScenarioAndBudget asked, Optional<BaselineCheck> check, String device, DeviceLock lock) {}

    MeasuredGate measureAlone() {
        Configured configured = configured();
        try {
            return configured.lock().whileAloneOn(configured.device(), waitedNanos -> measure(configured, waitedNanos));
        } catch (InterruptedException e) {
            MeasurementException failure = new MeasurementException(
                    String.format(
                            Locale.ROOT,
                            "interrupted while another measurement used %s: run the gate again",
                            configured.device()),
                    e);
            keepBroken(failure);
            // Not before the record is written, which an interrupt would break off.
            Thread.currentThread().interrupt();
            throw failure;
        } catch (DeviceLockException e) {
            MeasurementException failure = new MeasurementException(e.getMessage(), e);
            keepBroken(failure);
            throw failure;
        } catch (UncheckedIOException e) {
            throw new MeasurementException(unwritable(e), e);
        }
    }

    /** Before its turn, so that what is written wrongly fails at once. */
    private Configured configured() {
        try {
            settings.refuseWrong();
            settings.targetType(target);
            ScenarioAndBudget asked = this.asked.get();
            return new Configured(
                    asked,
                    comparison.apply(asked.budget().confidence()),
                    settings.measuredAlone(target),
                    DeviceLocks.of(settings, where));
        } catch (ExtensionConfigurationException e) {
            keep(() -> settings.records().refuse(id, displayName, OneLine.of(e, MOST_CHARACTERS)))
                    .ifPresent(e::addSuppressed);
            throw e;
        } catch (RuntimeException | Error e) {
            keepBroken(e);
            throw e;
        }
    }

    private void keepBroken(Throwable failure) {
        keep(() -> started(0).broken(OneLine.of(failure, MOST_CHARACTERS))).ifPresent(failure::addSuppressed);
    }

    private RecordStore.Attempt started(long waitedNanos) {
        RecordStore.Attempt attempt = settings.records().start(id, displayName, waitedNanos);
        beside.ifPresent(b -> attempt.beside(b.entry()));
        return attempt;
    }

    private static String unwritable(UncheckedIOException e) {
        return IoFault.unwritable(e, "name another folder with latencybudget.output");
    }

    /** All of it alone: to open a target or to write a report disturbs whoever measures, and a gate that waits has not started. */
    private MeasuredGate measure(Configured configured, long waitedNanos) {
        GatesInProgress inProgress = GatesInProgress.of(session);
        GateInProgress gate = inProgress.start(where, settings, () -> started(waitedNanos));
        ScenarioAndBudget asked = configured.asked();
        Optional<BaselineCheck> check = configured.check();
        try {
            // Written now, so that the report of a run that is killed shows the gate as not finished.
            inProgress.writeReportInPassing(settings);
            try (ConsoleProgress progress =
                    new ConsoleProgress(System.out, where, TerminalLine.find(settings.progress()), System::nanoTime)) {
                TargetSession opened = opened(progress).session();
                TargetSession target = beside.map(b -> b.on(opened, progress)).orElse(opened);
                requireDevice(asked.device(), target, gate.attempt());
                ScenarioAndBudget here = on(target, asked);
                // A comparison is of a number of requests that was set before, so nothing ends its run early.
                boolean isCompared = check.isPresent()
                        || beside.filter(b -> b.entry().requestsSetBefore()).isPresent();
                SweepRun.Measuring measure = (s, firstPrompt) -> gate.measure(new LoadDriver(
                        target, s, progress, Optional.of(here.budget()), isCompared, settings.guards(), firstPrompt));
                if (here.sweep().isPresent()) {
                    return swept(here, target, measure, gate);
                }
                return new MeasuredGate(
                        where,
                        here,
                        check,
                        within(
                                () -> measure.measure(here.scenario(), 0),
                                measured -> gate.keep(attempt -> attempt.measured(measured))),
                        gate,
                        Optional.empty());
            }
        } catch (TestAbortedException e) {
            gate.end();
            throw e;
        } catch (ExtensionConfigurationException e) {
            keep(() -> gate.attempt().refused(OneLine.of(e, MOST_CHARACTERS))).ifPresent(e::addSuppressed);
            gate.end();
            throw e;
        } catch (RuntimeException | Error e) {
            keep(() -> gate.broken(OneLine.of(e, MOST_CHARACTERS))).ifPresent(e::addSuppressed);
            gate.end();
            throw e;
        }
    }

    private ScenarioAndBudget on(TargetSession target, ScenarioAndBudget asked) {
        return budgetOn.map(b -> new ScenarioAndBudget(
                        asked.scenario(), b.apply(target.description().device()), asked.device(), asked.sweep()))
                .orElse(asked);
    }

    /** What a target says without being asked is for the measurement to refuse. */
    private static void requireDevice(DeviceBinding binding, TargetSession session, RecordStore.Attempt attempt) {
        if (binding.isToAll()) {
            return;
        }
        TargetDescription target = session.description();
        if (target == null) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "the target does not describe itself, so it cannot be told whether limits for %s hold for it: correct its %s",
                    binding,
                    session.getClass().getName()));
        }
        binding.refusal(target.device()).ifPresent(reason -> {
            attempt.notApplicable(reason);
            throw new TestAbortedException("not applicable: " + reason);
        });
    }

    private MeasuredGate swept(
            ScenarioAndBudget here, TargetSession target, SweepRun.Measuring measure, GateInProgress gate) {
        here.sweep().orElseThrow().requireRoom(target);
        // Written after each step, for a later one may break, and the process may be killed.
        Consumer<SweepRun> write = soFar -> keep(() -> gate.keep(
                attempt -> attempt.swept(soFar.entry(), soFar.sweep().deciding().measurement(), here.budget())));
        SweepRun run = within(
                () -> SweepRun.of(here.sweep().orElseThrow(), here.scenario(), here.budget(), measure, write),
                whole -> {});
        return new MeasuredGate(
                where, here, Optional.empty(), run.sweep().deciding().measurement(), gate, Optional.of(run));
    }

    private <T> T within(Supplier<T> run, Consumer<T> write) {
        AtomicBoolean isOver = new AtomicBoolean();
        try {
            T measured = limit.within(isOver, run);
            // Where this cannot be written, it is tried again with the verdict.
            keep(() -> write.accept(measured));
            if (isOver.get()) {
                throw limit.over();
            }
            return measured;
        } catch (MeasurementException e) {
            throw isOver.get() ? limit.over() : e;
        }
    }

    /** {@return why something could not be written; empty where it was} */
    static Optional<MeasurementException> keep(Runnable write) {
        try {
            write.run();
            return Optional.empty();
        } catch (UncheckedIOException e) {
            return Optional.of(new MeasurementException(unwritable(e), e));
        }
    }

    private OpenedTarget opened(Progress progress) {
        return OpenedTarget.of(settings, target, session, progress);
    }
}
