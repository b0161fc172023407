package io.github.latencybudget.policy;

import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;

/**
 * What a policy is measured on, as {@code @InferenceTarget} says it. What is empty is left to the settings and the defaults.
 *
 * @param name its name in the policy
 * @param type the class of the target; empty for Llama 2 in process
 * @param options further settings of the target, each a name, {@code =} and a value
 * @param isGpuRequired whether a missing GPU fails the rules instead of skipping them; empty to leave it to the setting
 * @param position where it stands in its file
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public record PolicyTarget(
        String name,
        Optional<String> type,
        String model,
        String device,
        String dtype,
        String seed,
        List<String> options,
        Optional<Boolean> isGpuRequired,
        Position position) {}
