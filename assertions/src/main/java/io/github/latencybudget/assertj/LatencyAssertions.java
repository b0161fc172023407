package io.github.latencybudget.assertj;

import io.github.latencybudget.trace.Measurement;
import org.apiguardian.api.API;
import org.assertj.core.api.InstanceOfAssertFactory;
import org.jspecify.annotations.Nullable;

/** Entry point of the assertions on latency, to be imported statically beside AssertJ's own. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class LatencyAssertions {

    /**
     * Narrows an AssertJ assertion to one on a measurement.
     *
     * <pre>{@code
     * assertThat(results).first(MEASUREMENT).hasItlP95AtMost(Duration.ofMillis(50));
     * }</pre>
     */
    public static final InstanceOfAssertFactory<Measurement, MeasurementAssert> MEASUREMENT =
            new InstanceOfAssertFactory<>(Measurement.class, LatencyAssertions::assertThat);

    private LatencyAssertions() {}

    /** {@return assertions on a run, each at 95% confidence} */
    public static MeasurementAssert assertThat(@Nullable Measurement actual) {
        return new MeasurementAssert(actual);
    }
}
