package io.github.latencybudget.junit;

import io.github.latencybudget.device.Nvml;
import java.util.Locale;
import java.util.Optional;

/** Whether a gate can run on this machine. */
final class GpuCondition {

    private GpuCondition() {}

    /**
     * {@return why a gate on this target is skipped; empty where it runs}
     *
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException where a setting is wrong, so that nothing is skipped
     */
    static Optional<String> skipReason(TargetAttributes target, Settings settings) {
        String device = settings.device(target);
        // What only looks like a GPU is for the target to refuse: a slip in the name is no reason to skip.
        if (!device.matches("cuda:\\d+")) {
            return Optional.empty();
        }
        // A skipped gate reads no setting later on, and a misspelt `required` would be a green build without a
        // measurement.
        settings.refuseWrong();
        return switch (target.gpu().orElseGet(settings::gpu)) {
            case REQUIRED -> Optional.empty();
            case OFF -> Optional.of(String.format(Locale.ROOT, "needs %s, and latencybudget.gpu = off", device));
            case AUTO ->
                Nvml.cudaDevice(0).isPresent()
                        ? Optional.empty()
                        : Optional.of(String.format(
                                Locale.ROOT,
                                "needs %s, and this machine has no NVIDIA GPU with a driver; set latencybudget.gpu = required to fail instead",
                                device));
        };
    }
}
