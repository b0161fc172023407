package io.github.latencybudget.inference;

import io.github.latencybudget.trace.Guarded;
import java.util.Collections;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apiguardian.api.API;

/**
 * What to open. Equal specs share one session.
 *
 * @param model a folder in the Hugging Face layout, or {@code synthetic:} and a shape; what else it may be is up to the target
 * @param device {@code cpu} or {@code cuda:0}; up to the target where it is not in this process
 * @param dtype the type to compute in: {@code fp32}, {@code fp16}, {@code bf16}; empty for the device's default
 * @param seed of synthetic weights and of prompts; what is drawn has its seed with the request
 * @param options further settings of the target by name, such as {@code threads}; sorted
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record TargetSpec(String model, String device, String dtype, long seed, SortedMap<String, String> options) {

    public TargetSpec {
        options = Collections.unmodifiableSortedMap(new TreeMap<>(options));
    }

    /** {@return what a message may say of a model: what stands before a {@code ?}, without user and password} Both may hold a key. */
    public static String withoutSecrets(String model) {
        return Guarded.model(model);
    }

    /** Says only how many options there are, because a name or a value may be a key. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s on %s, dtype %s, seed %d, options: %d",
                withoutSecrets(model),
                device,
                dtype,
                seed,
                options.size());
    }
}
