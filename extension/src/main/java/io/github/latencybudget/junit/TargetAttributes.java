package io.github.latencybudget.junit;

import io.github.latencybudget.target.Target;
import io.github.latencybudget.target.llama.LlamaTarget;
import java.util.List;
import java.util.Optional;

/**
 * What a gate says of its target, wherever it says it. What is blank is left to the settings and the defaults.
 *
 * @param type the kind of target
 * @param options further settings of the target, each a name, {@code =} and a value
 * @param gpu what to do where it needs a GPU; empty to leave it to the setting
 */
record TargetAttributes(
        Class<? extends Target> type,
        String model,
        String device,
        String dtype,
        String seed,
        List<String> options,
        Optional<Settings.Gpu> gpu) {

    static TargetAttributes of(Optional<InferenceTarget> annotation) {
        return annotation
                .map(a -> new TargetAttributes(
                        a.target(), a.model(), a.device(), a.dtype(), a.seed(), List.of(a.options()), Optional.empty()))
                .orElseGet(() -> new TargetAttributes(LlamaTarget.class, "", "", "", "", List.of(), Optional.empty()));
    }
}
