package io.github.latencybudget.junit;

import io.github.latencybudget.policy.PolicyRule;
import io.github.latencybudget.trace.Visible;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import org.junit.platform.engine.TestTag;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.AbstractTestDescriptor;
import org.junit.platform.engine.support.hierarchical.Node;

/** One rule of a policy on one target: a test. */
final class RuleDescriptor extends AbstractTestDescriptor implements Node<PolicyContext> {

    static final String SEGMENT = "rule";

    private final PolicyRule rule;

    /** @param on of several targets which, since Surefire's reports do not say in which container a test is; else empty */
    RuleDescriptor(UniqueId id, String location, PolicyRule rule, String on) {
        super(
                id,
                Visible.line(String.format(
                        Locale.ROOT, "%s%s: %s", rule.id(), on, rule.rule().text())),
                Sources.of(location, rule.position()));
        this.rule = rule;
    }

    PolicyRule rule() {
        return rule;
    }

    @Override
    public Type getType() {
        return Type.TEST;
    }

    @Override
    public String getLegacyReportingName() {
        return rule.id();
    }

    @Override
    public Set<TestTag> getTags() {
        Set<TestTag> tags = new LinkedHashSet<>();
        rule.tags().forEach(tag -> tags.add(TestTag.create(tag)));
        return tags;
    }

    @Override
    public PolicyContext execute(PolicyContext context, DynamicTestExecutor executor) {
        ((TargetDescriptor) getParent().orElseThrow()).require(rule);
        return context;
    }
}
