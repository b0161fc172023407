package io.github.latencybudget.junit;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The devices that a gate is about.
 *
 * @param names whole names; none for all devices
 */
record DeviceBinding(List<String> names) {

    DeviceBinding {
        names = List.copyOf(names);
    }

    /** @throws org.junit.jupiter.api.extension.ExtensionConfigurationException for a name without a letter */
    static DeviceBinding of(AttributeCheck check, List<String> names) {
        for (String name : names) {
            check.require(
                    !name.isBlank(),
                    "device",
                    '"' + name + '"',
                    "name a device as a record or nvidia-smi does, such as \"NVIDIA H200\", or leave it out for all");
        }
        return new DeviceBinding(names.stream().map(String::strip).toList());
    }

    boolean isToAll() {
        return names.isEmpty();
    }

    /** {@return why a gate is not applicable on this device; empty where it is} */
    Optional<String> refusal(String device) {
        return isToAll() || names.stream().anyMatch(name -> name.equalsIgnoreCase(device.strip()))
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "its limits hold for %s, and this device is %s; run it there, or give this device limits of its own",
                        this,
                        device));
    }

    /** {@return such as {@code NVIDIA H200 or NVIDIA B200}} */
    @Override
    public String toString() {
        return isToAll() ? "all devices" : names.stream().collect(Collectors.joining(" or "));
    }
}
