package io.github.latencybudget.baseline;

import io.github.latencybudget.budget.Quantity;
import java.util.Locale;
import java.util.OptionalDouble;

/** Prints changes. */
final class ChangeText {

    private ChangeText() {}

    static String line(Change change) {
        return String.format(Locale.ROOT, "%s  %s: %s", change.status().words(), change.name(), inWords(change));
    }

    private static String inWords(Change change) {
        if (change.ratio().isEmpty()) {
            return "nothing observed";
        }
        double worse = worsening(change, change.ratio().getAsDouble());
        if (bound(change, true).orElse(-1) > 0) {
            return "worsened by " + size(worse);
        }
        if (bound(change, false).orElse(1) < 0) {
            return "improved by " + size(worse);
        }
        return worse == 0 ? "no change observed" : "observed " + sided(worse);
    }

    /** {@return how much worse, as a share of the baseline; negative where it is better} */
    static double worsening(Change change, double ratio) {
        return change.isTime() ? ratio - 1 : 1 - ratio;
    }

    /** {@return the least or the most of the worsening; empty where there is no such bound} */
    static OptionalDouble bound(Change change, boolean isLeast) {
        OptionalDouble ratio = isLeast == change.isTime() ? change.lower() : change.upper();
        return ratio.isPresent() ? OptionalDouble.of(worsening(change, ratio.getAsDouble())) : ratio;
    }

    static String evidence(Change change) {
        return String.format(
                Locale.ROOT,
                "%s; baseline %s from %s, this run %s from %s",
                bounds(change),
                Quantity.of(change.metric(), change.baseline().value()),
                requests(change.baseline()),
                Quantity.of(change.metric(), change.run().value()),
                requests(change.run()));
    }

    private static String bounds(Change change) {
        OptionalDouble least = bound(change, true);
        OptionalDouble most = bound(change, false);
        if (least.isEmpty() && most.isEmpty()) {
            return "no bound yet";
        }
        return String.format(
                Locale.ROOT,
                "%s, %s",
                least.isEmpty() ? "no bound at best" : "at best " + sided(least.getAsDouble()),
                most.isEmpty() ? "no bound at worst" : "at worst " + sided(most.getAsDouble()));
    }

    private static String requests(Change.Side side) {
        String requests = side.requests() == 1 ? "1 request" : side.requests() + " requests";
        return side.independent() >= side.requests()
                ? requests
                : String.format(Locale.ROOT, "%s (as much as %s independent)", requests, side.independent());
    }

    private static String sided(double worse) {
        return worse == 0 ? "unchanged" : size(worse) + (worse > 0 ? " worse" : " better");
    }

    private static String size(double worse) {
        double percent = 100 * Math.abs(worse);
        return percent < 0.05 ? "under 0.1%" : String.format(Locale.ROOT, "%.1f%%", percent);
    }
}
