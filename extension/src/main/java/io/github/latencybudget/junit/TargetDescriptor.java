package io.github.latencybudget.junit;

import io.github.latencybudget.inference.Target;
import io.github.latencybudget.junit.BudgetReader.ScenarioAndBudget;
import io.github.latencybudget.policy.Policy;
import io.github.latencybudget.policy.PolicyRule;
import io.github.latencybudget.policy.PolicyScenario;
import io.github.latencybudget.policy.PolicyTarget;
import io.github.latencybudget.record.GateId;
import io.github.latencybudget.record.GateRecord.TestEnding;
import io.github.latencybudget.record.SideEntry;
import io.github.latencybudget.trace.SharedPrompts;
import io.github.latencybudget.trace.Visible;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.AbstractTestDescriptor;
import org.junit.platform.engine.support.hierarchical.Node;
import org.opentest4j.TestAbortedException;

/**
 * One target of a policy: a gate, which is measured once for all of its rules that are to be judged. What keeps it from being
 * measured fails each of them, so that none of them is missing from a report.
 */
final class TargetDescriptor extends AbstractTestDescriptor implements Node<PolicyContext>, PolicyResolver.Expandable {

    static final String SEGMENT = "target";

    /** The engine, the policy and the target. */
    private static final int DEPTH = 3;

    private final String location;
    private final Policy policy;
    private final PolicyTarget target;
    private Optional<JudgedGate> judged = Optional.empty();
    private Optional<Throwable> failure = Optional.empty();

    TargetDescriptor(UniqueId id, String location, Policy policy, PolicyTarget target) {
        super(id, Visible.line(target.name()), Sources.of(location, target.position()));
        this.location = location;
        this.policy = policy;
        this.target = target;
    }

    /** {@return the gate that a container with this id is; empty for any other test} */
    static Optional<GateId> gate(UniqueId id) {
        UniqueId.Segment last = id.getLastSegment();
        List<UniqueId.Segment> segments = id.getSegments();
        // The engine's own part begins the id, or stands behind that of a suite.
        boolean isTarget = last.getType().equals(SEGMENT)
                && segments.size() >= DEPTH
                && segments.get(segments.size() - DEPTH).getValue().equals(PolicyTestEngine.ID);
        return isTarget
                ? Optional.of(new GateId(segments.get(segments.size() - 2).getValue(), last.getValue()))
                : Optional.empty();
    }

    @Override
    public Type getType() {
        return Type.CONTAINER;
    }

    @Override
    public List<UniqueId> children() {
        return policy.rulesOf(target).stream()
                .map(r -> getUniqueId().append(RuleDescriptor.SEGMENT, r.id()))
                .toList();
    }

    @Override
    public Optional<TestDescriptor> make(UniqueId.Segment segment) {
        String on = policy.targets().size() == 1 ? "" : " on " + target.name();
        return policy.rulesOf(target).stream()
                .filter(r -> segment.getType().equals(RuleDescriptor.SEGMENT) && r.id().equals(segment.getValue()))
                .map(r -> (TestDescriptor) new RuleDescriptor(getUniqueId().append(segment), location, r, on))
                .findFirst();
    }

    @Override
    public SkipResult shouldBeSkipped(PolicyContext context) {
        try {
            return GpuCondition.skipReason(attributes(), context.settings())
                    .map(SkipResult::skip)
                    .orElseGet(SkipResult::doNotSkip);
        } catch (ExtensionConfigurationException e) {
            // Its rules fail with it.
            return SkipResult.doNotSkip();
        }
    }

    @Override
    public PolicyContext before(PolicyContext context) {
        List<PolicyRule> rules =
                getChildren().stream().map(c -> ((RuleDescriptor) c).rule()).toList();
        try {
            MeasuredGate run = gateRun(rules, context).measureAlone();
            Failures failures = new Failures();
            judged = Optional.of(
                    run.judge(ending(rules, run.measurement().conditions().device()), failures));
            failure = failures.first();
        } catch (RuntimeException | Error e) {
            failure = Optional.of(e);
        }
        return context;
    }

