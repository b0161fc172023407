package io.github.latencybudget.junit;

import io.github.latencybudget.trace.Guarded;
import java.lang.annotation.Annotation;
import java.util.Locale;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/** Words configuration errors: the annotation, the attribute, the value, what is allowed. */
final class ConfigurationErrors {

    private ConfigurationErrors() {}

    static ExtensionConfigurationException attribute(
            Class<? extends Annotation> annotation, String attribute, Object value, String where, String allowed) {
        return new ExtensionConfigurationException(String.format(
                Locale.ROOT,
                "@%s on %s: `%s = %s` is not allowed; %s",
                annotation.getSimpleName(),
                where,
                attribute,
                value,
                allowed));
    }

    static ExtensionConfigurationException annotation(
            Class<? extends Annotation> annotation, String where, String problem) {
        return new ExtensionConfigurationException(
                String.format(Locale.ROOT, "@%s on %s: %s", annotation.getSimpleName(), where, problem));
    }

    static ExtensionConfigurationException setting(String key, String allowed) {
        return new ExtensionConfigurationException(String.format(Locale.ROOT, "`%s` is not allowed; %s", key, allowed));
    }

    static ExtensionConfigurationException setting(String key, String value, String allowed) {
        return new ExtensionConfigurationException(
                Guarded.isPlain(value)
                        ? String.format(Locale.ROOT, "`%s = %s` is not allowed; %s", key, value, allowed)
                        : String.format(
                                Locale.ROOT,
                                "`%s` is not allowed (its value is not printed, because it may be a key); %s",
                                key,
                                allowed));
    }
}
