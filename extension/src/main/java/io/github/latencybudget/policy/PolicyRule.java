package io.github.latencybudget.policy;

import io.github.latencybudget.budget.Rule;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import org.apiguardian.api.API;

/**
 * A rule of a policy.
 *
 * @param id its name in the policy, the same from run to run
 * @param rule what has to hold
 * @param tags to select it by
 * @param devices the devices that it holds for, by their whole names; none for all
 * @param targets the targets that it is about; empty for all
 * @param waiverPlan what the remediation plan of a waiver of this rule has to be about; empty for anything
 * @param position where it stands in its file
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public record PolicyRule(
        String id,
        Rule rule,
        SortedSet<String> tags,
        List<String> devices,
        Set<String> targets,
        Optional<String> waiverPlan,
        Position position) {

    /** {@return whether it is about a target} */
    boolean isAbout(String target) {
        return targets.isEmpty() || targets.contains(target);
    }

    /** {@return what has to be done where it is broken, for its failure; empty where there is nothing more to say} */
    public Optional<String> hint() {
        return waiverPlan.map(about -> String.format(
                Locale.ROOT,
                "rule %s may be broken only with a waiver that names a %s remediation plan: owner, reason, plan, remediation (its link), expires",
                id,
                about));
    }

    static List<String> ids(List<PolicyRule> rules) {
        return rules.stream().map(PolicyRule::id).toList();
    }
}
