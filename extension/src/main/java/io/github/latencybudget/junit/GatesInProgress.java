package io.github.latencybudget.junit;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.record.RecordStore;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The gates of a launcher session that have started and not ended. Where a signal stops the JVM, such as SIGTERM or Ctrl-C, each
 * record gets what was measured until then.
 */
final class GatesInProgress implements AutoCloseable {

    /** Together they are shorter than what a container or a CI job is given between its SIGTERM and its SIGKILL. */
    private static final Duration TO_WRITE_RECORDS = Duration.ofSeconds(5);

    private static final Duration TO_WRITE_REPORT = Duration.ofSeconds(2);

    private final Set<GateInProgress> gates = new HashSet<>();
    private final Thread hook = new Thread(this::interruptAll, "latency-budget interrupted");
    private final PacedReport report;
    private Optional<Settings> settings = Optional.empty();
    private boolean isStopping;

    private GatesInProgress(PacedReport report) {
        this.report = report;
    }

    /** {@return those of a session, of which the JVM is told at the first} */
    static GatesInProgress of(SessionState session) {
        PacedReport report =
                session.getOrMake(PacedReport.class, k -> new PacedReport(System::nanoTime), PacedReport.class);
        return session.getOrMake(GatesInProgress.class, k -> register(report), GatesInProgress.class);
    }

    private static GatesInProgress register(PacedReport report) {
        GatesInProgress gates = new GatesInProgress(report);
        try {
            Runtime.getRuntime().addShutdownHook(gates.hook);
        } catch (IllegalStateException e) {
            gates.isStopping = true;
        }
        return gates;
    }

    /**
     * Starts a gate.
     *
     * @param start writes that it has started
     * @throws MeasurementException where the JVM is stopping
     */
    GateInProgress start(String where, Settings settings, Supplier<RecordStore.Attempt> start) {
        synchronized (this) {
            if (!isStopping) {
                GateInProgress gate = new GateInProgress(where, start.get(), this::remove);
                gates.add(gate);
                this.settings = Optional.of(settings);
                return gate;
            }
        }
        // The JVM ends before that, with the gate planned and not run. To fail it now would be recorded as its error.
        await(hook, TO_WRITE_RECORDS.plus(TO_WRITE_REPORT));
        throw new MeasurementException("the gate has not started because its process is stopping: run it again");
    }

    private synchronized void remove(GateInProgress gate) {
        gates.remove(gate);
    }

    void writeReportInPassing(Settings settings) {
        report.writeInPassing(settings);
    }

    private void interruptAll() {
        // By others, for a file system or a console may hang as well.
        await(start(this::interruptRecords), TO_WRITE_RECORDS);
        await(start(this::writeReport), TO_WRITE_REPORT);
    }

    private void interruptRecords() {
        List<Thread> writing = stop().stream()
                .map(gate -> start(() -> {
                    gate.interrupt();
                    Console.say("stopped by a signal: " + gate);
                }))
                .toList();
        writing.forEach(thread -> await(thread, TO_WRITE_RECORDS));
    }

    private synchronized List<GateInProgress> stop() {
        isStopping = true;
        return List.copyOf(gates);
    }

    private void writeReport() {
        settings().ifPresent(report::write);
    }

    private synchronized Optional<Settings> settings() {
        return settings;
    }

    private static Thread start(Runnable work) {
        Thread thread = new Thread(work, "latency-budget interrupted");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void await(Thread thread, Duration most) {
        try {
            thread.join(most.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A JVM may have many sessions, one after the other. */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // It is stopping.
        }
    }
}
