package io.github.latencybudget.junit;

import io.github.latencybudget.trace.ThinkTime;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.apiguardian.api.API;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Says which prompts a gate sends, where it is not one of each length in turn. It stands beside the budget on the same element.
 *
 * <pre>{@code
 * @Test
 * @LatencyBudget(promptTokens = 512, ttftMs = 450, requests = 800)
 * @PromptWorkload(promptTokens = {128, 512}, weights = {3, 1})
 * void answersInTimeAmongShortPrompts() {}
 * }</pre>
 *
 * <p>Each request draws its length, by {@code latencybudget.seed} and independent of all others. Or the prompts come from a file:
 *
 * <pre>{@code
 * @Test
 * @TtftByPromptLength({@TtftByPromptLength.Bound(upToTokens = 512, ms = 450), @TtftByPromptLength.Bound(ms = 800)})
 * @PromptWorkload(file = "prompts/chat.jsonl")
 * void answersInTimeWhatIsAsked() {}
 * }</pre>
 *
 * <p>Or it says how long users think. With drawn lengths or a file, {@code requests} of the budget is the most of the run in all, and the run lasts until every limit is decided. The shares,
 * or the file's name and hash, are a condition of the run.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@ExtendWith(LatencyBudgetExtension.class)
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public @interface PromptWorkload {

    /**
     * {@return the prompt lengths that are drawn, in tokens of the model's own tokenizer, BOS included}
     *
     * <p>Each length that a budget on the same element names is among them. They may be more: what is not judged is load.
     */
    int[] promptTokens() default {};

    /** {@return the weight of each of these lengths, in their order, at least 1: {3, 1} draws the first three times as often} */
    int[] weights() default {};

    /**
     * {@return a file of prompts, from the working directory or the class path: JSON Lines with {@code prompt}, {@code messages},
     * {@code promptTokens} or {@code turns} in each, or ShareGPT's format; in place of lengths and weights}
     *
     * <p>Each of its conversations is sent once at most, all of its turns one after the other, in an order that is drawn by
     * {@code latencybudget.seed}. The prompts are as they are: whether a prefix of them is cached is for the target to say. How long
     * each is in tokens the target counts, and each request is judged by its own length: a budget beside it names no prompt length
     * that is run, a {@link LatencyBudget} without {@code promptTokens} is about all prompts, and one that no limit on TTFT is about
     * keeps the gate from passing.
     */
    String file() default "";

    /**
     * {@return how long a user thinks between an answer and the next request, in milliseconds, at most an hour; 0 for not at all}
     *
     * <p>Each of the {@code concurrency} users of a closed loop thinks by itself, so that fewer requests are in flight. The think
     * time is a condition of the run. It may stand without prompts.
     */
    double thinkMs() default 0;

    /** {@return how think times differ: {@link #thinkMs()} is their mean; drawn ones follow from {@code latencybudget.seed}} */
    ThinkTime.Distribution think() default ThinkTime.Distribution.CONSTANT;
}
