package io.github.latencybudget.junit;

import io.github.latencybudget.record.GateId;
import io.github.latencybudget.trace.OneLine;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.platform.engine.ConfigurationParameters;
import org.junit.platform.engine.DiscoveryFilter;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.EngineDiscoveryRequest;
import org.junit.platform.engine.Filter;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.LauncherDiscoveryListener;
import org.junit.platform.launcher.LauncherDiscoveryRequest;

/**
 * Refuses to start where something is selected that the engine of policies runs, and that engine is filtered out, or where a choice
 * of tags leaves out a policy whose tags cannot be read: a green build would show nothing. Found by the JUnit Platform by itself.
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class FilteredEngine implements LauncherDiscoveryListener {

    /** Made by the JUnit Platform. */
    public FilteredEngine() {}

    @Override
    public void launcherDiscoveryStarted(LauncherDiscoveryRequest request) {
        PolicyTestEngine engine = new PolicyTestEngine();
        boolean isFilteredOut = request.getEngineFilters().stream()
                .anyMatch(f -> f.apply(engine).excluded());
        if (!isFilteredOut && request.getPostDiscoveryFilters().isEmpty()) {
            return;
        }
        Filter<TestDescriptor> chosen = Filter.composeFilters(request.getPostDiscoveryFilters());
        engine.discover(new Quiet(request), UniqueId.forEngine(engine.getId())).getDescendants().stream()
                .filter(TestDescriptor::isTest)
                .filter(test -> chosen.apply(test).included() ? isFilteredOut : isUnreadablePolicy(test))
                .findFirst()
                .ifPresent(test -> {
                    ExtensionConfigurationException refusal = refusal(test, isFilteredOut);
                    report(test, refusal, Settings.of(request.getConfigurationParameters()));
                    throw refusal;
                });
    }

    private static boolean isUnreadablePolicy(TestDescriptor test) {
        return test instanceof RefusedDescriptor refused && !refused.isOfClass();
    }

    private static ExtensionConfigurationException refusal(TestDescriptor test, boolean isFilteredOut) {
        if (test instanceof RefusedDescriptor refused && (refused.isOfClass() || !isFilteredOut)) {
            return refused.exception();
        }
        return new ExtensionConfigurationException(String.format(
                Locale.ROOT,
                "%1$spolicy %2$s would not run, because this build filters out the test engine `%3$s`. Add `%3$s` to the included engines (Surefire: includeJUnit5Engines; Gradle: useJUnitPlatform { includeEngines }), remove it from the excluded ones, or leave the policy out of this run",
                anchor(test).map(type -> "@LatencyPolicies on " + type + ": ").orElse(""),
                location(test),
                PolicyTestEngine.ID));
    }

    private static String location(TestDescriptor test) {
        return test.getUniqueId().getSegments().get(1).getValue();
    }

    /** No plan starts, so nothing else would take the place of an older run's page. */
    private static void report(TestDescriptor test, ExtensionConfigurationException refusal, Settings settings) {
        try {
            settings.records()
                    .refuse(new GateId(location(test), "policy"), location(test), OneLine.of(refusal.getMessage()));
            new PacedReport(System::nanoTime).write(settings);
        } catch (RuntimeException e) {
            refusal.addSuppressed(e);
        }
    }

    /** {@return the class that stands for the policy of a test; empty where the policy is selected by itself} */
    private static Optional<String> anchor(TestDescriptor test) {
        return Stream.iterate(Optional.of(test), Optional::isPresent, t -> t.flatMap(TestDescriptor::getParent))
                .flatMap(t -> t.flatMap(TestDescriptor::getSource).stream())
                .flatMap(source -> source instanceof ClassSource of ? Stream.of(of.getClassName()) : Stream.empty())
                .findFirst();
    }

    /** Tells a listener of a run nothing about an engine that has no part in it. */
    private record Quiet(LauncherDiscoveryRequest request) implements EngineDiscoveryRequest {

        @Override
        public <T extends DiscoverySelector> List<T> getSelectorsByType(Class<T> type) {
            return request.getSelectorsByType(type);
        }

        @Override
        public <T extends DiscoveryFilter<?>> List<T> getFiltersByType(Class<T> type) {
            return request.getFiltersByType(type);
        }

        @Override
        public ConfigurationParameters getConfigurationParameters() {
            return request.getConfigurationParameters();
        }
    }
}
