package io.github.latencybudget.budget;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.apiguardian.api.API;

/**
 * What a verdict rests on. Values are in the unit of the rule.
 *
 * @param requests how many requests gave a value
 * @param values how many values they gave
 * @param exceedances how many values lie beyond the limit of a percentile, or how many requests are not what a share is about;
 *     empty for means
 * @param rank the rank of the observed value, by nearest rank, counted from the better end; empty where it is not a percentile
 * @param lowerBound what the true value is at least, at the confidence; empty where the samples are too few to say
 * @param upperBound what the true value is at most, at the confidence; empty where the samples are too few to say
 * @param spread of the values; empty where they are only yes or no
 * @param requestsNeeded how many requests would show the rule to hold if no further value lay beyond the limit, or if a mean
 *     stayed what it is; empty where it was shown to hold or to be broken, and where no number would
 * @param decidedAfter how many requests it took until the rule was first shown to hold or to be broken; empty where it was not
 * @param requestsAtMost how many requests were planned at most
 * @param requestsPerSample how many requests count as one sample, for they are not independent of one another
 * @param correlation the rank correlation of successive samples, where one was found
 * @param method the method of the confidence, by its name
 * @param confidence how sure the verdict and each bound is
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Evidence(
        int requests,
        int values,
        OptionalInt exceedances,
        OptionalInt rank,
        OptionalDouble lowerBound,
        OptionalDouble upperBound,
        Optional<Spread> spread,
        OptionalInt requestsNeeded,
        OptionalInt decidedAfter,
        int requestsAtMost,
        int requestsPerSample,
        OptionalDouble correlation,
        String method,
        Confidence confidence) {

    /**
     * How the values lie, by nearest rank.
     *
     * @param p50 the median
     * @param p95 the 95th percentile
     * @param p99 the 99th percentile
     * @param max the largest value
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record Spread(double p50, double p95, double p99, double max) {}
}
