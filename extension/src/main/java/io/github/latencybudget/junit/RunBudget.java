package io.github.latencybudget.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.apiguardian.api.API;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/**
 * Adds to a gate what its run has to hold as a whole, whatever the prompt length. It says nothing about what to run, so it stands
 * beside another budget on the same element.
 *
 * <pre>{@code
 * @Test
 * @LatencyBudget(promptTokens = 512, ttftMs = 450)
 * @RunBudget(maxDeviceMemoryGiB = 20)
 * void fitsBesideAnotherModel() {}
 * }</pre>
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@ExtendWith(LatencyBudgetExtension.class)
@ResourceLock(Resources.GLOBAL)
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public @interface RunBudget {

    /** The value of a limit that is not set. */
    double NO_LIMIT = Double.MAX_VALUE;

    /**
     * {@return the largest share of requests that may not complete, above 0 and below 1}
     *
     * <p>Without it, any request that does not complete keeps the gate from passing. With it, the other limits hold for those that
     * do.
     */
    double maxFailureShare() default NO_LIMIT;

    /**
     * {@return the largest change of the median TTFT from the first third of the run to the last, as a share of the first, above 0
     * and below 1}
     *
     * <p>It holds in either direction and for each prompt length by itself. It is judged once, so the gate measures all of its
     * requests.
     */
    double maxTtftDrift() default NO_LIMIT;

    /**
     * {@return the largest change of the median TPOT, the mean gap of a request, as that of {@link #maxTtftDrift}}
     *
     * <p>It takes two output tokens.
     */
    double maxTpotDrift() default NO_LIMIT;

    /** {@return the most device memory that may be in use at any time of the run, in GiB} */
    double maxDeviceMemoryGiB() default NO_LIMIT;
}
