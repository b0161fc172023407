package io.github.latencybudget.policy;

import io.github.latencybudget.metric.Percentile;
import java.util.Optional;

/** Reads percentiles and shares. */
final class Percentiles {

    private Percentiles() {}

    /** {@return the percentile, 95 where none is given} */
    static Percentile of(Optional<Value> value) {
        return value.map(Percentiles::of).orElse(Percentile.P95);
    }

    private static Percentile of(Value value) {
        String allowed = "must be above 0 and below 100, with at most three decimals";
        double percent = value.number(allowed);
        try {
            Percentile percentile = Percentile.of(percent);
            value.require(percentile.shareAbove() > 0, allowed);
            return percentile;
        } catch (IllegalArgumentException e) {
            throw value.wrong(allowed);
        }
    }
}
