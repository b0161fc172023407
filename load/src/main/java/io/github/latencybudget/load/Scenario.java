package io.github.latencybudget.load;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.Looks;
import io.github.latencybudget.inference.TargetDescription;
import io.github.latencybudget.metric.InFlight;
import io.github.latencybudget.trace.Conditions;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.ThinkTime;
import io.github.latencybudget.trace.TokenTrace;
import io.github.latencybudget.trace.Workload;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apiguardian.api.API;

/**
 * What to run, in a closed or an open loop. Every request has a prompt of its own.
 *
 * @param promptTokens the prompt lengths, BOS included; none where prompts come from a file
 * @param prompts how they follow one another
 * @param mostRequests how many requests to measure at most: at each prompt length where they take turns, else in all
 * @param maxDuration after how long no further request starts, or is due in an open loop; empty for however long it takes
 * @param outputTokens how many output tokens each request generates, exactly
 * @param sampling how tokens are chosen
 * @param load how they are put on the target
 * @param warmUp when a prompt length counts as warm
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Scenario(
        SortedSet<Integer> promptTokens,
        Prompts prompts,
        int mostRequests,
        Optional<Duration> maxDuration,
        int outputTokens,
        Sampling sampling,
        Load load,
        WarmUpPlan warmUp) {

    /**
     * @throws IllegalArgumentException for lengths that are not those that are drawn, and for conversations of several turns in an open
     *     loop, which does not wait for their answers
     */
    public Scenario {
        if (prompts instanceof Prompts.Drawn drawn
                && !drawn.shares().weights().keySet().equals(promptTokens)) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "promptTokens = %s: must be those that are drawn, %s",
                    promptTokens,
                    drawn.shares().weights().keySet()));
        }
        if (load instanceof Load.Open
                && prompts instanceof Prompts.FromFile file
                && file.turns() > file.dialogues().size()) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "prompts = %s: an open loop sends single prompts; run conversations of several turns in a closed one",
                    file));
        }
        promptTokens = Collections.unmodifiableSortedSet(new TreeSet<>(promptTokens));
    }

    /**
     * A closed loop of each length in turn that takes as long as it takes.
     *
     * @throws IllegalArgumentException for a concurrency below 1
     */
    public Scenario(
            SortedSet<Integer> promptTokens,
            int requestsPerPromptLength,
            int outputTokens,
            Sampling sampling,
            int concurrency,
            WarmUpPlan warmUp) {
        this(
                promptTokens,
                Prompts.IN_TURN,
                requestsPerPromptLength,
                Optional.empty(),
                outputTokens,
                sampling,
                new Load.Closed(concurrency),
                warmUp);
    }

    /** {@return the same for however long it takes} */
    Scenario untimed() {
        return new Scenario(
                promptTokens, prompts, mostRequests, Optional.empty(), outputTokens, sampling, load, warmUp);
    }

    /** {@return how many requests a closed loop has in flight at a time; 1 for an open one, in which that is a result} */
    public int concurrency() {
        return load instanceof Load.Closed closed ? closed.concurrency() : 1;
    }

    /** {@return the open loop; empty for a closed one} */
    public Optional<Load.Open> openLoop() {
        return load instanceof Load.Open open ? Optional.of(open) : Optional.empty();
    }

    /** {@return how many requests are measured in all, at most} */
    public int requests() {
        if (prompts instanceof Prompts.FromFile file) {
            return Math.min(mostRequests, file.turns());
        }
        return prompts instanceof Prompts.InTurn ? promptTokens.size() * mostRequests : mostRequests;
    }

    /**
     * {@return how many requests are measured at each prompt length, at most}
     *
     * @param traces what came of them, which says it of a file
     */
    SortedMap<Integer, Integer> requestsByPromptTokens(List<TokenTrace> traces) {
        if (prompts instanceof Prompts.FromFile) {
            SortedMap<Integer, Integer> came = new TreeMap<>();
            traces.forEach(t -> came.merge(t.promptTokens(), 1, Integer::sum));
            return came;
        }
        if (prompts instanceof Prompts.Drawn drawn) {
            return LengthDraw.planned(drawn, mostRequests);
        }
        SortedMap<Integer, Integer> requests = new TreeMap<>();
        promptTokens.forEach(length -> requests.put(length, mostRequests));
        return requests;
    }

    /** {@return how long each user thinks between an answer and the next request; empty for not at all} */
    public Optional<ThinkTime> thinkTime() {
        return load instanceof Load.Closed closed ? closed.thinkTime() : Optional.empty();
    }

    /** {@return what the numbers of a run hold for} */
    Conditions conditionsOn(TargetDescription target, List<TokenTrace> traces) {
        return new Conditions(
                target.model(),
                target.weights(),
                target.dtype(),
                target.device(),
                requestsByPromptTokens(traces),
                outputTokens,
                sampling,
                openLoop().isPresent() ? Math.max(1, InFlight.due(traces).peak()) : concurrency(),
                target.settings(),
                openLoop(),
                workload());
    }

    Workload workload() {
        Workload ofPrompts = workloadOfPrompts();
        return thinkTime().map(ofPrompts::thinking).orElse(ofPrompts);
    }

    private Workload workloadOfPrompts() {
        if (prompts instanceof Prompts.FromFile file) {
            return Workload.of(file.file());
        }
        return prompts instanceof Prompts.Drawn drawn ? Workload.drawn(drawn.shares()) : Workload.IN_TURN;
    }

    Looks looks(Budget budget) {
        return prompts instanceof Prompts.InTurn
                ? budget.looks(promptTokens, concurrency())
                : budget.looksAtDrawn(concurrency() * workload().turnsTogether());
    }
}
