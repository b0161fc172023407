package io.github.latencybudget.junit;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/** The names of what a run is configured by, as far as they can be known: JUnit gives an extension values and no names. */
final class SettingNames {

    private static final String FILE = "junit-platform.properties";

    private SettingNames() {}

    /** {@return the names of the system properties and of what {@code junit-platform.properties} has} */
    static Set<String> all() {
        Set<String> names = new TreeSet<>(System.getProperties().stringPropertyNames());
        names.addAll(inFile(PolicyLocator.loader()));
        return names;
    }

    private static Set<String> inFile(ClassLoader loader) {
        Properties properties = new Properties();
        try (InputStream in = loader.getResourceAsStream(FILE)) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException | IllegalArgumentException e) {
            // JUnit reads it too, and says what is wrong with it.
            return Set.of();
        }
        return properties.stringPropertyNames();
    }
}
