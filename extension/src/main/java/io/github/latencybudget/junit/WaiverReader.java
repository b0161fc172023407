package io.github.latencybudget.junit;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.Confidence;
import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.budget.Waiver;
import io.github.latencybudget.budget.Waivers;
import io.github.latencybudget.metric.Metric;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** Turns the waivers of a gate into those of its budget, and refuses what cannot be meant. */
final class WaiverReader {

    private static final double NANOS_PER_MILLI = 1e6;
    private static final double BYTES_PER_GIB = 1L << 30;

    private final AttributeCheck check;
    private final LocalDate today;
    private final List<SetLimit> limits = new ArrayList<>();

    /** @param where the gate, in words */
    WaiverReader(String where, LocalDate today) {
        this.check = new AttributeCheck(WaivedLimit.class, where);
        this.today = today;
    }

    /** A limit that can be waived. */
    void add(SetLimit limit) {
        limits.add(limit);
    }

    /** @throws org.junit.jupiter.api.extension.ExtensionConfigurationException naming annotation, attribute and value */
    Budget budget(List<Rule> rules, Confidence confidence, List<WaivedLimit> annotations) {
        Map<Rule, Waiver> byRule = new LinkedHashMap<>();
        for (WaivedLimit annotation : annotations) {
            Rule rule = rule(annotation);
            check.require(
                    byRule.put(rule, waiver(annotation, rule)) == null,
                    "attribute",
                    annotation.attribute(),
                    "another waiver is about this limit already; keep one of them");
        }
        try {
            return new Budget(rules, confidence, new Waivers(today, byRule));
        } catch (IllegalArgumentException e) {
            throw ConfigurationErrors.annotation(WaivedLimit.class, check.where(), e.getMessage());
        }
    }

    private Rule rule(WaivedLimit annotation) {
        List<SetLimit> named = limits.stream()
                .filter(l -> l.attribute().equals(annotation.attribute()))
                .toList();
        check.require(
                !named.isEmpty(),
                "attribute",
                annotation.attribute(),
                "no budget of this gate sets such a limit; it sets "
                        + limits.stream()
                                .map(l -> "`" + l.attribute() + "`")
                                .distinct()
                                .collect(Collectors.joining(", ")));
        List<SetLimit> meant = annotation.promptTokens() == 0
                ? named
                : named.stream()
                        .filter(l -> l.rule().appliesTo(annotation.promptTokens()))
                        .toList();
        check.require(
                meant.size() == 1,
                "promptTokens",
                annotation.promptTokens(),
                String.format(
                        Locale.ROOT,
                        "`%s` is set for %s; name a length that one of them is about",
                        annotation.attribute(),
                        named.stream().map(l -> l.rule().scope()).collect(Collectors.joining(", "))));
        return meant.get(0).rule();
    }

    private Waiver waiver(WaivedLimit annotation, Rule rule) {
        check.require(!annotation.owner().isBlank(), "owner", annotation.owner(), "name who answers for it");
        check.require(!annotation.reason().isBlank(), "reason", annotation.reason(), "say why the limit is broken");
        double upTo = annotation.upTo();
        check.require(upTo > 0 && upTo < Double.POSITIVE_INFINITY, "upTo", upTo, "must be above 0 and finite");
        try {
            return new Waiver(
                    annotation.owner(),
                    annotation.reason(),
                    Optional.of(annotation.plan()).filter(p -> !p.isBlank()),
                    link(annotation.remediation()),
                    day(annotation.expires()),
                    upTo == WaivedLimit.EVERY_VALUE
                            ? OptionalDouble.empty()
                            : OptionalDouble.of(inUnit(rule.unit(), upTo)));
        } catch (IllegalArgumentException e) {
            throw ConfigurationErrors.annotation(WaivedLimit.class, check.where(), e.getMessage());
        }
    }

    private static double inUnit(Metric.Unit unit, double value) {
        return switch (unit) {
            case NANOSECONDS -> Math.round(value * NANOS_PER_MILLI);
            case BYTES -> value * BYTES_PER_GIB;
            case TOKENS_PER_SECOND, SHARE -> value;
        };
    }

    private URI link(String remediation) {
        try {
            return new URI(remediation);
        } catch (URISyntaxException e) {
            throw ConfigurationErrors.attribute(
                    WaivedLimit.class,
                    "remediation",
                    remediation,
                    check.where(),
                    "must be a link to the plan, such as https://tracker.example.com/KV-12");
        }
    }

    private LocalDate day(String expires) {
        try {
            return LocalDate.parse(expires);
        } catch (DateTimeParseException e) {
            throw ConfigurationErrors.attribute(
                    WaivedLimit.class,
                    "expires",
                    expires,
                    check.where(),
                    "must be the last day that the waiver holds on, such as 2027-01-31");
        }
    }
}
