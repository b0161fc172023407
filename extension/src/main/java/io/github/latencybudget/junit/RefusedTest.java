package io.github.latencybudget.junit;

import io.github.latencybudget.record.GateId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.platform.commons.JUnitException;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestIdentifier;

/**
 * A test of a plan that was meant to be a gate and will fail unmeasured, because of how it is written.
 *
 * @param id which gate: the class and the method, {@code class} for a class without one, or the location of a policy and
 *     {@code policy}
 * @param displayName its name for people
 * @param problem what is wrong, and what to do
 */
record RefusedTest(GateId id, String displayName, String problem) {

    /** Types in Jupiter's ids. A template is refused once, and not each of its invocations. */
    private static final Set<String> METHODS = Set.of("method", "test-template", "test-factory");

    /** {@return what is refused; empty for any other test, and for what only the gate's own turn can tell} */
    static Optional<RefusedTest> of(TestIdentifier test) {
        UniqueId.Segment last = test.getUniqueIdObject().getLastSegment();
        String type = last.getType();
        if (METHODS.contains(type) && test.getSource().orElse(null) instanceof MethodSource source) {
            return ofMethod(test, source);
        }
        List<UniqueId.Segment> segments = test.getUniqueIdObject().getSegments();
        if (segments.size() < 3 || !segments.get(segments.size() - 3).getValue().equals(PolicyTestEngine.ID)) {
            return Optional.empty();
        }
        GateId id = new GateId(segments.get(segments.size() - 2).getValue(), last.getValue());
        return switch (type) {
            case RefusedDescriptor.MISPLACED ->
                Placement.of(id.className()).stream()
                        .filter(m -> m.id().equals(id))
                        .map(m -> new RefusedTest(id, m.name(), m.message()))
                        .findFirst();
            case RefusedDescriptor.OF_POLICY ->
                PolicyResolver.problem(id.className()).map(p -> new RefusedTest(id, id.className(), p));
            default -> Optional.empty();
        };
    }

    private static Optional<RefusedTest> ofMethod(TestIdentifier test, MethodSource source) {
        try {
            Gate.find(source.getJavaClass(), source.getJavaMethod());
            return Optional.empty();
        } catch (ExtensionConfigurationException e) {
            return Optional.of(new RefusedTest(
                    Gate.id(source.getJavaClass(), source.getJavaMethod()), test.getDisplayName(), e.getMessage()));
        } catch (JUnitException e) {
            // The method is not to be found, so it is no gate.
            return Optional.empty();
        }
    }
}
