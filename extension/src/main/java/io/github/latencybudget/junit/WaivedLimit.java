package io.github.latencybudget.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.apiguardian.api.API;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Puts up with one broken limit of a gate for a while: whoever answers for it says why, and what will be done about it. Stands on
 * the element that has the budget, or closer to the test.
 *
 * <p>A breach that it covers does not fail the gate, and is shown as waived, never as passed. It waives a breach only: what could
 * not be shown still fails. Once it has expired, the breach fails again; where the limit holds, the gate fails until the waiver is
 * removed.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(WaivedLimits.class)
@ExtendWith(LatencyBudgetExtension.class)
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public @interface WaivedLimit {

    /** The value of a bound that is not set. */
    double EVERY_VALUE = Double.MAX_VALUE;

    /** {@return the attribute of the budget that sets the limit, such as {@code itlP95Ms} or {@code minDecodeTgs}} */
    String attribute();

    /** {@return the prompt length of the budget that is meant; 0 where only one budget of the gate sets the limit} */
    int promptTokens() default 0;

    /** {@return who answers for it} */
    String owner();

    /** {@return why the limit is broken} */
    String reason();

    /** {@return the name of the remediation plan; may be left empty where its link says enough} */
    String plan() default "";

    /** {@return the link to the remediation plan: an http or https address without credentials} */
    String remediation();

    /** {@return the last day that it holds on, included, of UTC, such as {@code 2027-01-31}} */
    String expires();

    /** {@return the worst value that it covers, in the unit of the limit; every value where it is left out} */
    double upTo() default EVERY_VALUE;
}
