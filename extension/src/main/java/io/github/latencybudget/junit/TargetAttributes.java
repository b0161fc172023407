package io.github.latencybudget.junit;

import io.github.latencybudget.inference.Target;
import io.github.latencybudget.inference.TargetSpec;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/**
 * What a gate says of its target, wherever it says it. What is blank is left to the settings and the defaults.
 *
 * @param type the kind of target; {@link Target} itself for the one that the model's beginning names
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
                        a.target(), model(a), a.device(), a.dtype(), a.seed(), List.of(a.options()), Optional.empty()))
                .orElseGet(() -> new TargetAttributes(Target.class, "", "", "", "", List.of(), Optional.empty()));
    }

    private static String model(InferenceTarget annotation) {
        if (!annotation.value().isBlank() && !annotation.model().isBlank()) {
            throw new ExtensionConfigurationException(String.format(
                    Locale.ROOT,
                    "@InferenceTarget: `value = %s` and `model = %s` are the same attribute; leave one out",
                    TargetSpec.withoutSecrets(annotation.value()),
                    TargetSpec.withoutSecrets(annotation.model())));
        }
        return annotation.value().isBlank() ? annotation.model() : annotation.value();
    }
}
