package io.github.latencybudget.policy;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.Confidence;
import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.budget.Waiver;
import io.github.latencybudget.budget.Waivers;
import java.time.LocalDate;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apiguardian.api.API;

/**
 * A policy that can be run: each of its rules can be judged on each target that it is about.
 *
 * @param name its name for people
 * @param targets at least one, in the order of the file
 * @param scenario what is run on each target, once
 * @param rules at least one for each target, in the order of the file
 * @param waivers which rule may be broken on which target
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public record Policy(
        String name,
        List<PolicyTarget> targets,
        PolicyScenario scenario,
        Confidence confidence,
        List<PolicyRule> rules,
        List<PolicyWaiver> waivers) {

    /**
     * Reads a policy and everything that it extends.
     *
     * @throws PolicyException where it cannot be read or cannot be meant
     */
    public static Policy read(PolicySource source) {
        return new PolicyReader(Layers.of(source)).read();
    }

    /** {@return the rules about a target} */
    public List<PolicyRule> rulesOf(PolicyTarget target) {
        return rules.stream().filter(r -> r.isAbout(target.name())).toList();
    }

    /**
     * {@return what some of the rules about a target ask for}
     *
     * @param today the day that waivers are held against, of UTC
     */
    public Budget budget(PolicyTarget target, Collection<PolicyRule> some, LocalDate today) {
        Map<Rule, Waiver> byRule = new LinkedHashMap<>();
        some.forEach(rule -> waiver(rule, target).ifPresent(w -> byRule.put(rule.rule(), w)));
        return new Budget(some.stream().map(PolicyRule::rule).toList(), confidence, new Waivers(today, byRule));
    }

    private Optional<Waiver> waiver(PolicyRule rule, PolicyTarget target) {
        return waivers.stream()
                .filter(w -> w.covers(rule.id(), target.name()))
                .map(PolicyWaiver::waiver)
                .findFirst();
    }
}
