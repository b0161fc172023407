package io.github.latencybudget.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.apiguardian.api.API;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Compares the run of a gate with a baseline: an earlier run of the same conditions, kept in a file beside the tests. A run that
 * is shown to be slower by more than the tolerance, or is not shown not to be, fails the gate; one that is faster passes, and the
 * report says so.
 *
 * <pre>{@code
 * @Test
 * @LatencyBudget(promptTokens = 512, ttftMs = 450, itlP95Ms = 50)
 * @ComparedWithBaseline(worseByMoreThanPercent = 10)
 * void answersInTime() {}
 * }</pre>
 *
 * <p>Such a gate always measures all of its {@code requests}, for a comparison is of a number of requests that was set before. The
 * baseline is stored on purpose only, by a run with {@code -Dlatencybudget.baseline.update=true}; where there is none, or its
 * file cannot be used, the gate fails. On the test method itself, or on an annotation of your own that is on it.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@ExtendWith(LatencyBudgetExtension.class)
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public @interface ComparedWithBaseline {

    /**
     * {@return the name of the baseline and of its file; empty for the simple names of class and method, such as
     * {@code ChatSlaTest.answersInTime}}
     */
    String name() default "";

    /** {@return from where on a run is worse, in percent of the baseline; above 0 and below 100} */
    double worseByMoreThanPercent() default 10;

    /** {@return whether the P95 of each metric is judged too, beside the typical request} */
    boolean p95() default false;

    /** {@return whether the gate fails where the comparison does; else it only stands in the report} */
    boolean gating() default true;
}
