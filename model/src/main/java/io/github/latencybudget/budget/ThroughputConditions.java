package io.github.latencybudget.budget;

import io.github.latencybudget.trace.Conditions;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.PromptShares;
import io.github.latencybudget.trace.Sampling;
import java.util.Collection;
import java.util.Collections;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apiguardian.api.API;

/**
 * The four conditions without which a number of tokens per second says nothing.
 *
 * @param promptTokens the prompt lengths of the run, all of them
 * @param shares that these lengths have, drawn; empty for equal shares in turn
 * @param sampling how tokens are chosen; from any seed, for rates do not depend on which tokens are drawn
 * @param concurrency how many requests are in flight at a time, in a closed loop of users who do not think
 * @param maxDeviceMemoryBytes the device memory that the rate has to be reached within
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record ThroughputConditions(
        SortedSet<Integer> promptTokens,
        Optional<PromptShares> shares,
        Sampling sampling,
        int concurrency,
        long maxDeviceMemoryBytes) {

    /** @throws IllegalArgumentException without a prompt length, for shares of other lengths, or for a number that is below 1 */
    public ThroughputConditions {
        promptTokens = Collections.unmodifiableSortedSet(new TreeSet<>(promptTokens));
        sampling = sampling.withSeed(0);
        if (promptTokens.isEmpty() || promptTokens.first() < 1) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT, "promptTokens = %s: must name at least one length, each at least 1", promptTokens));
        }
        if (shares.isPresent() && !shares.get().weights().keySet().equals(promptTokens)) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "shares = %s: must be of the lengths %s", shares.get(), promptTokens));
        }
        if (concurrency < 1) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "concurrency = %s: must be at least 1", concurrency));
        }
        if (maxDeviceMemoryBytes < 1) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "maxDeviceMemoryBytes = %s: must be at least 1", maxDeviceMemoryBytes));
        }
    }

    /** With prompts of each length in turn. */
    public ThroughputConditions(
            SortedSet<Integer> promptTokens, Sampling sampling, int concurrency, long maxDeviceMemoryBytes) {
        this(promptTokens, Optional.empty(), sampling, concurrency, maxDeviceMemoryBytes);
    }

    /** {@return conditions with these prompt lengths in turn} */
    public static ThroughputConditions of(
            Collection<Integer> promptTokens, Sampling sampling, int concurrency, long maxDeviceMemoryBytes) {
        return new ThroughputConditions(new TreeSet<>(promptTokens), sampling, concurrency, maxDeviceMemoryBytes);
    }

    /** {@return what a run did otherwise, in words; empty where its rates are about these conditions} */
    Optional<String> mismatch(Measurement measurement) {
        Conditions run = measurement.conditions();
        if (!run.requestsByPromptTokens().keySet().equals(promptTokens)) {
            return Optional.of(String.format(
                    Locale.ROOT,
                    "the run had prompts of %s tokens, the rule is about %s",
                    run.promptLengths(),
                    promptTokensInWords()));
        }
        if (!run.workload().shares().equals(shares)) {
            return Optional.of(String.format(
                    Locale.ROOT,
                    "the run had prompts of %s tokens %s, the rule is about them %s",
                    promptTokensInWords(),
                    ratio(run.workload().shares()),
                    ratio(shares)));
        }
        if (shares.isEmpty()
                && Set.copyOf(run.requestsByPromptTokens().values()).size() > 1) {
            return Optional.of(String.format(
                    Locale.ROOT,
                    "the run had prompts of %s tokens, the rule is about equal shares of each",
                    run.promptLengths()));
        }
        if (!run.sampling().isLike(sampling)) {
            return Optional.of(
                    String.format(Locale.ROOT, "the run sampled %s, the rule is about %s", run.sampling(), sampling));
        }
        if (run.openLoop().isPresent()) {
            return Optional.of(String.format(
                    Locale.ROOT,
                    "the run was an %s, the rule is about a concurrency of %s in a closed loop",
                    run.load(),
                    concurrency));
        }
        if (run.workload().thinkTime().isPresent()) {
            return Optional.of(String.format(
                    Locale.ROOT,
                    "the users of the run think (%s), the rule is about a concurrency of %s without thought",
                    run.workload().thinkTime().get(),
                    concurrency));
        }
        if (run.concurrency() != concurrency) {
            return Optional.of(String.format(
                    Locale.ROOT,
                    "the run had a concurrency of %s, the rule is about %s",
                    run.concurrency(),
                    concurrency));
        }
        if (measurement.peakDeviceMemoryBytes().isEmpty()) {
            return Optional.of("the device memory in use could not be read, and a TGS value without it says nothing");
        }
        long peak = measurement.peakDeviceMemoryBytes().getAsLong();
        if (peak > maxDeviceMemoryBytes) {
            return Optional.of(String.format(
                    Locale.ROOT,
                    "the run used %s of device memory, the rule is about at most %s",
                    Quantity.gibibytes(peak, maxDeviceMemoryBytes),
                    Quantity.gibibytes(maxDeviceMemoryBytes)));
        }
        return Optional.empty();
    }

    private static String ratio(Optional<PromptShares> shares) {
        return shares.map(PromptShares::ratio).orElse("in turn");
    }

    private String promptTokensInWords() {
        return promptTokens.stream().map(String::valueOf).collect(Collectors.joining(" and "));
    }

    /** {@return the conditions in words} */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "prompts of %s tokens%s, %s, concurrency %s, within %s of device memory",
                promptTokensInWords(),
                shares.map(s -> " " + s.ratio()).orElse(""),
                sampling,
                concurrency,
                Quantity.gibibytes(maxDeviceMemoryBytes));
    }
}
