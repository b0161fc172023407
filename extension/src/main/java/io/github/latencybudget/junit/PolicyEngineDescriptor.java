package io.github.latencybudget.junit;

import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.EngineDescriptor;
import org.junit.platform.engine.support.hierarchical.Node;

/** The root of all policies of a run. */
final class PolicyEngineDescriptor extends EngineDescriptor implements Node<PolicyContext> {

    PolicyEngineDescriptor(UniqueId uniqueId) {
        super(uniqueId, "Latency Budget");
    }
}
