package io.github.latencybudget.junit;

import io.github.latencybudget.policy.Policy;
import io.github.latencybudget.trace.Visible;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
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
    private final List<MissingGates.Missing> missing;
    private final String location;

    private PolicyDescriptor(
            UniqueId id,
            String name,
            TestSource source,
            String location,
            Optional<Policy> policy,
            Optional<String> problem,
            List<MissingGates.Missing> missing) {
        super(id, Visible.line(name), source);
        this.location = location;
        this.policy = policy;
        this.problem = problem;
        this.missing = missing;
    }

    /** @param missing what is gone from it */
    static PolicyDescriptor of(
            UniqueId id, PolicySelector selector, Policy policy, List<MissingGates.Missing> missing) {
        return new PolicyDescriptor(
                id,
                policy.name(),
                source(selector),
                selector.location(),
                Optional.of(policy),
                Optional.empty(),
                missing);
    }

    static PolicyDescriptor broken(UniqueId id, PolicySelector selector, String problem) {
        return new PolicyDescriptor(
                id,
                selector.location(),
                source(selector),
                selector.location(),
                Optional.empty(),
                Optional.of(problem),
                List.of());
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
        return policy.map(p -> Stream.concat(
                                p.targets().stream().map(t -> getUniqueId().append(TargetDescriptor.SEGMENT, t.name())),
                                missing.stream().map(m -> m.id(getUniqueId())))
                        .toList())
                .orElseGet(() -> List.of(getUniqueId().append(RefusedDescriptor.OF_POLICY, RefusedDescriptor.POLICY)));
    }

    @Override
    public Optional<TestDescriptor> make(UniqueId.Segment segment) {
        UniqueId id = getUniqueId().append(segment);
        if (!children().contains(id)) {
            return Optional.empty();
        }
        TestSource source = getSource().orElseThrow();
        return switch (segment.getType()) {
            case RefusedDescriptor.OF_POLICY ->
                Optional.of(RefusedDescriptor.ofPolicy(id, source, problem.orElseThrow()));
            case RefusedDescriptor.MISSING ->
                missing.stream()
                        .filter(m -> m.name().equals(segment.getValue()))
                        .map(m -> (TestDescriptor) RefusedDescriptor.ofMissing(id, source, m))
                        .findFirst();
            default ->
                policy.orElseThrow().targets().stream()
                        .filter(t -> t.name().equals(segment.getValue()))
                        .map(t -> (TestDescriptor) new TargetDescriptor(id, location, policy.get(), t))
                        .findFirst();
        };
    }
}
