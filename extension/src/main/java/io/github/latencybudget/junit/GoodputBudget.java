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
 * Makes a {@code @Test} a gate on the share of requests, or of tokens, that a user is well served by. The limits are those of a
 * single request; what has to hold is a share.
 *
 * <pre>{@code
 * @Test
 * @GoodputBudget(promptTokens = 512, ttftMs = 450, itlMs = 50, minGoodput = 0.95, minFluidity = 0.99)
 * void serves() {}
 * }</pre>
 *
 * <p>A request is good if it completes and meets every limit. A token is fluid if it comes within {@code ttftMs} plus {@code itlMs}
 * for each token before it, so that what is gained on one may be lost on a later one. Found, combined and repeated like {@link
 * LatencyBudget}; together on one element, all of them judge the same run.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(GoodputBudgets.class)
@ExtendWith(LatencyBudgetExtension.class)
@ResourceLock(Resources.GLOBAL)
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public @interface GoodputBudget {

    /** The value of a limit that is not set. */
    double NO_LIMIT = Double.MAX_VALUE;

    /** {@return the exact prompt length, in tokens of the model's own tokenizer, BOS included} */
    int promptTokens();

    /** {@return the limit on the TTFT of a request, in milliseconds} */
    double ttftMs() default NO_LIMIT;

    /** {@return the limit on every gap between two tokens of a request, in milliseconds; of fluidity, what each token may take} */
    double itlMs() default NO_LIMIT;

    /** {@return the limit on the TPOT of a request, in milliseconds} */
    double tpotMs() default NO_LIMIT;

    /** {@return the limit on the E2E of a request, in milliseconds} */
    double e2eMs() default NO_LIMIT;

    /** {@return the least share of good requests, above 0 and below 1; one that does not complete is not good} */
    double minGoodput() default NO_LIMIT;

    /** {@return the least share of tokens in time, above 0 and below 1; takes {@code ttftMs} and {@code itlMs}} */
    double minFluidity() default NO_LIMIT;

    /** {@return how many output tokens every request generates, exactly} */
    int outputTokens() default 64;

    /** {@return how many requests are measured at this prompt length at most, as {@link LatencyBudget#requests()}} */
    int requests() default 200;

    /** {@return after how many seconds no further request starts, as {@link LatencyBudget#maxSeconds()}} */
    double maxSeconds() default LatencyBudget.NO_LIMIT;

    /** {@return how many requests are in flight at a time: whenever one ends, the next starts} */
    int concurrency() default 1;

    /** {@return what the logits are divided by before a token is drawn; 0 for greedy decoding} */
    double temperature() default 0;

    /** {@return how many of the most probable tokens are drawn from; 0 for all} */
    int topK() default 0;

    /** {@return the share of the probability mass that is drawn from; 1 for all of it} */
    double topP() default 1;

    /** {@return what makes a token less probable that was in the prompt or the output before; 1 for nothing} */
    double repetitionPenalty() default 1;

    /** {@return how sure each verdict is, at every look} */
    double confidence() default 0.95;

    /** {@return the devices that the limits hold for, as {@link LatencyBudget#device()}} */
    String[] device() default {};
}
