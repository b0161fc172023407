package io.github.latencybudget.budget;

import io.github.latencybudget.trace.TokenTrace;
import java.util.List;
import java.util.function.Function;
import org.apiguardian.api.API;

/**
 * Looks at the requests of a run as they end, to find out when enough were measured. A rule that is decided here is decided in
 * {@link Budget#evaluate}, after as many requests: both put the requests in the same order to the same test. The evaluation may
 * still take the verdict back, where the requests after it or the whole run speak against it, or where something else keeps the
 * rule from being shown.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class Looks {

    private final List<RuleLooks> looks;
    private final List<Rule> seen;
    private final List<Rule> atTheEnd;

    Looks(List<Rule> rules, Function<Rule, RuleLooks> looks) {
        this.looks = rules.stream().filter(Terms::areBetOn).map(looks).toList();
        this.atTheEnd = rules.stream().filter(DriftRule.class::isInstance).toList();
        this.seen = rules.stream().filter(DeviceMemoryRule.class::isInstance).toList();
    }

    /**
     * Takes the next request. One that did not complete is passed over by every rule that is not about such ones.
     *
     * @param trace that of the request whose number is next
     */
    public void add(TokenTrace trace) {
        looks.forEach(rule -> rule.add(trace));
    }

    /**
     * {@return whether every rule was shown to hold or to be broken, whatever it is about} Of a run whose requests draw their
     * prompts: to leave one length out would be another load.
     */
    public boolean isDecided() {
        if (!atTheEnd.isEmpty()) {
            return false;
        }
        return looks.isEmpty()
                ? seen.isEmpty()
                : looks.stream().allMatch(l -> l.trial().isDecided());
    }

    /**
     * {@return whether every rule about prompts of this length was shown to hold or to be broken}
     *
     * <p>What is only seen, such as a peak of memory, makes no run longer that other rules end, and ends none by itself. A drift is
     * judged once, at the end: a length that a rule on it is about is never decided before its last request.
     */
    public boolean isDecided(int promptTokens) {
        if (atTheEnd.stream().anyMatch(rule -> rule.appliesTo(promptTokens))) {
            return false;
        }
        List<RuleLooks> shown =
                looks.stream().filter(l -> l.rule().appliesTo(promptTokens)).toList();
        return shown.isEmpty()
                ? seen.stream().noneMatch(rule -> rule.appliesTo(promptTokens))
                : shown.stream().allMatch(l -> l.trial().isDecided());
    }
}
