package io.github.latencybudget.assertj;

import java.util.function.Consumer;
import org.apiguardian.api.API;
import org.assertj.core.api.AbstractSoftAssertions;
import org.assertj.core.api.SoftAssertionsProvider;

/**
 * Collects the failures of several assertions on measurements and shows them together.
 *
 * <pre>{@code
 * SoftLatencyAssertions.assertSoftly(softly -> {
 *     softly.assertThat(measurement).hasTtftAtMost(512, Duration.ofMillis(450));
 *     softly.assertThat(measurement).hasItlP95AtMost(Duration.ofMillis(50));
 * });
 * }</pre>
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public class SoftLatencyAssertions extends AbstractSoftAssertions implements LatencySoftAssertionsProvider {

    /**
     * Runs the assertions and then fails once, with all of the failures.
     *
     * @throws AssertionError where at least one failed
     */
    public static void assertSoftly(Consumer<SoftLatencyAssertions> assertions) {
        SoftAssertionsProvider.assertSoftly(SoftLatencyAssertions.class, assertions);
    }
}
