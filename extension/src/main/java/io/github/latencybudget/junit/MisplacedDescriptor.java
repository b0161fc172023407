package io.github.latencybudget.junit;

import java.util.List;
import java.util.Optional;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.AbstractTestDescriptor;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.hierarchical.Node;

/**
 * A class in which annotations are misplaced. Surefire drops a test without a word that stands in no container with a class as its
 * source.
 */
final class MisplacedDescriptor extends AbstractTestDescriptor
        implements Node<PolicyContext>, PolicyResolver.Expandable {

    static final String SEGMENT = "class";

    private final List<Misplaced> all;

    private MisplacedDescriptor(UniqueId id, Class<?> type, List<Misplaced> all) {
        super(id, type.getSimpleName(), ClassSource.from(type));
        this.all = all;
    }

    /** {@return that of a class; empty where nothing is misplaced in it} */
    static Optional<MisplacedDescriptor> of(UniqueId engine, String className) {
        List<Misplaced> all = Placement.of(className);
        return all.stream()
                .findFirst()
                .map(first -> new MisplacedDescriptor(engine.append(SEGMENT, className), first.type(), all));
    }

    /** {@return the id of what is misplaced} */
    static UniqueId id(UniqueId engine, Misplaced misplaced) {
        return engine.append(SEGMENT, misplaced.id().className())
                .append(RefusedDescriptor.MISPLACED, misplaced.id().methodName());
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
        return all.stream()
                .map(m -> getUniqueId().append(RefusedDescriptor.MISPLACED, m.id().methodName()))
                .toList();
    }

    @Override
    public Optional<TestDescriptor> make(UniqueId.Segment segment) {
        return all.stream()
                .filter(m -> segment.getType().equals(RefusedDescriptor.MISPLACED)
                        && m.id().methodName().equals(segment.getValue()))
                .map(m -> (TestDescriptor) RefusedDescriptor.of(getUniqueId().append(segment), m))
                .findFirst();
    }
}
