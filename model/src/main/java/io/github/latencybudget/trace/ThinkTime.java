package io.github.latencybudget.trace;

import java.time.Duration;
import java.util.Locale;
import org.apiguardian.api.API;

/**
 * How long a user of a closed loop thinks between an answer and the next request.
 *
 * @param distribution whether it is always as long
 * @param mean its mean
 * @param seed what it is drawn by; 0 where it is not drawn
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record ThinkTime(Distribution distribution, Duration mean, long seed) {

    private static final Duration MOST = Duration.ofHours(1);
    private static final double NANOS_PER_SECOND = 1e9;

    /** How think times differ. */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public enum Distribution {
        /** Each is as long as the mean. */
        CONSTANT,
        /** Exponential, as of users who do not know how long they have thought. */
        EXPONENTIAL
    }

    /** @throws IllegalArgumentException for a mean that is not above zero or longer than an hour */
    public ThinkTime {
        if (mean.isZero() || mean.isNegative() || mean.compareTo(MOST) > 0) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "mean = %s: must be above zero and at most an hour", mean));
        }
        seed = distribution == Distribution.CONSTANT ? 0 : seed;
    }

    /** {@return the same, drawn by another seed} */
    public ThinkTime withSeed(long seed) {
        return new ThinkTime(distribution, mean, seed);
    }

    /** {@return such as {@code 2.000 s of thought, constant}; without the seed} */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%.3f s of thought, %s",
                mean.toNanos() / NANOS_PER_SECOND,
                distribution.name().toLowerCase(Locale.ROOT));
    }
}
