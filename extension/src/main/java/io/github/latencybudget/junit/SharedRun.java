package io.github.latencybudget.junit;

import io.github.latencybudget.budget.Confidence;
import io.github.latencybudget.load.Prompts;
import io.github.latencybudget.load.Scenario;
import io.github.latencybudget.load.WarmUpPlan;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.ThinkTime;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedSet;

/** How a gate's one run is done, which all its budgets have to agree in. */
final class SharedRun {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MOST_SECONDS = Duration.ofDays(1).toSeconds();

    private final Shared<Integer> outputTokens = new Shared<>("outputTokens");
    private final Shared<Integer> requests = new Shared<>("requests");
    private final Shared<Double> maxSeconds = new Shared<>("maxSeconds");
    private final Shared<Integer> concurrency = new Shared<>("concurrency");
    private final Shared<Double> confidence = new Shared<>("confidence");
    private final Shared<DeviceBinding> device = new Shared<>("device");
    private final SharedSampling sampling = new SharedSampling();
    private final Optional<Load.Open> openLoop;

    /** @param openLoop the arrivals of an open loop; empty for a closed one */
    SharedRun(Optional<Load.Open> openLoop) {
        this.openLoop = openLoop;
    }

    /**
     * {@return how its tokens are chosen, whatever the seed}
     *
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException naming annotation, attribute and value
     */
    Sampling agree(AttributeCheck check, RunAttributes run) {
        check.require(run.outputTokens() >= 1, "outputTokens", run.outputTokens(), "must be at least 1");
        check.require(run.requests() >= 1, "requests", run.requests(), "must be at least 1");
        check.require(run.concurrency() >= 1, "concurrency", run.concurrency(), "must be at least 1");
        check.require(
                openLoop.isEmpty() || run.concurrency() == 1,
                "concurrency",
                run.concurrency(),
                "with @OpenLoop, requests are due at a rate, and how many are in flight is a result; leave it out, or limit them by `maxInFlight` of @OpenLoop");
        check.require(
                run.requests() >= run.concurrency(),
                "requests",
                run.requests(),
                "with `concurrency = " + run.concurrency()
                        + "` so few are never in flight together; measure at least as many");
        check.require(
                run.confidence() >= 0.5 && run.confidence() < 1,
                "confidence",
                run.confidence(),
                "must be at least 0.5 and below 1");
        check.require(
                run.maxSeconds() == LatencyBudget.NO_LIMIT || run.maxSeconds() > 0 && run.maxSeconds() <= MOST_SECONDS,
                "maxSeconds",
                run.maxSeconds(),
                "must be above 0 and at most one day");
        outputTokens.agree(check, run.outputTokens());
        requests.agree(check, run.requests());
        concurrency.agree(check, run.concurrency());
        confidence.agree(check, run.confidence());
        maxSeconds.agree(check, run.maxSeconds());
        device.agree(check, DeviceBinding.of(check, run.device()));
        return sampling.agree(check, run);
    }

    Scenario scenario(SortedSet<Integer> promptTokens, Prompts prompts, Optional<ThinkTime> thinkTime, long seed) {
        return new Scenario(
                promptTokens,
                prompts,
                requests.value(),
                maxDuration(),
                outputTokens.value(),
                sampling.value(seed),
                openLoop.<Load>map(open -> open).orElseGet(() -> new Load.Closed(concurrency.value(), thinkTime)),
                WarmUpPlan.DEFAULT);
    }

    int requests() {
        return requests.value();
    }

    int outputTokens() {
        return outputTokens.value();
    }

    int concurrency() {
        return concurrency.value();
    }

    Confidence confidence() {
        return new Confidence(confidence.value());
    }

    DeviceBinding device() {
        return device.value();
    }

    private Optional<Duration> maxDuration() {
        return maxSeconds.value() == LatencyBudget.NO_LIMIT
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(Math.round(maxSeconds.value() * NANOS_PER_SECOND)));
    }
}
