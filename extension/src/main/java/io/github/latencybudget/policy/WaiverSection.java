package io.github.latencybudget.policy;

import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.budget.Waiver;
import io.github.latencybudget.metric.Metric;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

/** Reads the waivers of a policy. */
final class WaiverSection {

    private static final double NANOS_PER_MILLI = 1e6;
    private static final double BYTES_PER_GIB = 1L << 30;

    private final List<PolicyRule> rules;
    private final Collection<String> targets;

    WaiverSection(List<PolicyRule> rules, Collection<String> targets) {
        this.rules = rules;
        this.targets = targets;
    }

    List<PolicyWaiver> read(List<Value> values) {
        List<PolicyWaiver> waivers = new ArrayList<>();
        Set<List<String>> covered = new HashSet<>();
        for (Value value : values) {
            PolicyWaiver waiver = read(value);
            for (PolicyRule rule : rules) {
                for (String target : targets) {
                    value.require(
                            !waiver.covers(rule.id(), target) || covered.add(List.of(rule.id(), target)),
                            String.format(
                                    Locale.ROOT,
                                    "another waiver is about `%s` on `%s` already; keep one of them",
                                    rule.id(),
                                    target));
                }
            }
            waivers.add(waiver);
        }
        return waivers;
    }

    private PolicyWaiver read(Value value) {
        Section section = value.section(Vocabulary.WAIVER);
        List<String> ids = PolicyReader.known(
                section.require("rules", "name the rules that it covers, by their ids"), PolicyRule.ids(rules));
        List<PolicyRule> meant =
                rules.stream().filter(r -> ids.contains(r.id())).toList();
        Set<String> on = section.get("targets")
                .map(v -> Set.copyOf(PolicyReader.known(v, targets)))
                .orElseGet(() -> Set.copyOf(targets));
        for (PolicyRule rule : meant) {
            value.require(
                    on.stream().anyMatch(rule::isAbout),
                    String.format(
                            Locale.ROOT,
                            "rule `%s` is about none of its targets; name one that it is about",
                            rule.id()));
        }
        return new PolicyWaiver(Set.copyOf(ids), on, waiver(section, meant));
    }

    private static Waiver waiver(Section section, List<PolicyRule> meant) {
        Optional<Value> plan = section.get("plan");
        for (PolicyRule rule : meant) {
            rule.waiverPlan().ifPresent(about -> requirePlan(section, rule, about));
        }
        Value remediation = section.require("remediation", "link the remediation plan");
        try {
            return new Waiver(
                    section.require("owner", "name who answers for it").text("name who answers for it"),
                    section.require("reason", "say why the rule is broken").text("say why the rule is broken"),
                    plan.map(v -> v.text("name the remediation plan, or leave it out")),
                    link(remediation),
                    day(section.require("expires", "name the last day that it holds on, in UTC")),
                    upTo(section, meant));
        } catch (IllegalArgumentException e) {
            throw section.value()
                    .position()
                    .error(String.format(
                            Locale.ROOT, "`%s`: %s", section.value().path(), e.getMessage()));
        }
    }

    /** In letters and digits only: "KV-cache" and "KV cache" are one. */
    private static void requirePlan(Section section, PolicyRule rule, String about) {
        String nextStep = String.format(
                Locale.ROOT, "rule `%s` may be waived only with a named %s remediation plan", rule.id(), about);
        Value plan = section.require("plan", nextStep);
        plan.require(letters(plan.text(nextStep)).contains(letters(about)), nextStep);
    }

    static String letters(String text) {
        return text.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N}]", "");
    }

    private static OptionalDouble upTo(Section section, List<PolicyRule> meant) {
        List<Value> bounds = Vocabulary.BOUNDS.stream()
                .flatMap(key -> section.get(key).stream())
                .toList();
        if (bounds.isEmpty()) {
            return OptionalDouble.empty();
        }
        bounds.get(bounds.size() - 1).require(bounds.size() == 1, "another bound is set already; keep one of them");
        Value value = bounds.get(0);
        double bound = 0;
        for (PolicyRule rule : meant) {
            String key = key(rule.rule());
            value.require(
                    section.get(key).isPresent(),
                    String.format(
                            Locale.ROOT,
                            "of rule `%s` it is `%s`; give it a waiver of its own, or name the bound so",
                            rule.id(),
                            key));
            bound = inUnit(rule.rule().unit(), Quantities.positive(value, "must be above 0 and finite"));
            double limit = rule.rule().limitInUnit();
            value.require(
                    rule.rule().isAtMost() ? bound > limit : bound < limit,
                    String.format(
                            Locale.ROOT,
                            "it covers no breach of rule `%s`: raise what it covers, or remove the waiver",
                            rule.id()));
            requireLimit(value, rule, bound);
        }
        return OptionalDouble.of(bound);
    }

    /** What it covers up to is judged as a limit, and has to be one. */
    private static void requireLimit(Value value, PolicyRule rule, double bound) {
        try {
            rule.rule().withLimit(bound);
        } catch (IllegalArgumentException e) {
            throw value.wrong(String.format(
                    Locale.ROOT,
                    "it is judged as a limit of rule `%s` (%s); leave it out to cover every value",
                    rule.id(),
                    e.getMessage()));
        }
    }

    /** {@return what a bound of this rule is called} */
    private static String key(Rule rule) {
        return switch (rule.unit()) {
            case NANOSECONDS -> "upToMs";
            case TOKENS_PER_SECOND -> "downToTokensPerSecond";
            case SHARE -> rule.isAtMost() ? "upToShare" : "downToShare";
            case BYTES -> "upToGiB";
        };
    }

    private static double inUnit(Metric.Unit unit, double value) {
        return switch (unit) {
            case NANOSECONDS -> Math.round(value * NANOS_PER_MILLI);
            case BYTES -> value * BYTES_PER_GIB;
            case TOKENS_PER_SECOND, SHARE -> value;
        };
    }

    private static URI link(Value value) {
        String allowed = "must be a link to the plan, such as https://tracker.example.com/KV-12";
        try {
            return new URI(value.text(allowed));
        } catch (URISyntaxException e) {
            throw value.wrong(allowed);
        }
    }

    private static LocalDate day(Value value) {
        String allowed = "must be the last day that the waiver holds on, such as 2027-01-31";
        try {
            return LocalDate.parse(value.text(allowed));
        } catch (DateTimeParseException e) {
            throw value.wrong(allowed);
        }
    }
}
