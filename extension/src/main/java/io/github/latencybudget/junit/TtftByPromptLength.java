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
 * Makes a {@code @Test} a gate on TTFT by a table: the longer the prompt, the more time it may take.
 *
 * <pre>{@code
 * @Test
 * @TtftByPromptLength(
 *         promptTokens = {128, 512, 1024},
 *         value = {
 *             @TtftByPromptLength.Bound(upToTokens = 128, ms = 300),
 *             @TtftByPromptLength.Bound(upToTokens = 512, ms = 450),
 *             @TtftByPromptLength.Bound(ms = 800)
 *         })
 * void answersInTime() {}
 * }</pre>
 *
 * <p>The rows are in the order of their lengths; the last may be without one, for every longer prompt. Each length is in a row and
 * each row has a length: a row that is not measured would not be shown to hold. Found and combined like {@link LatencyBudget};
 * together on one element, all of them judge the same run.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@ExtendWith(LatencyBudgetExtension.class)
@ResourceLock(Resources.GLOBAL)
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public @interface TtftByPromptLength {

    /** A row of the table. */
    @Target({})
    @Retention(RetentionPolicy.RUNTIME)
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    @interface Bound {

        /** {@return the longest prompt that the row is about, included, in tokens, BOS included; any longer one, if not set} */
        int upToTokens() default Integer.MAX_VALUE;

        /** {@return the limit on TTFT at {@link TtftByPromptLength#percentile()}, in milliseconds} */
        double ms();
    }

    /** {@return the rows, from short prompts to long ones} */
    Bound[] value();

    /**
     * {@return the prompt lengths that are measured, in tokens of the model's own tokenizer, BOS included; have to be given, unless
     * {@link PromptWorkload#file} says what is}
     */
    int[] promptTokens() default {};

    /** {@return the percentile that the limits are about} */
    double percentile() default 95;

    /** {@return how many output tokens every request generates, exactly} */
    int outputTokens() default 64;

    /** {@return how many requests are measured at each prompt length at most, as {@link LatencyBudget#requests()}} */
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
