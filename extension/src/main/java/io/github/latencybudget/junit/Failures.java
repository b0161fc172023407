package io.github.latencybudget.junit;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.record.GateRecord.TestEnding;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.opentest4j.TestAbortedException;

/** What keeps a gate from passing: the first assertion is thrown, else the first that broke, and the others stand beside it. */
final class Failures {

    private final List<Throwable> assertions = new ArrayList<>();
    private final List<Throwable> broken = new ArrayList<>();

    /** {@return how a test ended that has thrown this} */
    static TestEnding ending(Throwable thrown) {
        return new TestEnding(
                thrown instanceof TestAbortedException ? TestEnding.Status.ABORTED : TestEnding.Status.FAILED,
                thrown.getClass().getName());
    }

    void assertion(Runnable assertion) {
        try {
            assertion.run();
        } catch (AssertionError e) {
            assertions.add(e);
        }
    }

    void broken(MeasurementException e) {
        broken.add(e);
    }

    /** {@return the first of them with the others beside it; empty where there is none} */
    Optional<Throwable> first() {
        List<Throwable> all = new ArrayList<>(assertions);
        all.addAll(broken);
        all.stream().skip(1).forEach(other -> all.get(0).addSuppressed(other));
        return all.stream().findFirst();
    }

    /** Throws the first of them, so that no assumption of the test's body hides a rule that does not hold. */
    void raise() {
        first().ifPresent(first -> {
            if (first instanceof Error e) {
                throw e;
            }
            throw (MeasurementException) first;
        });
    }
}
