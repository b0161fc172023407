package io.github.latencybudget.junit;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.Target;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.inference.TargetSpec;
import io.github.latencybudget.trace.IoFault;
import io.github.latencybudget.trace.OneLine;
import java.lang.reflect.InvocationTargetException;
import java.util.Locale;
import java.util.Optional;

/**
 * A target that was opened once for all the gates that use it, or the failure to do so, which is kept: what could not be loaded
 * for minutes is not loaded again for every gate.
 */
final class OpenedTarget implements AutoCloseable {

    private final Optional<TargetSession> session;
    private final Optional<MeasurementException> failure;
    private boolean isFailureTold;

    /** Which target: gates with equal keys share one session. */
    record Key(Class<? extends Target> type, TargetSpec spec) {}

    private OpenedTarget(Optional<TargetSession> session, Optional<MeasurementException> failure) {
        this.session = session;
        this.failure = failure;
    }

    /** {@return the target of a gate, opened by the first that needs it} */
    static OpenedTarget of(Settings settings, TargetAttributes target, SessionState session, Progress progress) {
        return session.getOrMake(
                new Key(settings.targetType(target), settings.target(target)),
                key -> open(key, progress),
                OpenedTarget.class);
    }

    private static OpenedTarget open(Key key, Progress progress) {
        try {
            return new OpenedTarget(Optional.of(create(key.type()).open(key.spec(), progress)), Optional.empty());
        } catch (MeasurementException e) {
            return new OpenedTarget(Optional.empty(), Optional.of(e));
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
            return new OpenedTarget(
                    Optional.empty(),
                    Optional.of(new MeasurementException(
                            String.format(
                                    Locale.ROOT,
                                    "the target %s could not be opened: %s%s",
                                    TargetSpec.withoutSecrets(key.spec().model()),
                                    e,
                                    IoFault.of(e)
                                            .map(fault -> IoFault.because(e, ""))
                                            .orElse("")),
                            e)));
        }
    }

    /**
     * {@return the open session}
     *
     * @throws MeasurementException the same one for every gate where opening it failed
     */
    synchronized TargetSession session() {
        if (failure.isPresent()) {
            String prefix = isFailureTold ? "failed before in this run, and was not tried again: " : "";
            isFailureTold = true;
            throw new MeasurementException(prefix + failure.get().getMessage(), failure.get());
        }
        return session.orElseThrow();
    }

    /** By now every gate is judged; what goes wrong here must not take the place of their results. */
    @Override
    public void close() {
        try {
            session.ifPresent(TargetSession::close);
        } catch (RuntimeException e) {
            Console.say("a target could not be closed: " + OneLine.of(String.valueOf(e.getMessage())));
        }
    }

    private static Target create(Class<? extends Target> type) {
        try {
            return type.getConstructor().newInstance();
        } catch (InvocationTargetException e) {
            throw new MeasurementException(
                    String.format(Locale.ROOT, "the constructor of %s failed", type.getName()), e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new MeasurementException(
                    String.format(
                            Locale.ROOT,
                            "%s cannot be made: a target is a public class with a public constructor without parameters",
                            type.getName()),
                    e);
        }
    }
}
