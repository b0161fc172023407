package io.github.latencybudget.junit;

import io.github.latencybudget.trace.Load;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.apiguardian.api.API;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Has the requests of a gate be due at a rate, whatever became of those before: what users who do not know of one another do. Their
 * times start when they are due. Without it, a gate is a closed loop of {@link LatencyBudget#concurrency()} requests.
 *
 * <pre>{@code
 * @Test
 * @LatencyBudget(promptTokens = 512, ttftMs = 450, requests = 2_000)
 * @OpenLoop(requestsPerSecond = 5)
 * void answersInTimeAtFivePerSecond() {}
 * }</pre>
 *
 * <p>It stands beside a budget, or on an element around it, for all gates in it; the closest one counts. A request that cannot be
 * sent when it is due waits in a queue; one that finds the queue full is dropped, and no rule of the gate passes. All requests are
 * measured, since how many are in flight, which decides how much they show, is known at the end.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@ExtendWith(LatencyBudgetExtension.class)
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public @interface OpenLoop {

    /** The value of what is not set. */
    double NOT_SET = Double.MAX_VALUE;

    /** When requests are due. */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    enum Arrivals {
        /** At independent, exponentially distributed distances, from the seed of {@link InferenceTarget#seed()}. */
        POISSON,
        /** At equal distances. */
        CONSTANT,
        /** At a rate that changes evenly, and then stays. */
        RAMP
    }

    /** {@return how many requests are due per second, above 0; at the start of a ramp it may be 0} */
    double requestsPerSecond();

    /** {@return when they are due} */
    Arrivals arrivals() default Arrivals.POISSON;

    /** {@return how many are due per second at the end of a ramp; has to be given for one} */
    double toRequestsPerSecond() default NOT_SET;

    /** {@return how many seconds the change of a ramp takes; has to be given for one} */
    double rampSeconds() default NOT_SET;

    /** {@return how many requests may be in flight at a time; 0 for as many as the target can have} */
    int maxInFlight() default 0;

    /** {@return how many requests that are due may wait for room in flight} */
    int maxQueued() default Load.Open.QUEUED_BY_DEFAULT;
}
