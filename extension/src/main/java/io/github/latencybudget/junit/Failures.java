package io.github.latencybudget.junit;

import io.github.latencybudget.record.GateRecord.TestEnding;
import io.github.latencybudget.target.MeasurementException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What keeps a gate from passing: the first assertion is thrown, else the first that broke, and the others stand beside it. */
final class Failures {

    private final List<Throwable> assertions = new ArrayList<>();
    private final List<Throwable> broken = new ArrayList<>();

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

    /** @param thrown what the test's body has thrown */
    void raise(TestEnding ending, Optional<Throwable> thrown) {
        List<Throwable> all = new ArrayList<>(assertions);
        all.addAll(broken);
        if (all.isEmpty()) {
            return;
        }
        Throwable first = all.get(0);
        all.subList(1, all.size()).forEach(first::addSuppressed);
        // JUnit would let this failure take the place of the assumption, which is the test's own say.
        if (!assertions.isEmpty() && ending.status() == TestEnding.Status.ABORTED) {
            thrown.orElseThrow().addSuppressed(first);
        } else if (first instanceof Error e) {
            throw e;
        } else {
            throw (MeasurementException) first;
        }
    }
}
