package io.github.latencybudget.report;

import io.github.latencybudget.budget.Quantity;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.TtftParts;
import io.github.latencybudget.trace.Conditions;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.PrefixCache;
import io.github.latencybudget.trace.SharedPrompts;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.Function;

/** A condition of two runs on two targets, as text. */
record TargetsCondition(String name, String first, String second) {

    private static final String NOT_SET = "not set";

    static List<TargetsCondition> of(Measurement first, Measurement second) {
        List<TargetsCondition> rows = new ArrayList<>();
        add(rows, "Model", first, second, m -> m.conditions().model());
        add(rows, "Weights", first, second, m -> m.conditions().weights());
        add(rows, "Data type", first, second, m -> m.conditions().dtype());
        add(rows, "Device", first, second, m -> m.conditions().device());
        add(rows, "Network", first, second, TargetsCondition::network);
        add(rows, "Prompt lengths, tokens", first, second, m -> m.conditions().promptLengths());
        add(
                rows,
                "Output tokens per request",
                first,
                second,
                m -> Integer.toString(m.conditions().outputTokens()));
        add(rows, "Sampling", first, second, m -> m.conditions().sampling().toString());
        add(
                rows,
                "Concurrency",
                first,
                second,
                m -> Integer.toString(m.conditions().concurrency()));
        add(rows, "Prefix cache found", first, second, m -> PrefixCache.of(m).words());
        add(rows, "Peak device memory", first, second, TargetsCondition::memory);
        add(rows, "Warm", first, second, m -> m.warmUp().isWarm() ? "yes" : "no");
        add(
                rows,
                "Requests",
                first,
                second,
                m -> String.format(
                        Locale.ROOT,
                        "%d, %d completed",
                        m.traces().size(),
                        m.completed().size()));
        TreeSet<String> settings = new TreeSet<>(first.conditions().settings().keySet());
        settings.addAll(second.conditions().settings().keySet());
        // That the one has the prompts of the other is what they have in common.
        settings.removeIf(name ->
                SharedPrompts.OF_THE_OTHER.equals(first.conditions().settings().get(name)));
        settings.forEach(name -> add(rows, name, first, second, m -> setting(m.conditions(), name)));
        return rows;
    }

    /** {@return whether both have it} */
    boolean isSame() {
        return first.equals(second);
    }

    /** {@return the name within a sentence} */
    String inSentence() {
        return name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1);
    }

    private static void add(
            List<TargetsCondition> rows,
            String name,
            Measurement first,
            Measurement second,
            Function<Measurement, String> of) {
        rows.add(new TargetsCondition(name, of.apply(first), of.apply(second)));
    }

    private static String network(Measurement measurement) {
        if (measurement.traces().stream().allMatch(t -> t.exchange().isEmpty())) {
            return "none is known of";
        }
        OptionalLong roundTrip = TtftParts.roundTripNanos(measurement.traces());
        return roundTrip.isPresent()
                ? "a round trip of about " + Quantity.of(Metric.Unit.NANOSECONDS, roundTrip.getAsLong())
                : "one, of unknown round trip";
    }

    private static String memory(Measurement measurement) {
        OptionalLong peak = measurement.peakDeviceMemoryBytes();
        return peak.isPresent() ? Quantity.gibibytes(peak.getAsLong()) : "could not be read";
    }

    private static String setting(Conditions conditions, String name) {
        return conditions.settings().getOrDefault(name, NOT_SET);
    }
}
