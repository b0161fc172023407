package io.github.latencybudget.junit;

import io.github.latencybudget.inference.Target;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.apiguardian.api.API;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What the gates of a class or method are measured on. The closest element wins as a whole, as for {@link LatencyBudget}.
 *
 * <p>An attribute that is left empty is taken from the configuration parameter or system property {@code latencybudget.} and its
 * name, and where that is not set either, from its default. So the same tests run on a laptop's CPU and, with
 * {@code -Dlatencybudget.device=cuda:0 -Dlatencybudget.model=/models/Llama-2-7b}, on a GPU. Without this annotation all of them
 * are.
 */
@java.lang.annotation.Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@ExtendWith(LatencyBudgetExtension.class)
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public @interface InferenceTarget {

    /** {@return the same as {@link #model()}, for {@code @InferenceTarget("openai:http://localhost:8000/v1")}; not both} */
    String value() default "";

    /**
     * {@return a folder in the Hugging Face layout, {@code synthetic:} and a shape such as {@code tiny} or {@code llama2-7b}, or
     * {@code openai:} and the URL of a server with OpenAI's API; {@code synthetic:tiny} by default}
     */
    String model() default "";

    /** {@return {@code cpu} or {@code cuda:0}; {@code cpu} by default. Left out for a server, whose device is its own} */
    String device() default "";

    /** {@return {@code fp32}, {@code fp16} or {@code bf16}; by default what suits the device} */
    String dtype() default "";

    /** {@return the seed of synthetic weights, of the prompts and of what is drawn; empty, which means 42 by default, or a whole number} */
    String seed() default "";

    /** {@return further settings of the target, such as {@code threads=1}} */
    String[] options() default {};

    /**
     * {@return the kind of target; by default the one that the model's beginning names. A class of your own has a public constructor
     * without parameters}
     */
    Class<? extends Target> target() default Target.class;
}
