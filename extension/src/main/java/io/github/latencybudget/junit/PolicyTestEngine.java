package io.github.latencybudget.junit;

import org.apiguardian.api.API;
import org.junit.platform.engine.EngineDiscoveryRequest;
import org.junit.platform.engine.ExecutionRequest;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.discovery.EngineDiscoveryRequestResolver;
import org.junit.platform.engine.support.hierarchical.HierarchicalTestEngine;

/**
 * Runs policies: a container per policy, a container per target in it, which is measured once, and a test per rule, which is judged
 * by itself. In classes that are selected it also finds annotations that measure nothing where they stand, and gates of the
 * manifest that are gone, each as a test that fails.
 * Found by the JUnit Platform by itself.
 *
 * <p>Unique ids have the location of the policy, the name of the target and the id of the rule, or the class and the method, so they
 * stay the same from run to run.
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class PolicyTestEngine extends HierarchicalTestEngine<PolicyContext> {

    /** The engine's id. */
    public static final String ID = "latency-budget";

    private static final EngineDiscoveryRequestResolver<PolicyEngineDescriptor> RESOLVER =
            EngineDiscoveryRequestResolver.<PolicyEngineDescriptor>builder()
                    .addSelectorResolver(context -> new PolicyLocator(
                            context.getEngineDescriptor().getUniqueId(),
                            context.getClassNameFilter(),
                            missing(context.getDiscoveryRequest())))
                    .addSelectorResolver(context -> new PolicyResolver(missing(context.getDiscoveryRequest())))
                    .build();

    private static MissingGates missing(EngineDiscoveryRequest request) {
        return new MissingGates(Settings.of(request.getConfigurationParameters()));
    }

    /** Made by the JUnit Platform. */
    public PolicyTestEngine() {}

    @Override
    public String getId() {
        return ID;
    }

    @Override
    public TestDescriptor discover(EngineDiscoveryRequest request, UniqueId uniqueId) {
        PolicyEngineDescriptor engine = new PolicyEngineDescriptor(uniqueId);
        RESOLVER.resolve(request, engine);
        return engine;
    }

    @Override
    protected PolicyContext createExecutionContext(ExecutionRequest request) {
        return new PolicyContext(
                Settings.of(request.getConfigurationParameters()),
                JUnitVersion.isTooOld() ? SessionState.none() : SessionState.of(request.getStore()));
    }
}
