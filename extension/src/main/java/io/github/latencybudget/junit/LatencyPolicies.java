package io.github.latencybudget.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.apiguardian.api.API;

/**
 * Stands for policies on a class that has nothing in it, where a tool selects tests by their classes only, as Surefire and Failsafe
 * do. Whoever selects the class selects the policies.
 *
 * <pre>{@code
 * @LatencyPolicies
 * class LatencyPolicyTest {}
 * }</pre>
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public @interface LatencyPolicies {

    /**
     * {@return the policies as resources on the class path, such as {@code sla/chat.yaml}; where it is left out, all that are
     * {@code latency-budget.yaml} or {@code META-INF/latency-budget/*.yaml}}
     */
    String[] value() default {};
}
