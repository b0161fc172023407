package io.github.latencybudget.record;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** This product, of which each record names the version. */
final class Product {

    /** The version; {@code unknown} where the build has not written it down. */
    static final String VERSION = version();

    private static final String UNKNOWN = "unknown";

    private Product() {}

    private static String version() {
        try (InputStream in = Product.class.getResourceAsStream("product.properties")) {
            Properties properties = new Properties();
            if (in != null) {
                properties.load(in);
            }
            String version = properties.getProperty("version", UNKNOWN);
            // As it stands in the sources, where nothing has put the version in its place.
            return version.startsWith("$") || version.startsWith("@") ? UNKNOWN : version;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
