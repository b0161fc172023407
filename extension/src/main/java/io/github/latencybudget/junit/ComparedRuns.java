package io.github.latencybudget.junit;

import io.github.latencybudget.baseline.SideBySide;
import io.github.latencybudget.budget.Confidence;
import io.github.latencybudget.trace.Measurement;
import org.apiguardian.api.API;

/**
 * Both runs of a gate with {@link LocalAgainstServed}, for its test's body.
 *
 * @param local the run in this process
 * @param served the run behind the endpoint
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record ComparedRuns(Measurement local, Measurement served) {

    /** {@return the factors from local to served, with bounds at this confidence} */
    public SideBySide sideBySide(Confidence confidence) {
        return SideBySide.of(
                new SideBySide.Run(GateSide.LOCAL.label(), local),
                new SideBySide.Run(GateSide.SERVED.label(), served),
                confidence,
                true);
    }
}
