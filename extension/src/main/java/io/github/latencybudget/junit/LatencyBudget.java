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
 * Makes a {@code @Test} a gate: before its body, warm generation is measured on the target under test; after it, the measurement
 * is judged, and the test fails unless every limit was shown to hold. The body can take the
 * {@link io.github.latencybudget.trace.Measurement} as a parameter and may be empty.
 *
 * <pre>{@code
 * @Test
 * @LatencyBudget(promptTokens = 512, ttftMs = 450, itlP95Ms = 50)
 * void answersInTime() {}
 * }</pre>
 *
 * <p>Repeat it for further prompt lengths: they are measured in one run. On a class it holds for each of its {@code @Test}
 * methods, those of {@code @Nested} classes included. The closest element wins as a whole: a method with a budget of its own
 * takes nothing from its class, a class nothing from its interfaces, these nothing from its superclass, a nested class nothing
 * from its enclosing one. It can be put on an annotation of your own.
 *
 * <p>In JUnit's parallel mode, no other test of the JVM runs beside the top-level class of a gate, which would be measured with
 * it. The closest {@code @Timeout} holds for the measurement as well as for the body.
 *
 * <p>A limit is inclusive, in milliseconds. Without any limit, with a value that is not allowed, or twice for one prompt length,
 * it is an {@link org.junit.jupiter.api.extension.ExtensionConfigurationException}, before anything is loaded.
 *
 * @see InferenceTarget
 * @see ThroughputBudget
 * @see GoodputBudget
 * @see TtftByPromptLength
 * @see RunBudget
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(LatencyBudgets.class)
@ExtendWith(LatencyBudgetExtension.class)
@ResourceLock(Resources.GLOBAL)
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public @interface LatencyBudget {

    /** The value of a limit that is not set. */
    double NO_LIMIT = Double.MAX_VALUE;

    /** {@return the exact prompt length, in tokens of the model's own tokenizer, BOS included; has to be given, unless prompts come from a {@link PromptWorkload#file}: then it is about all of them} */
    int promptTokens() default 0;

    /** {@return how many output tokens every request generates, exactly; end-of-sequence is ignored} */
    int outputTokens() default 64;

    /**
     * {@return how many requests are measured at this prompt length at most: it is measured no longer than until all its limits
     * are shown to hold or to be broken}
     *
     * <p>A P95 is shown at 95% confidence by 64 if none is over the limit, by 135 if one is, a P99 by 325; that one is broken
     * grossly, by a handful. With several in flight at a time it takes as many times more. Where not even the most are enough, the
     * gate fails and says how many would be.
     */
    int requests() default 200;

    /**
     * {@return after how many seconds of measuring no further request starts; as long as it takes, if not set}
     *
     * <p>Without the warm-up. What is not decided until then is not shown, and the gate fails.
     */
    double maxSeconds() default NO_LIMIT;

    /**
     * {@return how many requests are in flight at a time: whenever one ends, the next starts}
     *
     * <p>More than the target can have at a time end the gate before its warm-up.
     */
    int concurrency() default 1;

    /** {@return the limit on TTFT at {@link #ttftPercentile()}, in milliseconds} */
    double ttftMs() default NO_LIMIT;

    /** {@return the percentile that {@link #ttftMs()} is about} */
    double ttftPercentile() default 95;

    /**
     * {@return the limit on the mean TTFT, in milliseconds}
     *
     * <p>That a mean holds is shown asymptotically, by 64 requests at least; a percentile says more about the slowest.
     */
    double ttftMeanMs() default NO_LIMIT;

    /** {@return the limit on the 95th percentile of TTFO, the first token of the visible answer, in milliseconds} */
    double ttfoP95Ms() default NO_LIMIT;

    /** {@return the limit on the median gap between tokens, in milliseconds} */
    double itlP50Ms() default NO_LIMIT;

    /** {@return the limit on the 95th percentile of the gaps between tokens, in milliseconds} */
    double itlP95Ms() default NO_LIMIT;

    /** {@return the limit on the 99th percentile of the gaps between tokens, in milliseconds} */
    double itlP99Ms() default NO_LIMIT;

    /** {@return the limit on the mean gap between tokens, in milliseconds, as {@link #ttftMeanMs()}} */
    double itlMeanMs() default NO_LIMIT;

    /** {@return the limit on the 95th percentile over requests of the 95th percentile of each one's gaps, in milliseconds} */
    double requestItlP95Ms() default NO_LIMIT;

    /** {@return the limit on the 95th percentile of the gaps between chunks as they arrive, in milliseconds} */
    double iclP95Ms() default NO_LIMIT;

    /** {@return the limit on the 95th percentile of TPOT, in milliseconds} */
    double tpotP95Ms() default NO_LIMIT;

    /** {@return the limit on the mean TPOT, in milliseconds, as {@link #ttftMeanMs()}} */
    double tpotMeanMs() default NO_LIMIT;

    /** {@return the limit on the 95th percentile of E2E, in milliseconds} */
    double e2eP95Ms() default NO_LIMIT;

    /** {@return the limit on the mean E2E, in milliseconds, as {@link #ttftMeanMs()}} */
    double e2eMeanMs() default NO_LIMIT;

    /**
     * {@return what the logits are divided by before a token is drawn; 0 for greedy decoding, in which each token is the most
     * probable one}
     *
     * <p>Each request draws from a seed and its prompt: that of {@link InferenceTarget#seed()}.
     */
    double temperature() default 0;

    /** {@return how many of the most probable tokens are drawn from; 0 for all} */
    int topK() default 0;

    /** {@return the share of the probability mass that is drawn from; 1 for all of it} */
    double topP() default 1;

    /** {@return what makes a token less probable that was in the prompt or the output before; 1 for nothing} */
    double repetitionPenalty() default 1;

    /**
     * {@return how sure each verdict is, at every look: the probability of a wrong PASS, and of a wrong BREACH, is at most one
     * minus this}
     *
     * <p>With less, a gate takes fewer requests, 35 instead of 64 at 0.8, and each of its verdicts says so.
     */
    double confidence() default 0.95;

    /**
     * {@return the devices that the limits hold for, such as {@code "NVIDIA H200"}: each a whole name as the record has it, in any
     * case; all devices if there is none}
     *
     * <p>On another one the gate is not applicable: its test is aborted, and the report says so and counts it. It is never measured
     * against limits that were made for something else. All budgets of one gate name the same.
     */
    String[] device() default {};
}