    /** Neither a slip in the name of a device nor a tag may make a rule disappear: it is said, and the gate is no clean pass. */
    private TestEnding ending(List<PolicyRule> rules, String device) {
        boolean isWhole = true;
        for (PolicyRule rule : rules) {
            Optional<String> refusal = new DeviceBinding(rule.devices()).refusal(device);
            refusal.ifPresent(reason -> Console.say(
                    String.format(Locale.ROOT, "%s: rule %s is not applicable: %s", name(), rule.id(), reason)));
            isWhole &= refusal.isEmpty();
        }
        List<PolicyRule> leftOut = policy.rulesOf(target).stream()
                .filter(rule -> !rules.contains(rule))
                .toList();
        if (!leftOut.isEmpty()) {
            Console.say(String.format(
                    Locale.ROOT,
                    "%s: left out by the choice of tests, and not judged: %s",
                    name(),
                    leftOut.stream().map(PolicyRule::id).collect(Collectors.joining(", "))));
            return new TestEnding(TestEnding.Status.PARTLY_SELECTED, null);
        }
        return new TestEnding(isWhole ? TestEnding.Status.PASSED : TestEnding.Status.PARTLY_APPLICABLE, null);
    }

    private GateRun gateRun(List<PolicyRule> rules, PolicyContext context) {
        Settings settings = context.settings();
        boolean isBound = rules.stream().anyMatch(r -> !r.devices().isEmpty());
        return new GateRun(
                gate(getUniqueId()).orElseThrow(),
                name(),
                name(),
                attributes(),
                new TimeLimit(Optional.empty()),
                () -> asked(rules, settings.target(attributes()).seed(), context),
                confidence -> Optional.empty(),
                beside(),
                isBound
                        ? Optional.of(device -> policy.budget(target, applicable(rules, device), context.today()))
                        : Optional.empty(),
                settings,
                context.session());
    }

    private ScenarioAndBudget asked(List<PolicyRule> rules, long seed, PolicyContext context) {
        return new ScenarioAndBudget(
                policy.scenario().withSeed(seed),
                policy.budget(target, rules, context.today()),
                ofAny(rules),
                policy.scenario().sweep().map(sweep -> sweep.withSeed(seed)));
    }

    /** Each of its runs ends once its rules are decided, as if it were the only one. */
    private Optional<Beside> beside() {
        List<String> names = policy.targets().stream().map(PolicyTarget::name).toList();
        PolicyScenario scenario = policy.scenario();
        // Prompts of a file have lengths of their own, and two sweeps may be decided by different loads.
        return names.size() == 1
                        || scenario.file().isPresent()
                        || scenario.sweep().isPresent()
                ? Optional.empty()
                : Optional.of(new Beside(
                        new SideEntry(
                                location, target.name(), names.indexOf(target.name()), SharedPrompts.LENGTHS, false),
                        Optional.empty()));
    }

    /** {@return the devices that one of the rules is about; where none is, there is nothing to measure} */
    private static DeviceBinding ofAny(List<PolicyRule> rules) {
        return rules.stream().anyMatch(r -> r.devices().isEmpty())
                ? new DeviceBinding(List.of())
                : new DeviceBinding(rules.stream()
                        .flatMap(r -> r.devices().stream())
                        .distinct()
                        .toList());
    }

    private static List<PolicyRule> applicable(List<PolicyRule> rules, String device) {
        return rules.stream()
                .filter(r -> new DeviceBinding(r.devices()).refusal(device).isEmpty())
                .toList();
    }

    /** Fails where one of its rules does not hold, by the verdict that the record has. */
    void require(PolicyRule rule) {
        judged.ifPresent(gate -> {
            String device = gate.verdicts().measurement().conditions().device();
            new DeviceBinding(rule.devices()).refusal(device).ifPresent(reason -> {
                throw new TestAbortedException("not applicable: " + reason);
            });
            gate.require(rule.rule(), rule.hint());
        });
        failure.ifPresent(thrown -> {
            throw Thrown.visible(thrown);
        });
    }

    private String name() {
        return policy.name() + ": " + target.name();
    }

    private TargetAttributes attributes() {
        return new TargetAttributes(
                target.type().<Class<? extends Target>>map(this::type).orElse(Target.class),
                target.model(),
                target.device(),
                target.dtype(),
                target.seed(),
                target.options(),
                target.isGpuRequired().map(r -> r ? Settings.Gpu.REQUIRED : Settings.Gpu.AUTO));
    }

    private Class<? extends Target> type(String name) {
        try {
            return Class.forName(name, true, PolicyLocator.loader()).asSubclass(Target.class);
        } catch (ClassNotFoundException | LinkageError | ClassCastException e) {
            throw new ExtensionConfigurationException(String.format(
                    Locale.ROOT,
                    "%s: target `%s`: `type = %s` is not allowed; it is the name of a class on the class path that implements Target (%s)",
                    target.position().file(),
                    target.name(),
                    name,
                    e));
        }
    }
}
