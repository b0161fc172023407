package io.github.latencybudget.junit;

import io.github.latencybudget.policy.Nearest;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.GuardSettings;
import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The switches of the guards: a configuration parameter each, which is {@code on}, {@code off} or a threshold. */
final class GuardParameters {

    static final String PREFIX = "latencybudget.guards.";

    private GuardParameters() {}

    /** @throws org.junit.jupiter.api.extension.ExtensionConfigurationException for a value that a guard cannot have */
    static GuardSettings read(Function<String, Optional<String>> parameters) {
        GuardSettings settings = GuardSettings.DEFAULT;
        for (Guard guard : Guard.values()) {
            Optional<String> value =
                    parameters.apply(PREFIX + guard.label()).map(String::strip).filter(v -> !v.isEmpty());
            if (value.isPresent()) {
                settings = with(settings, guard, value.get());
            }
        }
        return settings;
    }

    private static GuardSettings with(GuardSettings settings, Guard guard, String value) {
        if (value.equalsIgnoreCase("on")) {
            return settings;
        }
        if (value.equalsIgnoreCase("off")) {
            return settings.without(guard);
        }
        return threshold(value)
                .filter(guard::allows)
                .map(threshold -> settings.with(guard, threshold))
                .orElseThrow(() -> ConfigurationErrors.setting(PREFIX + guard.label(), value, allowed(guard)));
    }

    private static Optional<Double> threshold(String value) {
        try {
            return Optional.of(Double.valueOf(value));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static String allowed(Guard guard) {
        if (guard.defaultThreshold().isEmpty()) {
            return "it is `on` or `off`";
        }
        return String.format(
                Locale.ROOT,
                "it is `on`, `off` or a share %s, by default %s",
                guard.allows(2) ? "from 0 on" : "from 0 to 1",
                guard.defaultThreshold().getAsDouble());
    }

    /**
     * A misspelt switch would leave a guard on that was meant to be off, and one that was meant to be stricter as it is.
     *
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException naming the first that there is not
     */
    static void refuseUnknown(Collection<String> names) {
        for (String name : names) {
            if (name.startsWith(PREFIX)
                    && Guard.named(name.substring(PREFIX.length())).isEmpty()) {
                throw ConfigurationErrors.setting(
                        name,
                        String.format(
                                Locale.ROOT,
                                "there is no such guard; did you mean `%s`? There are %s",
                                PREFIX + Nearest.of(name.substring(PREFIX.length()), labels().toList()),
                                labels().collect(Collectors.joining(", "))));
            }
        }
    }

    /** {@return the keys of all guards} */
    static Stream<String> keys() {
        return labels().map(label -> PREFIX + label);
    }

    private static Stream<String> labels() {
        return Arrays.stream(Guard.values()).map(Guard::label);
    }
}
