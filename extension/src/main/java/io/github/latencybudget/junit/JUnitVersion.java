package io.github.latencybudget.junit;

import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/** Whether the JUnit on the class path is new enough. Names no class that an older one lacks. */
final class JUnitVersion {

    /** Came with the first version that will do. */
    private static final String NEEDED = "org.junit.platform.engine.DiscoveryIssue";

    private static final boolean IS_OLD = isOld();

    private JUnitVersion() {}

    /** {@return whether a build has an older one, whose tests run as long as none of them is a gate} */
    static boolean isTooOld() {
        return IS_OLD;
    }

    /** {@return what is needed, and what was found} */
    static ExtensionConfigurationException problem() {
        return new ExtensionConfigurationException(String.format(
                Locale.ROOT,
                "Latency Budget needs JUnit 5.13 or later, and found JUnit %s: raise it, in a build with Spring Boot 3 by the property junit-jupiter.version",
                Optional.ofNullable(Test.class.getPackage().getImplementationVersion())
                        .orElse("of an older version")));
    }

    private static boolean isOld() {
        try {
            Class.forName(NEEDED, false, Test.class.getClassLoader());
            return false;
        } catch (ClassNotFoundException e) {
            return true;
        }
    }
}
