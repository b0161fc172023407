package io.github.latencybudget.trace;

import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apiguardian.api.API;

/**
 * Which guards a run is judged with. It travels with the measurement, so that whoever judges it again uses the same ones.
 *
 * @param off the guards that are switched off
 * @param thresholds the thresholds that are not the default
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record GuardSettings(SortedSet<Guard> off, SortedMap<Guard, Double> thresholds) {

    /** All guards on, at their own thresholds. */
    public static final GuardSettings DEFAULT = new GuardSettings(new TreeSet<>(), new TreeMap<>());

    /** @throws IllegalArgumentException for a threshold that its guard cannot have */
    public GuardSettings {
        off = Collections.unmodifiableSortedSet(new TreeSet<>(off));
        thresholds = Collections.unmodifiableSortedMap(new TreeMap<>(thresholds));
        thresholds.forEach((guard, threshold) -> {
            if (!guard.allows(threshold)) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT,
                        "%s = %s: %s",
                        guard.label(),
                        threshold,
                        guard.defaultThreshold().isEmpty()
                                ? "this guard has no threshold"
                                : "must be a share from 0 on"));
            }
        });
    }

    /** {@return the same with another guard switched off} */
    public GuardSettings without(Guard guard) {
        Set<Guard> more = EnumSet.of(guard);
        more.addAll(off);
        return new GuardSettings(new TreeSet<>(more), thresholds);
    }

    /**
     * {@return the same with a guard at another threshold}
     *
     * @throws IllegalArgumentException for one that the guard cannot have
     */
    public GuardSettings with(Guard guard, double threshold) {
        Map<Guard, Double> more = new EnumMap<>(Guard.class);
        more.putAll(thresholds);
        more.put(guard, threshold);
        return new GuardSettings(off, new TreeMap<>(more));
    }

    /** {@return whether the guard is not switched off} */
    public boolean isOn(Guard guard) {
        return !off.contains(guard);
    }

    /**
     * {@return where a guard begins}
     *
     * @throws java.util.NoSuchElementException for a guard without a threshold
     */
    public double threshold(Guard guard) {
        return thresholds.containsKey(guard)
                ? thresholds.get(guard)
                : guard.defaultThreshold().orElseThrow();
    }
}
