package io.github.latencybudget.record;

import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;
import org.apiguardian.api.API;

/**
 * Where a record comes from.
 *
 * @param run which run of the build it belongs to
 * @param origin eight hexadecimal digits that tell the records folder in which it was written from those of other machines
 * @param product the version of this product that has written it; {@code unknown} where it does not know its own
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Source(String run, String origin, String product) {

    private static final Pattern ORIGIN = Pattern.compile("[0-9a-f]{8}");

    /**
     * @throws NullPointerException where a file leaves one of them out
     * @throws IllegalArgumentException for an origin that is none
     */
    public Source {
        Objects.requireNonNull(run, "run");
        Objects.requireNonNull(origin, "origin");
        Objects.requireNonNull(product, "product");
        if (!isOrigin(origin)) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "origin = %s: must be eight hexadecimal digits", origin));
        }
    }

    static boolean isOrigin(String text) {
        return ORIGIN.matcher(text).matches();
    }
}
