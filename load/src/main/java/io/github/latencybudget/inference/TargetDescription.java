package io.github.latencybudget.inference;

import java.util.Collections;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apiguardian.api.API;

/**
 * What was opened, as found on the device.
 *
 * @param model the model's name, such as {@code Llama-2-7b}
 * @param weights where its weights come from, such as {@code synthetic, seed 42}
 * @param dtype the type that it computes in
 * @param device the device by its own name, such as {@code NVIDIA H200}, or the processor's
 * @param deviceKey which device it was opened on: {@code cpu}, {@code cuda:0}, a server's address
 * @param contextTokens how many tokens prompt and output may have together
 * @param settings what else it was told that its numbers depend on, by name, such as {@code use_cache: off}; without what is as by
 *     default
 * @param details names and values for the record's environment, such as {@code engine} and {@code threads}; what may change
 *     while requests run, for it says what they did, has a name that ends with {@link #SO_FAR}
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record TargetDescription(
        String model,
        String weights,
        String dtype,
        String device,
        String deviceKey,
        int contextTokens,
        SortedMap<String, String> settings,
        SortedMap<String, String> details) {

    /** The end of the name of a detail that says what was done since the session was opened. */
    public static final String SO_FAR = " so far";

    /** @throws NullPointerException without one of them: what a run holds for has a name */
    public TargetDescription {
        Objects.requireNonNull(model, "model");
        Objects.requireNonNull(weights, "weights");
        Objects.requireNonNull(dtype, "dtype");
        Objects.requireNonNull(device, "device");
        Objects.requireNonNull(deviceKey, "deviceKey");
        settings = Collections.unmodifiableSortedMap(new TreeMap<>(settings));
        details = Collections.unmodifiableSortedMap(new TreeMap<>(details));
    }

    /** With all settings as by default. */
    public TargetDescription(
            String model,
            String weights,
            String dtype,
            String device,
            String deviceKey,
            int contextTokens,
            SortedMap<String, String> details) {
        this(model, weights, dtype, device, deviceKey, contextTokens, Collections.emptySortedMap(), details);
    }
}
