package io.github.latencybudget.assertj;

import io.github.latencybudget.trace.Measurement;
import org.apiguardian.api.API;
import org.assertj.core.api.SoftAssertionsProvider;
import org.jspecify.annotations.Nullable;

/** Adds assertions on measurements to soft assertions of one's own. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public interface LatencySoftAssertionsProvider extends SoftAssertionsProvider {

    /** {@return soft assertions on a run, each at 95% confidence} */
    default MeasurementAssert assertThat(@Nullable Measurement actual) {
        return proxy(MeasurementAssert.class, Measurement.class, actual);
    }
}
