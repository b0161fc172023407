package io.github.latencybudget.junit;

import io.github.latencybudget.policy.Policy;
import io.github.latencybudget.policy.PolicyException;
import io.github.latencybudget.policy.PolicySource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.discovery.UniqueIdSelector;
import org.junit.platform.engine.support.discovery.SelectorResolver;

/**
 * Makes the descriptors of policies, targets and rules. What is wrong with a policy, or with where an annotation stands, becomes a
 * test that fails with it.
 */
final class PolicyResolver implements SelectorResolver {

    private final MissingGates missing;

    PolicyResolver(MissingGates missing) {
        this.missing = missing;
    }

    @Override
    public Resolution resolve(DiscoverySelector selector, Context context) {
        return selector instanceof PolicySelector policy ? policy(policy, context) : Resolution.unresolved();
    }

    @Override
    public Resolution resolve(UniqueIdSelector selector, Context context) {
        UniqueId.Segment last = selector.getUniqueId().getLastSegment();
        UniqueId parent = selector.getUniqueId().removeLastSegment();
        return switch (last.getType()) {
            case PolicyDescriptor.SEGMENT -> policy(selector(last.getValue()), context);
            case MisplacedDescriptor.SEGMENT ->
                match(context.addToParent(engine -> MisplacedDescriptor.of(engine.getUniqueId(), last.getValue())));
            case MissingDescriptor.SEGMENT ->
                match(context.addToParent(
                        engine -> MissingDescriptor.of(engine.getUniqueId(), last.getValue(), missing)));
            case TargetDescriptor.SEGMENT,
                    RuleDescriptor.SEGMENT,
                    RefusedDescriptor.OF_POLICY,
                    RefusedDescriptor.MISPLACED,
                    RefusedDescriptor.MISSING ->
                match(context.addToParent(() -> DiscoverySelectors.selectUniqueId(parent), p -> child(p, last)));
            default -> Resolution.unresolved();
        };
    }

    private static PolicySelector selector(String location) {
        return new PolicySelector(PolicySource.find(location, PolicyLocator.loader()), location, Optional.empty());
    }

    private Resolution policy(PolicySelector selector, Context context) {
        return match(
                context.addToParent(parent -> Optional.of(descriptor(parent.getUniqueId(), selector, missing::in))));
    }

    /** {@return what is wrong with a policy; empty where it can be read} */
    static Optional<String> problem(String location) {
        return descriptor(UniqueId.forEngine(PolicyTestEngine.ID), selector(location), (policy, of) -> List.of())
                .problem();
    }

    private static PolicyDescriptor descriptor(
            UniqueId parent, PolicySelector selector, BiFunction<Policy, String, List<MissingGates.Missing>> missing) {
        UniqueId id = parent.append(PolicyDescriptor.SEGMENT, selector.location());
        if (selector.source().isEmpty()) {
            return PolicyDescriptor.broken(
                    id,
                    selector,
                    String.format(
                            Locale.ROOT,
                            "there is no policy %s: put it there, or name one that there is",
                            selector.location()));
        }
        try {
            PolicySource source = selector.source().get();
            source.requireOne(PolicyLocator.loader());
            Policy policy = Policy.read(source);
            return PolicyDescriptor.of(id, selector, policy, missing.apply(policy, selector.location()));
        } catch (PolicyException e) {
            return PolicyDescriptor.broken(id, selector, e.getMessage());
        }
    }

    private static Optional<TestDescriptor> child(TestDescriptor parent, UniqueId.Segment segment) {
        return parent instanceof Expandable expandable ? expandable.make(segment) : Optional.empty();
    }

    private static Resolution match(Optional<? extends TestDescriptor> descriptor) {
        return descriptor
                .map(d -> Resolution.match(Match.exact(d, () -> inside(d))))
                .orElseGet(Resolution::unresolved);
    }

    private static Set<? extends DiscoverySelector> inside(TestDescriptor descriptor) {
        List<UniqueId> children = descriptor instanceof Expandable expandable ? expandable.children() : List.of();
        return children.stream()
                .map(DiscoverySelectors::selectUniqueId)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** A container that knows what may be in it. */
    interface Expandable {

        /** {@return the ids of all that may be in it, in their order} */
        List<UniqueId> children();

        /** {@return the one with this segment; empty where there is none} */
        Optional<TestDescriptor> make(UniqueId.Segment segment);
    }
}
