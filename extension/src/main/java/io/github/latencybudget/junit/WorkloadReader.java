package io.github.latencybudget.junit;

import io.github.latencybudget.load.Prompts;
import io.github.latencybudget.prompts.PromptFileException;
import io.github.latencybudget.prompts.PromptFiles;
import io.github.latencybudget.trace.PromptShares;
import io.github.latencybudget.trace.ThinkTime;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/** Reads which prompts a gate sends. */
record WorkloadReader(Optional<PromptWorkload> workload, String where, long seed) {

    private static final double NANOS_PER_MILLI = 1e6;
    private static final double MOST_THINK_MILLIS = Duration.ofHours(1).toMillis();

    /** {@return whether the prompts come from a file} */
    boolean isOfFile() {
        return workload.filter(w -> !w.file().isEmpty()).isPresent();
    }

    /** {@return whether users think between an answer and the next request} */
    boolean isOfThinkers() {
        return workload.filter(w -> w.thinkMs() != 0).isPresent();
    }

    /** {@return the shares that lengths are drawn in; empty where they take turns, or come from a file} */
    Optional<PromptShares> shares() {
        return isOfFile()
                ? Optional.empty()
                : workload.filter(w -> !isThinkingOnly(w)).map(this::shares);
    }

    private static boolean isThinkingOnly(PromptWorkload workload) {
        return workload.thinkMs() != 0 && workload.promptTokens().length == 0 && workload.weights().length == 0;
    }

    /**
     * {@return how long users think; empty for not at all}
     *
     * @param isOpenLoop whether requests are due at a rate
     */
    Optional<ThinkTime> thinkTime(boolean isOpenLoop) {
        return workload.flatMap(w -> thinkTime(w, isOpenLoop));
    }

    private Optional<ThinkTime> thinkTime(PromptWorkload workload, boolean isOpenLoop) {
        double millis = workload.thinkMs();
        check().require(
                        workload.think() == ThinkTime.Distribution.CONSTANT || millis != 0,
                        "think",
                        workload.think(),
                        "it says how `thinkMs` differ, which is not set");
        if (millis == 0) {
            return Optional.empty();
        }
        check().require(
                        millis * NANOS_PER_MILLI >= 1 && millis <= MOST_THINK_MILLIS,
                        "thinkMs",
                        millis,
                        "must be above 0 and at most an hour");
        check().require(
                        !isOpenLoop,
                        "thinkMs",
                        millis,
                        "in an open loop, requests are due at a rate, however long somebody thinks; leave it out, or leave out @OpenLoop");
        return Optional.of(
                new ThinkTime(workload.think(), Duration.ofNanos(Math.round(millis * NANOS_PER_MILLI)), seed));
    }

    private PromptShares shares(PromptWorkload workload) {
        AttributeCheck check = check();
        int[] lengths = workload.promptTokens();
        int[] weights = workload.weights();
        check.require(lengths.length > 0, "promptTokens", "{}", "name at least one prompt length, or a `file`");
        check.require(
                weights.length == lengths.length,
                "weights",
                Arrays.toString(weights),
                "give each length of `promptTokens` its weight: " + lengths.length);
        SortedMap<Integer, Integer> shares = new TreeMap<>();
        for (int i = 0; i < lengths.length; i++) {
            check.require(lengths[i] >= 1, "promptTokens", lengths[i], "a prompt has at least 1 token, BOS included");
            check.require(weights[i] >= 1, "weights", weights[i], "must be at least 1; leave out what is never drawn");
            check.require(
                    shares.put(lengths[i], weights[i]) == null,
                    "promptTokens",
                    lengths[i],
                    "it stands here twice; add up its weights");
        }
        return new PromptShares(shares);
    }

    /**
     * {@return the prompts of a run}
     *
     * @param judged the lengths that budgets name
     * @param requests how many are sent at most
     * @param isOpenLoop whether requests are due at a rate
     */
    Prompts prompts(SortedSet<Integer> judged, int requests, boolean isOpenLoop) {
        if (isOfFile()) {
            return ofFile(workload.orElseThrow(), requests, isOpenLoop);
        }
        Optional<PromptShares> shares = shares();
        if (shares.isEmpty()) {
            return Prompts.IN_TURN;
        }
        check().require(
                        shares.get().weights().keySet().containsAll(judged),
                        "promptTokens",
                        shares.get().weights().keySet(),
                        String.format(
                                Locale.ROOT,
                                "a budget on the same element is about prompts of %s tokens; draw them all",
                                judged));
        return new Prompts.Drawn(shares.get(), seed);
    }

    private Prompts ofFile(PromptWorkload workload, int requests, boolean isOpenLoop) {
        check().require(
                        workload.promptTokens().length == 0 && workload.weights().length == 0,
                        "file",
                        workload.file(),
                        "its prompts have their own lengths; leave `promptTokens` and `weights` out");
        try {
            return isOpenLoop
                    ? PromptFiles.readSinglePrompts(workload.file(), requests, seed)
                    : PromptFiles.read(workload.file(), requests, seed);
        } catch (PromptFileException e) {
            throw ConfigurationErrors.attribute(
                    PromptWorkload.class, "file", workload.file(), where, String.valueOf(e.getMessage()));
        }
    }

    private AttributeCheck check() {
        return new AttributeCheck(PromptWorkload.class, where);
    }
}
