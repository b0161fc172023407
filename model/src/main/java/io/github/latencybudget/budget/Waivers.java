package io.github.latencybudget.budget;

import java.time.LocalDate;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apiguardian.api.API;

/**
 * The waivers of a budget.
 *
 * @param today the day that they are held against, of UTC
 * @param byRule the waiver of each rule that has one
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Waivers(LocalDate today, Map<Rule, Waiver> byRule) {

    /** No rule is waived. */
    public static final Waivers NONE = new Waivers(LocalDate.EPOCH, Map.of());

    public Waivers {
        byRule = Collections.unmodifiableMap(new LinkedHashMap<>(byRule));
    }

    /** @throws IllegalArgumentException for a waiver that covers no breach of its rule, or whose bound cannot be a limit of it */
    void requireRoom() {
        byRule.forEach((rule, waiver) -> {
            boolean isAtMost = rule.isAtMost();
            double upTo = waiver.upTo().orElse(isAtMost ? Double.POSITIVE_INFINITY : 0);
            if (isAtMost ? upTo <= rule.limitInUnit() : upTo >= rule.limitInUnit()) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT,
                        "a waiver %s covers no breach of \"%s\": raise what it covers, or remove it",
                        WaiverText.bound(rule, waiver),
                        rule.text()));
            }
            requireLimit(rule, waiver);
        });
    }

    private static void requireLimit(Rule rule, Waiver waiver) {
        try {
            widened(rule, waiver);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "a waiver of \"%s\" is judged as a limit (%s): leave out what it covers up to, to cover every value",
                            rule.text(),
                            e.getMessage()),
                    e);
        }
    }

    /** {@return the rules that would hold if nothing were beyond what the waivers cover: a run has to decide them too} */
    List<Rule> covered() {
        return byRule.entrySet().stream()
                .flatMap(e -> widened(e.getKey(), e.getValue()).stream())
                .toList();
    }

    private static Optional<Rule> widened(Rule rule, Waiver waiver) {
        return waiver.upTo().isPresent()
                ? Optional.of(rule.withLimit(waiver.upTo().getAsDouble()))
                : Optional.empty();
    }

    /**
     * {@return the verdict as its waiver leaves it}
     *
     * @param judge judges the rule that the waiver covers
     */
    Verdict applyTo(Verdict verdict, Function<Rule, Verdict> judge) {
        Waiver waiver = byRule.get(verdict.rule());
        if (waiver == null) {
            return verdict;
        }
        return switch (verdict.status()) {
            case PASS -> verdict.withWaiver(Status.UNUSED_WAIVER, waiver, WaiverText.unused(waiver));
            case BREACH -> waived(verdict, waiver, judge);
            default ->
                verdict.withWaiver(verdict.status(), waiver, verdict.reason().orElse(""));
        };
    }

    private Verdict waived(Verdict breach, Waiver waiver, Function<Rule, Verdict> judge) {
        if (!waiver.holdsOn(today)) {
            return breach.withWaiver(Status.BREACH, waiver, WaiverText.expired(waiver, today));
        }
        Optional<Verdict> covered = widened(breach.rule(), waiver).map(judge);
        Status status = covered.map(Verdict::status).orElse(Status.PASS);
        return switch (status) {
            case PASS -> breach.withWaiver(Status.WAIVED, waiver, WaiverText.waived(breach.rule(), waiver));
            case BREACH -> breach.withWaiver(Status.BREACH, waiver, WaiverText.beyond(breach.rule(), waiver));
            default ->
                breach.withWaiver(
                        Status.INCONCLUSIVE,
                        waiver,
                        WaiverText.notShownCovered(
                                breach.rule(),
                                waiver,
                                covered.flatMap(Verdict::reason).orElse("")));
        };
    }
}
