package io.github.latencybudget.trace;

import java.util.Locale;
import org.apiguardian.api.API;

/**
 * How the next token is chosen.
 *
 * @param temperature 0 for greedy decoding, else the divisor of the logits
 * @param topP the share of the probability mass that is sampled from, above 0 and at most 1
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Sampling(double temperature, double topP) {

    /** Always the most probable token. */
    public static final Sampling GREEDY = new Sampling(0, 1);

    /** @throws IllegalArgumentException for a temperature that is negative or not finite, or a topP outside (0, 1] */
    public Sampling {
        if (!(temperature >= 0 && temperature < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("temperature = %s: must be 0 or above".formatted(temperature));
        }
        if (!(topP > 0 && topP <= 1)) {
            throw new IllegalArgumentException("topP = %s: must be above 0 and at most 1".formatted(topP));
        }
    }

    @Override
    public String toString() {
        return temperature == 0 ? "greedy" : String.format(Locale.ROOT, "temperature %s, top-p %s", temperature, topP);
    }
}
