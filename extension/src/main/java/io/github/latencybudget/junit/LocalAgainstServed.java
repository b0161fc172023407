package io.github.latencybudget.junit;

import io.github.latencybudget.trace.SharedPrompts;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.apiguardian.api.API;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Measures a gate on two targets, one in this process and one behind an endpoint, with the same load: prompts, lengths, sampling
 * and concurrency. Each run has its own warm-up, conditions and record and is judged by the same budget, and the report puts the
 * two side by side. The test passes where both do.
 *
 * <pre>{@code
 * @Test
 * @LatencyBudget(promptTokens = 128, ttftMs = 450, itlP95Ms = 50)
 * @LocalAgainstServed(
 *         local = @InferenceTarget("/models/Llama-2-7b"),
 *         served = @InferenceTarget("openai:http://localhost:8000/v1?api=completions"))
 * void answersInTime(ComparedRuns runs) {}
 * }</pre>
 *
 * <p>The local target is measured first, then the served one, each to its end: all of its {@code requests}, for a factor between
 * two runs is of a number that was set before. The body's {@link ComparedRuns} parameter has both runs. What the served target
 * leaves empty is taken from {@code latencybudget.served.model}, {@code latencybudget.served.dtype} and
 * {@code latencybudget.served.options}; what the local one does, as always.
 *
 * <p>In place of {@link InferenceTarget}; the closest element that has one of the two wins.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@ExtendWith(LatencyBudgetExtension.class)
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public @interface LocalAgainstServed {

    /** {@return the target in this process} */
    InferenceTarget local() default @InferenceTarget;

    /** {@return the target behind an endpoint: one with OpenAI's API, or a kind of your own} */
    InferenceTarget served() default @InferenceTarget;

    /**
     * {@return what the prompts have in common} With {@link SharedPrompts#TEXTS} the local target is given the texts that the served
     * one is sent, and a request that has not as many tokens by the local model's tokenizer ends the run; so both need the same
     * tokenizer. With {@link SharedPrompts#LENGTHS} each has prompts of its own.
     */
    SharedPrompts prompts() default SharedPrompts.TEXTS;
}
