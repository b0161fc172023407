package io.github.latencybudget.policy;

import io.github.latencybudget.budget.Waiver;
import java.util.Set;
import org.apiguardian.api.API;

/**
 * A waiver of a policy, which covers each of its rules on each of its targets by itself.
 *
 * @param rules the ids of the rules
 * @param targets the names of the targets; never empty
 * @param waiver what it says
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public record PolicyWaiver(Set<String> rules, Set<String> targets, Waiver waiver) {

    boolean covers(String rule, String target) {
        return rules.contains(rule) && targets.contains(target);
    }
}
