package io.github.latencybudget.report;

import io.github.latencybudget.budget.GuardReport;
import io.github.latencybudget.record.JudgementEntry;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What became of the guards of a gate, as text. */
final class GuardFacts {

    /** How one begins that does not watch as it does by default: what is switched off has to be seen. */
    static final String BY_HAND = "set by hand";

    private GuardFacts() {}

    /** {@return one per guard; none where nothing was judged} */
    static List<Fact> of(@Nullable JudgementEntry judgement) {
        return judgement == null
                ? List.of()
                : judgement.guards().stream()
                        .map(g -> new Fact(g.guard(), text(g)))
                        .toList();
    }

    private static String text(JudgementEntry.GuardEntry guard) {
        String byHand = guard.isDefault()
                ? null
                : String.format(
                        Locale.ROOT,
                        "%s to %s",
                        BY_HAND,
                        guard.state() == GuardReport.State.OFF ? "off" : guard.threshold());
        String state = guard.state() == GuardReport.State.OFF
                ? null
                : guard.said() == null ? guard.state().words() : guard.state().words() + ": " + guard.said();
        return Stream.of(byHand, state).filter(t -> t != null).collect(Collectors.joining("; "));
    }
}
