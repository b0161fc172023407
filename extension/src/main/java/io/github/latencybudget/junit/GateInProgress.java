package io.github.latencybudget.junit;

import io.github.latencybudget.load.LoadDriver;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.OneLine;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A gate from its start until it is judged or broke, with what it has measured by now. */
final class GateInProgress {

    private static final int MOST_CHARACTERS = 500;

    private final String where;
    private final RecordStore.Attempt attempt;
    private final Consumer<GateInProgress> ended;
    private @Nullable LoadDriver driver;

    /**
     * @param where its name in the log
     * @param ended told once it is no longer in progress
     */
    GateInProgress(String where, RecordStore.Attempt attempt, Consumer<GateInProgress> ended) {
        this.where = where;
        this.attempt = attempt;
        this.ended = ended;
    }

    RecordStore.Attempt attempt() {
        return attempt;
    }

    /** {@return the measurement of a driver, whose requests belong to the gate from their ends on} */
    Measurement measure(LoadDriver by) {
        synchronized (this) {
            driver = by;
        }
        return by.run();
    }

    /** Writes what was measured as a whole, in place of what a driver has measured by now. */
    synchronized void keep(Consumer<RecordStore.Attempt> write) {
        driver = null;
        write.accept(attempt);
    }

    /** Writes that a signal stopped it, unless it has ended. */
    synchronized void interrupt() {
        soFar().ifPresentOrElse(attempt::interrupted, attempt::interrupted);
    }

    /** Writes that it broke, with what was measured until then. */
    synchronized void broken(String message) {
        soFar().ifPresentOrElse(measured -> attempt.broken(message, measured), () -> attempt.broken(message));
    }

    /** From here on a signal leaves it as it is. */
    void end() {
        ended.accept(this);
    }

    private Optional<Measurement> soFar() {
        try {
            return Optional.ofNullable(driver).flatMap(LoadDriver::soFar);
        } catch (RuntimeException | Error e) {
            // How the gate ended is recorded in any case.
            Console.say(where + ": what was measured before its end is lost: " + OneLine.of(e, MOST_CHARACTERS));
            return Optional.empty();
        }
    }

    @Override
    public String toString() {
        return where + " (" + attempt.path() + ")";
    }
}
