package io.github.latencybudget.report;

import io.github.latencybudget.baseline.TargetRatio;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Two targets side by side, as text.
 *
 * @param facts what the two have in common and what they do not, and so what a factor is of
 * @param remarks why there is no factor or bound, and what is left out
 */
record TargetsView(
        String title,
        String first,
        String second,
        List<Fact> facts,
        List<Fact> remarks,
        List<TargetsRow> rows,
        List<TargetsCondition> conditions,
        List<Plot> plots,
        String method) {

    static TargetsView of(Targets targets) {
        List<TargetsCondition> conditions = TargetsCondition.of(
                targets.first().measurement(), targets.second().measurement());
        return new TargetsView(
                targets.title(),
                targets.first().entry().name(),
                targets.second().entry().name(),
                facts(targets, conditions),
                remarks(targets),
                TargetsRow.of(targets),
                conditions,
                TargetsPlot.of(targets),
                String.format(
                        Locale.ROOT,
                        "the factor is that of %s to %s, above 1 where %s takes longer; of the typical request by the Hodges-Lehmann ratio of all pairs, with bounds by Mann-Whitney, and of the P95 by the ratio of the two, within the binomial bounds of each; %s confidence at each bound",
                        targets.second().entry().name(),
                        targets.first().entry().name(),
                        targets.second().entry().name(),
                        targets.both().confidence()));
    }

    boolean hasRemarks() {
        return !remarks.isEmpty();
    }

    private static List<Fact> facts(Targets targets, List<TargetsCondition> conditions) {
        List<Fact> facts = new ArrayList<>();
        facts.add(new Fact("Prompts", targets.second().entry().prompts().words()));
        String differing = conditions.stream()
                .filter(c -> !c.isSame())
                .map(TargetsCondition::inSentence)
                .collect(Collectors.joining(", "));
        facts.add(new Fact(
                "What differs",
                differing.isEmpty()
                        ? "nothing that is known"
                        : differing + ". A factor is of all of these together, and of what is not known"));
        facts.add(new Fact(
                "When",
                String.format(
                        Locale.ROOT,
                        "%s, then %s: what changed between is in the factor too",
                        when(targets.first()),
                        when(targets.second()))));
        return facts;
    }

    private static String when(Targets.Side side) {
        Instant started = side.record().times().started();
        return started == null
                ? side.entry().name()
                : String.format(Locale.ROOT, "%s from %s", side.entry().name(), PageView.time(started));
    }

    private static List<Fact> remarks(Targets targets) {
        List<Fact> remarks = new ArrayList<>();
        targets.both().refusals().forEach(r -> remarks.add(new Fact("No factor, because", r)));
        targets.both().leftOut().forEach(l -> remarks.add(new Fact("Left out", l)));
        targets.both().ratios().stream()
                .filter(r -> r.reason().isPresent())
                .collect(Collectors.groupingBy(
                        r -> r.reason().orElseThrow(),
                        LinkedHashMap::new,
                        Collectors.mapping(TargetRatio::name, Collectors.toList())))
                .forEach((reason, names) -> remarks.add(new Fact(
                        names.size() == targets.both().ratios().size() ? "Every factor" : String.join(", ", names),
                        reason)));
        return remarks;
    }
}
