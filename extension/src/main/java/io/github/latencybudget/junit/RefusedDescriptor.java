package io.github.latencybudget.junit;

import java.util.Set;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.TestTag;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.AbstractTestDescriptor;
import org.junit.platform.engine.support.hierarchical.Node;

/** Fails with what is wrong with a policy or an annotation: one that measures nothing must not look like one that passes. */
final class RefusedDescriptor extends AbstractTestDescriptor implements Node<PolicyContext> {

    /** The type of the last segment, below a policy. */
    static final String OF_POLICY = "error";

    /** The value of that segment. */
    static final String POLICY = "policy";

    /** The type of the last segment, below a class; its value is the method's name. */
    static final String MISPLACED = "misplaced";

    /** The type of the last segment, below a class; its value says what is gone from it. */
    static final String MISSING = "missing";

    private final Set<TestTag> tags;
    private final String problem;

    private RefusedDescriptor(UniqueId id, String name, TestSource source, Set<TestTag> tags, String problem) {
        super(id, name, source);
        this.tags = tags;
        this.problem = problem;
    }

    static RefusedDescriptor ofPolicy(UniqueId id, TestSource source, String problem) {
        return new RefusedDescriptor(id, "the policy can be read", source, Set.of(), problem);
    }

    static RefusedDescriptor ofMissing(UniqueId id, TestSource source, MissingGates.Missing missing) {
        return new RefusedDescriptor(
                id, missing.name() + " is there, as expected", source, Set.of(), missing.problem());
    }

    static RefusedDescriptor of(UniqueId id, Misplaced misplaced) {
        return new RefusedDescriptor(id, misplaced.name(), misplaced.source(), misplaced.tags(), misplaced.message());
    }

    @Override
    public Type getType() {
        return Type.TEST;
    }

    @Override
    public Set<TestTag> getTags() {
        return tags;
    }

    boolean isOfClass() {
        return !getUniqueId().getLastSegment().getType().equals(OF_POLICY);
    }

    ExtensionConfigurationException exception() {
        return new ExtensionConfigurationException(problem);
    }

    @Override
    public PolicyContext execute(PolicyContext context, DynamicTestExecutor executor) {
        throw exception();
    }
}
