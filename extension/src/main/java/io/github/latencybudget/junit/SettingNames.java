package io.github.latencybudget.junit;

import io.github.latencybudget.policy.Nearest;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Refuses names that look like a setting and are none: a gate that runs with another model than meant passes on nothing. */
final class SettingNames {

    /** The beginning of all settings. */
    static final String PREFIX = "latencybudget.";

    private static final String STEM = "latencybudget";

    /** The most letters of {@link #STEM} that may be wrong. */
    private static final int MOST_SLIPS = 2;

    /** A build may have a property for the version of this library. */
    private static final String VERSION = "version";

    private SettingNames() {}

    /**
     * @param names of all that a run is configured by
     * @param keys of all settings
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException naming the first that is none, without its value,
     *     which may be a key that was meant for something else
     */
    static void refuseUnknown(Collection<String> names, List<String> keys) {
        for (String name : names) {
            if (keys.contains(name)) {
                continue;
            }
            Optional<String> rest = rest(name, keys).filter(r -> !r.equals(VERSION));
            if (rest.isPresent()) {
                throw ConfigurationErrors.setting(
                        name,
                        String.format(
                                Locale.ROOT,
                                "there is no such setting; did you mean `%s`? There are %s and the guards, %sother-processes and the like",
                                Nearest.of(PREFIX + rest.get().toLowerCase(Locale.ROOT), keys),
                                keys.stream()
                                        .filter(key -> !key.startsWith(GuardParameters.PREFIX))
                                        .collect(Collectors.joining(", ")),
                                GuardParameters.PREFIX));
            }
        }
    }

    /** {@return what follows on the stem, however that is written; empty for a name that is not about this library} */
    private static Optional<String> rest(String name, List<String> keys) {
        if (name.startsWith(PREFIX)) {
            return Optional.of(name.substring(PREFIX.length()));
        }
        for (int end = name.length() - 2; end > 0; end--) {
            if (isSeparator(name.charAt(end))
                    && Nearest.changes(squeezed(name.substring(0, end)), STEM) <= MOST_SLIPS) {
                return Optional.of(name.substring(end + 1));
            }
        }
        return keys.stream()
                .filter(key -> squeezed(key).equals(squeezed(name)))
                .map(key -> key.substring(PREFIX.length()))
                .findFirst();
    }

    /**
     * @param environment the names of the environment's variables
     * @param keys of all settings
     * @param isSet whether a setting is given as it should be, so that the variable may have been its source
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException naming the first variable that somebody may take for
     *     a setting
     */
    static void refuseVariables(Collection<String> environment, List<String> keys, Predicate<String> isSet) {
        for (String variable : environment) {
            keys.stream()
                    .filter(key -> squeezed(key).equals(squeezed(variable)) && !isSet.test(key))
                    .findFirst()
                    .ifPresent(key -> {
                        throw ConfigurationErrors.setting(
                                variable,
                                String.format(
                                        Locale.ROOT,
                                        "a setting is no environment variable; pass the system property `%1$s`, such as -D%1$s=..., or set it in junit-platform.properties",
                                        key));
                    });
        }
    }

    private static String squeezed(String name) {
        return name.replaceAll("[._:-]", "").toLowerCase(Locale.ROOT);
    }

    private static boolean isSeparator(char c) {
        return "._:-".indexOf(c) >= 0;
    }
}
