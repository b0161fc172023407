package io.github.latencybudget.junit;

import io.github.latencybudget.policy.Policy;
import java.util.List;
import java.util.Optional;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.AbstractTestDescriptor;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.hierarchical.Node;

/** A policy, or the test that fails with what is wrong with it. */
final class PolicyDescriptor extends AbstractTestDescriptor implements Node<PolicyContext>, PolicyResolver.Expandable {

    static final String SEGMENT = "policy";

    private final Optional<Policy> policy;
    private final Optional<String> problem;
    private final String location;

    private PolicyDescriptor(
            UniqueId id,
            String name,
            TestSource source,
            String location,
            Optional<Policy> policy,
            Optional<String> problem) {
        super(id, name, source);
        this.location = location;
        this.policy = policy;
        this.problem = problem;
    }

    static PolicyDescriptor of(UniqueId id, PolicySelector selector, Policy policy) {
        return new PolicyDescriptor(
                id, policy.name(), source(selector), selector.location(), Optional.of(policy), Optional.empty());
    }

    static PolicyDescriptor broken(UniqueId id, PolicySelector selector, String problem) {
        return new PolicyDescriptor(
                id, selector.location(), source(selector), selector.location(), Optional.empty(), Optional.of(problem));
    }

    /** Surefire keeps a class only where something in the plan comes from it. */
    private static TestSource source(PolicySelector selector) {
        return selector.anchor()
                .<TestSource>map(ClassSource::from)
                .orElseGet(() -> Sources.of(selector.location(), 1, 1));
    }

    /** {@return what is wrong with it; empty where it can be read} */
    Optional<String> problem() {
        return problem;
    }

    @Override
    public Type getType() {
        return Type.CONTAINER;
    }

    @Override
    public List<UniqueId> children() {
        return policy.map(p -> p.targets().stream()
                        .map(t -> getUniqueId().append(TargetDescriptor.SEGMENT, t.name()))
                        .toList())
                .orElseGet(() -> List.of(getUniqueId().append(RefusedDescriptor.OF_POLICY, RefusedDescriptor.POLICY)));
    }

    @Override
    public Optional<TestDescriptor> make(UniqueId.Segment segment) {
        UniqueId id = getUniqueId().append(segment);
        if (!children().contains(id)) {
            return Optional.empty();
        }
        return policy.isEmpty()
                ? Optional.of(RefusedDescriptor.ofPolicy(id, getSource().orElseThrow(), problem.orElseThrow()))
                : policy.get().targets().stream()
                        .filter(t -> t.name().equals(segment.getValue()))
                        .map(t -> (TestDescriptor) new TargetDescriptor(id, location, policy.get(), t))
                        .findFirst();
    }
}
