package io.github.latencybudget.junit;

import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apiguardian.api.API;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;

/**
 * Keeps the names of all that a run is configured by for its gates: Jupiter gives an extension values and no names. Found by the
 * JUnit Platform by itself.
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class ParameterNames implements LauncherSessionListener {

    /** Those of the plan that a session runs. A test may set a property, so they are asked for anew each time. */
    private static final class OfPlan implements TestExecutionListener {

        private volatile Supplier<Set<String>> names =
                () -> System.getProperties().stringPropertyNames();

        @Override
        public void testPlanExecutionStarted(TestPlan testPlan) {
            names = testPlan.getConfigurationParameters()::keySet;
        }
    }

    /** Made by the JUnit Platform. */
    public ParameterNames() {}

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        if (JUnitVersion.isTooOld()) {
            return;
        }
        session.getLauncher().registerTestExecutionListeners(in(SessionState.of(session.getStore())));
    }

    /** {@return the names, in order; those of system properties alone where no launcher runs the tests} */
    static Set<String> of(SessionState session) {
        return new TreeSet<>(in(session).names.get());
    }

    private static OfPlan in(SessionState session) {
        return session.getOrMake(ParameterNames.class, key -> new OfPlan(), OfPlan.class);
    }
}
