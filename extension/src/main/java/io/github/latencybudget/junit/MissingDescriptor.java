package io.github.latencybudget.junit;

import io.github.latencybudget.junit.MissingGates.Missing;
import java.util.List;
import java.util.Optional;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.AbstractTestDescriptor;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.hierarchical.Node;

/** A class from which gates or rules of the manifest are gone; as {@link MisplacedDescriptor}, for Surefire's sake. */
final class MissingDescriptor extends AbstractTestDescriptor implements Node<PolicyContext>, PolicyResolver.Expandable {

    static final String SEGMENT = "expected";

    private final List<Missing> all;

    private MissingDescriptor(UniqueId id, Class<?> type, List<Missing> all) {
        super(id, type.getSimpleName(), ClassSource.from(type));
        this.all = all;
    }

    /** {@return that of a class; empty where nothing is gone from it} */
    static Optional<MissingDescriptor> of(UniqueId engine, String className, MissingGates gates) {
        return ReflectionSupport.tryToLoadClass(className)
                .toOptional()
                .map(type -> new MissingDescriptor(id(engine, type), type, gates.in(type)))
                .filter(descriptor -> !descriptor.all.isEmpty());
    }

    static UniqueId id(UniqueId engine, Class<?> type) {
        return engine.append(SEGMENT, type.getName());
    }

    @Override
    public Type getType() {
        return Type.CONTAINER;
    }

    @Override
    public String getLegacyReportingName() {
        return ((ClassSource) getSource().orElseThrow()).getClassName();
    }

    @Override
    public List<UniqueId> children() {
        return all.stream().map(m -> m.id(getUniqueId())).toList();
    }

    @Override
    public Optional<TestDescriptor> make(UniqueId.Segment segment) {
        return all.stream()
                .filter(m -> segment.getType().equals(RefusedDescriptor.MISSING)
                        && m.name().equals(segment.getValue()))
                .map(m -> (TestDescriptor) RefusedDescriptor.ofMissing(
                        getUniqueId().append(segment), getSource().orElseThrow(), m))
                .findFirst();
    }
}
