package io.github.latencybudget.policy;

import io.github.latencybudget.budget.Confidence;
import io.github.latencybudget.budget.Rule;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Turns a policy file and what it extends into a policy, and refuses what cannot be meant. */
final class PolicyReader {

    private static final Map<String, RuleKind> KINDS = RuleKind.byMetric();

    private final Layers layers;

    PolicyReader(Layers layers) {
        this.layers = layers;
    }

    Policy read() {
        String name = layers.own()
                .get("name")
                .map(v -> v.text("it is a text"))
                .orElse(layers.source().baseName());
        Map<String, Value> named =
                layers.named("targets", "targets have names of their own, such as {cpu: {device: cpu}}");
        List<PolicyTarget> targets = named.entrySet().stream()
                .map(e -> TargetReader.read(e.getKey(), e.getValue()))
                .toList();
        if (targets.isEmpty()) {
            throw layers.own()
                    .value()
                    .position()
                    .error(
                            "`targets` is missing; name what to measure, such as `targets: {cpu: {model: \"synthetic:tiny\", device: cpu}}`");
        }
        PolicyScenario scenario = ScenarioReader.read(layers.merged("scenario", Vocabulary.SCENARIO));
        List<PolicyRule> rules = rules(scenario, named.keySet());
        requireRules(targets, rules);
        Confidence confidence =
                layers.get("confidence").map(PolicyReader::confidence).orElse(Confidence.DEFAULT);
        List<Value> waived = layers.sections().stream()
                .flatMap(s -> s.get("waivers").stream())
                .flatMap(v -> v.list().stream())
                .toList();
        waived.forEach(
                v -> v.require(
                        scenario.sweep().isEmpty(),
                        "under a low load of the sweep a waived rule may hold, under a high one not; move it to a policy of one load"));
        List<PolicyWaiver> waivers = new WaiverSection(rules, named.keySet()).read(waived);
        return new Policy(name, targets, scenario, confidence, rules, waivers);
    }

    private static Confidence confidence(Value value) {
        String allowed = "must be at least 0.5 and below 1";
        double level = value.number(allowed);
        value.require(level >= 0.5 && level < 1, allowed);
        return new Confidence(level);
    }

    private List<PolicyRule> rules(PolicyScenario scenario, Collection<String> targets) {
        List<PolicyRule> rules = new ArrayList<>();
        Map<Rule, String> seen = new LinkedHashMap<>();
        layers.named("rules", "rules have ids of their own, such as {itl-p95: {metric: itl, atMostMs: 50}}")
                .forEach((id, value) -> {
                    PolicyRule rule = rule(id, value, scenario, targets);
                    String before = seen.put(rule.rule(), id);
                    value.require(
                            before == null,
                            String.format(Locale.ROOT, "it says the same as `%s`; keep one of them", before));
                    rules.add(rule);
                });
        return rules;
    }

    private static PolicyRule rule(String id, Value value, PolicyScenario scenario, Collection<String> targets) {
        value.require(
                id.matches("[A-Za-z0-9][A-Za-z0-9._-]*"),
                "a rule's id has letters, digits, `.`, `-` and `_`, for test ids have it");
        Value metric = new Section(value, value.entries("a rule has a `metric` and a limit"))
                .require(
                        "metric",
                        String.format(Locale.ROOT, "name what it is about: %s", Section.list(KINDS.keySet())));
        String name = metric.text(String.format(Locale.ROOT, "it is one of %s", Section.list(KINDS.keySet())));
        metric.require(
                KINDS.containsKey(name),
                String.format(
                        Locale.ROOT,
                        "did you mean `%s`? it is one of %s",
                        Nearest.of(name, KINDS.keySet()),
                        Section.list(KINDS.keySet())));
        RuleKind kind = KINDS.get(name);
        Section section = Section.of(
                value,
                String.format(Locale.ROOT, "a rule about %s", name),
                Stream.concat(RuleKind.SHARED.stream(), kind.keys().stream()).toList());
        value.require(
                scenario.outputTokens() > 1 || !kind.isOfGaps(),
                "with `outputTokens: 1` there is no gap between tokens; generate at least 2");
        return new PolicyRule(
                id,
                kind.read(section, scenario),
                tags(section),
                section.get("device").map(PolicyReader::devices).orElse(List.of()),
                Set.copyOf(section.get("targets").map(v -> known(v, targets)).orElse(List.of())),
                section.get("waiverPlan").map(PolicyReader::plan),
                value.position());
    }

    private static SortedSet<String> tags(Section rule) {
        SortedSet<String> tags = new TreeSet<>();
        rule.get("tags")
                .ifPresent(value -> value.list().forEach(tag -> {
                    String text = tag.text("a tag is a text");
                    tag.require(
                            text.matches("[^\\s,()&|!]+"),
                            "a tag has no blank and none of , ( ) & | !, which tag expressions have");
                    tags.add(text);
                }));
        return tags;
    }

    private static List<String> devices(Value value) {
        return Section.texts(value, "name devices as a record or nvidia-smi does, such as \"NVIDIA H200\"");
    }

    /** One without a letter would be in the name of any plan. */
    private static String plan(Value value) {
        String allowed = "say what the plan has to be about, such as KV-cache";
        String about = value.text(allowed);
        value.require(!WaiverSection.letters(about).isEmpty(), allowed);
        return about;
    }

    static List<String> known(Value value, Collection<String> names) {
        List<String> texts =
                Section.texts(value, String.format(Locale.ROOT, "name at least one of %s", Section.list(names)));
        value.require(names.containsAll(texts), String.format(Locale.ROOT, "it is of %s", Section.list(names)));
        return texts;
    }

    private void requireRules(List<PolicyTarget> targets, List<PolicyRule> rules) {
        Position position = layers.own().value().position();
        if (rules.isEmpty()) {
            throw position.error(
                    "there is no rule, and a policy never passes on nothing: name `rules`, or extend a policy that has some");
        }
        for (PolicyTarget target : targets) {
            if (rules.stream().noneMatch(r -> r.isAbout(target.name()))) {
                throw target.position()
                        .error(String.format(
                                Locale.ROOT,
                                "no rule is about the target `%s`, and it never passes on nothing: name it in a rule, or leave it out",
                                target.name()));
            }
        }
    }
}
