package io.github.latencybudget.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.apiguardian.api.API;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/**
 * Makes a {@code @Test} a gate on tokens per second. A rate says nothing without its four conditions, so none of them has a
 * default: the prompt lengths, the sampling, the concurrency, the device memory that it is reached within.
 *
 * <p>The decode and request TGS are judged per request: 95% of the requests have to reach them. The system TGS is judged for the
 * run: it is the mean over blocks of requests that has to. Found and combined like {@link LatencyBudget}; together
 * on one element, all of them judge the same run, so they name the same prompt lengths.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(ThroughputBudgets.class)
@ExtendWith(LatencyBudgetExtension.class)
@ResourceLock(Resources.GLOBAL)
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public @interface ThroughputBudget {

    /** The value of a limit that is not set. */
    double NO_LIMIT = Double.MAX_VALUE;

    /** {@return the prompt lengths of the run, BOS included, in equal shares} */
    int[] promptTokens();

    /** {@return how many requests are in flight at a time: whenever one ends, the next starts, without a think time} */
    int concurrency();

    /** {@return what the logits are divided by before a token is drawn; 0 for greedy decoding} */
    double temperature();

    /** {@return the share of the probability mass that is drawn from; 1 for all of it, and for greedy decoding} */
    double topP();

    /** {@return the device memory that the rate has to be reached within, in GiB} */
    double maxDeviceMemoryGiB();

    /** {@return the least decode TGS of a request, in tokens per second after the first token} */
    double minDecodeTgs() default NO_LIMIT;

    /** {@return the least request TGS, in tokens per second of the whole request} */
    double minRequestTgs() default NO_LIMIT;

    /**
     * {@return the least system TGS: all output tokens over the time that they take together, in tokens per second}
     *
     * <p>It takes at least 64 times as many requests as are in flight at a time.
     */
    double minTgs() default NO_LIMIT;

    /** {@return how many output tokens every request generates, exactly} */
    int outputTokens() default 64;

    /** {@return how many requests are measured at each prompt length at most, as {@link LatencyBudget#requests()}} */
    int requests() default 200;

    /** {@return after how many seconds no further request starts, as {@link LatencyBudget#maxSeconds()}} */
    double maxSeconds() default LatencyBudget.NO_LIMIT;

    /** {@return how many of the most probable tokens are drawn from; 0 for all} */
    int topK() default 0;

    /** {@return what makes a token less probable that was in the prompt or the output before; 1 for nothing} */
    double repetitionPenalty() default 1;

    /** {@return how sure each verdict is, at every look} */
    double confidence() default 0.95;

    /** {@return the devices that the rate holds for, as {@link LatencyBudget#device()}} */
    String[] device() default {};
}
