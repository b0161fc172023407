package io.github.latencybudget.metric;

import io.github.latencybudget.trace.TokenTrace;
import org.apiguardian.api.API;

/** A quantity of which a request gives one value, or several. Two that are equal give the same. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public interface PerRequest {

    /** {@return the name as it is printed, such as {@code decode TGS}} */
    String label();

    /** {@return what the values are in} */
    Metric.Unit unit();

    /** {@return the values that a request gives, in its order; none where the quantity is not defined for it} */
    double[] of(TokenTrace trace);

    /** {@return whether a request gives several values, which are not independent of one another} */
    default boolean isClusteredByRequest() {
        return false;
    }

    /** {@return whether every request gives a value however it ended; else only those that completed do} */
    default boolean isOfEveryOutcome() {
        return false;
    }
}
