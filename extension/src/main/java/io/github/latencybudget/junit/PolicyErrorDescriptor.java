package io.github.latencybudget.junit;

import io.github.latencybudget.record.GateId;
import io.github.latencybudget.trace.Visible;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.AbstractTestDescriptor;
import org.junit.platform.engine.support.hierarchical.Node;

/** Fails with what is wrong with a policy: one that is not run must not look like one that passes. */
final class PolicyErrorDescriptor extends AbstractTestDescriptor implements Node<PolicyContext> {

    static final String SEGMENT = "error";
    static final String NAME = "policy";

    private final String problem;

    PolicyErrorDescriptor(UniqueId id, TestSource source, String problem) {
        super(id, "the policy can be read", source);
        this.problem = problem;
    }

    /** {@return the row of a report that a test with this id is; empty for any other test} */
    static Optional<GateId> gate(UniqueId id) {
        List<UniqueId.Segment> segments = id.getSegments();
        boolean isError = id.getEngineId().filter(PolicyTestEngine.ID::equals).isPresent()
                && id.getLastSegment().getType().equals(SEGMENT)
                && segments.size() >= 2;
        return isError
                ? Optional.of(new GateId(segments.get(segments.size() - 2).getValue(), NAME))
                : Optional.empty();
    }

    @Override
    public Type getType() {
        return Type.TEST;
    }

    @Override
    public PolicyContext execute(PolicyContext context, DynamicTestExecutor executor) {
        throw new ExtensionConfigurationException(Visible.text(problem));
    }
}
