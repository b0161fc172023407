package io.github.latencybudget.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.apiguardian.api.API;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Measures a gate under one load after the other, to find the highest one that its budget holds under. Each step is warmed up,
 * measured and judged by itself.
 *
 * <pre>{@code
 * @Test
 * @LatencyBudget(promptTokens = 512, ttftMs = 450, itlP95Ms = 50)
 * @LoadSweep(concurrency = {1, 2, 4, 8, 16}, atLeast = 4)
 * void holdsUpToFourAtATime() {}
 * }</pre>
 *
 * <p>The gate passes where every step up to {@link #atLeast()} was shown to hold; what is above it is for the report. The
 * measurement that the test's body can take, and the verdicts of the gate, are those of the first step up to that load that does not
 * hold, else of the step at that load.
 *
 * <p>It stands beside budgets, or on an element around them; the closest one counts.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@ExtendWith(LatencyBudgetExtension.class)
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public @interface LoadSweep {

    /** The value of {@link #atLeast()} that stands for the lowest load. */
    double LOWEST = 0;

    /**
     * {@return how many requests are in flight at a time at each step, in ascending order}
     *
     * <p>A step measures at most as many times the budget's {@code requests} as it has in flight, for it takes as many times more to
     * show a rule.
     */
    int[] concurrency() default {};

    /** {@return instead of that, how many requests are due per second at each step of an open loop, in ascending order} */
    double[] requestsPerSecond() default {};

    /** {@return when the requests of an open loop are due: {@code POISSON} or {@code CONSTANT}} */
    OpenLoop.Arrivals arrivals() default OpenLoop.Arrivals.POISSON;

    /** {@return the load that the highest one that holds has to reach, one of the steps; the lowest of them unless set} */
    double atLeast() default LOWEST;

    /** {@return whether the sweep ends with the first step that is shown to break its budget} */
    boolean stopAtBreach() default true;
}
