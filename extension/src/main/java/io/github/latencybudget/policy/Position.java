package io.github.latencybudget.policy;

import java.util.Locale;
import org.apiguardian.api.API;

/**
 * A place in a policy file.
 *
 * @param file the file's name, as messages say it
 * @param line from 1
 * @param column from 1
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public record Position(String file, int line, int column) {

    PolicyException error(String problem) {
        return new PolicyException(String.format(Locale.ROOT, "%s:%d:%d: %s", file, line, column, problem));
    }
}
