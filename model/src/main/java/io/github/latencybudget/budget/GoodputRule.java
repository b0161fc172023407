package io.github.latencybudget.budget;

import io.github.latencybudget.metric.Metric;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apiguardian.api.API;

/**
 * At least a share of the requests meets every limit. A request that does not complete is not good. A length that no TTFT limit
 * names is not one that the rule is about, where it has any.
 *
 * @param limits what a good request meets, all that are about its prompt length
 * @param minShare the least share of good requests, included
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record GoodputRule(List<RequestLimit> limits, double minShare) implements Rule {

    /** @throws IllegalArgumentException without a limit, or for a share outside (0, 1) */
    public GoodputRule {
        limits = List.copyOf(limits);
        if (limits.isEmpty()) {
            throw new IllegalArgumentException(
                    "goodput without a limit: every request would be good; name at least one");
        }
        Limits.requireShare("minShare", minShare);
    }

    /** {@return a limit on the share of requests that meet every one of these} */
    public static GoodputRule atLeast(double minShare, RequestLimit... limits) {
        return new GoodputRule(List.of(limits), minShare);
    }

    @Override
    public Kind kind() {
        return Kind.GOODPUT;
    }

    @Override
    public String label() {
        return "goodput";
    }

    @Override
    public Metric.Unit unit() {
        return Metric.Unit.SHARE;
    }

    @Override
    public boolean isAtMost() {
        return false;
    }

    @Override
    public double limitInUnit() {
        return minShare;
    }

    @Override
    public boolean appliesTo(int promptTokens) {
        List<RequestLimit> ttft =
                limits.stream().filter(l -> l.metric() == Metric.TTFT).toList();
        return ttft.isEmpty() || ttft.stream().anyMatch(l -> l.appliesTo(promptTokens));
    }

    @Override
    public String scope() {
        String lengths = limits.stream()
                .filter(l -> l.metric() == Metric.TTFT)
                .map(l -> l.promptLength().orElseThrow().toString())
                .collect(Collectors.joining(" or "));
        return lengths.isEmpty() ? "all prompts" : "prompts of " + lengths + " tokens";
    }

    @Override
    public GoodputRule withLimit(double limitInUnit) {
        return new GoodputRule(limits, limitInUnit);
    }

    @Override
    public String text() {
        return String.format(
                Locale.ROOT,
                "goodput at least %s of requests (%s)",
                Quantity.exact(unit(), minShare),
                limits.stream().map(RequestLimit::toString).collect(Collectors.joining(", ")));
    }
}
