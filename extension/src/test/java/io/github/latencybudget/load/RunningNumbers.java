package io.github.latencybudget.load;

import java.util.concurrent.atomic.AtomicLong;

/** The prompts of a run have numbers far above those of its warm-up; here they go on from there. */
final class RunningNumbers {

    private final AtomicLong warmUps = new AtomicLong();

    long of(long promptNumber) {
        if (promptNumber < WarmUpPlan.MOST_PROMPTS) {
            warmUps.accumulateAndGet(promptNumber + 1, Math::max);
            return promptNumber;
        }
        return warmUps.get() + promptNumber - WarmUpPlan.MOST_PROMPTS;
    }
}
