package io.github.latencybudget.budget;

import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.apiguardian.api.API;

/**
 * What a verdict rests on. Values are in the unit of the rule's metric: nanoseconds, or tokens per second.
 *
 * @param requests how many requests gave a value
 * @param values how many values they gave
 * @param exceedances how many of them lie beyond the limit
 * @param rank the rank of the observed value, by nearest rank, counted from the better end
 * @param lowerBound what the true value is at least, at the confidence; empty where the samples are too few to say
 * @param upperBound what the true value is at most, at the confidence; empty where the samples are too few to say
 * @param p50 the median, by nearest rank
 * @param p95 the 95th percentile
 * @param p99 the 99th percentile
 * @param max the largest value
 * @param requestsNeeded how many requests would show the rule to hold if no further value lay beyond the limit; empty where it
 *     was shown to hold or to be broken
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
        int exceedances,
        int rank,
        OptionalDouble lowerBound,
        OptionalDouble upperBound,
        double p50,
        double p95,
        double p99,
        double max,
        OptionalInt requestsNeeded,
        OptionalInt decidedAfter,
        int requestsAtMost,
        int requestsPerSample,
        OptionalDouble correlation,
        String method,
        Confidence confidence) {}
