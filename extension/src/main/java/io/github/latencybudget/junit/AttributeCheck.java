package io.github.latencybudget.junit;

import java.lang.annotation.Annotation;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/** Refuses attributes of one annotation, by annotation, attribute and value. */
record AttributeCheck(Class<? extends Annotation> annotation, String where) {

    /** @throws ExtensionConfigurationException where the value is not allowed */
    void require(boolean isAllowed, String attribute, Object value, String allowed) {
        if (!isAllowed) {
            throw ConfigurationErrors.attribute(annotation, attribute, value, where, allowed);
        }
    }

    /** @throws ExtensionConfigurationException where the annotation as a whole cannot be meant */
    void require(boolean isAllowed, String problem) {
        if (!isAllowed) {
            throw ConfigurationErrors.annotation(annotation, where, problem);
        }
    }
}
