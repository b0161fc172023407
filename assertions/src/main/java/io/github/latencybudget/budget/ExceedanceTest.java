package io.github.latencybudget.budget;

/**
 * How improbable it is to see so few, or so many, values beyond a limit, if the true share of them were just the one that is
 * allowed. The unit of sampling is the request: its gaps are not independent of one another.
 *
 * <p>One value per request: the exact binomial test. Several: with {@code e} of {@code m} gaps of a request beyond the limit
 * and {@code M} the most gaps of any request, {@code y = a + (e - a m) / M} lies between 0 and 1 and has the mean {@code a},
 * the allowed share, just where the pooled share of gaps is {@code a}. Hoeffding's bound for means of bounded independent
 * variables (Hoeffding 1963, theorem 1) then holds whatever the correlation within a request:
 * {@code P(mean y <= x) <= exp(-n KL(x || a))}, and likewise for {@code >=} above {@code a}. Without any exceedance it is the
 * binomial's {@code (1 - a)^n}.
 *
 * <p>Requests that are in flight together share the engine's steps, so they are not independent of one another either. Those of
 * a closed loop with {@code c} in flight fall into {@code c} chains, each of requests that do not overlap. The mean over chains
 * then keeps Hoeffding's bound with {@code n / c} in the place of {@code n} (Janson 2004, as ADR 7 has it).
 *
 * @param allowedShare {@code a}, such as 0.05 for P95
 * @param requests {@code n}, at least 1
 * @param values how many values all requests gave
 * @param mostPerRequest {@code M}
 * @param inFlight {@code c}, at least 1
 */
record ExceedanceTest(double allowedShare, int requests, int values, int mostPerRequest, int inFlight) {

    private boolean isClustered() {
        return mostPerRequest > 1 || inFlight > 1;
    }

    String method() {
        if (inFlight > 1) {
            return "Hoeffding's bound over requests (%s in flight together count as one sample)".formatted(inFlight);
        }
        return isClustered()
                ? "Hoeffding's bound over requests (the gaps of one request count as one sample)"
                : "exact binomial test over requests";
    }

    /** {@return an upper bound of the probability of so few exceedances, if the true share were the allowed one or more} */
    double probabilityOfSoFew(int exceedances) {
        return probabilityOfSoFew(exceedances, requests);
    }

    /** As above for {@code n} requests, where those beyond the ones there are had all their values within the limit. */
    private double probabilityOfSoFew(int exceedances, int n) {
        if (!isClustered()) {
            return new Binomial(n, allowedShare).atMost(exceedances);
        }
        double mean = mean(exceedances) * requests / n;
        return mean < allowedShare ? Math.exp(-independent(n) * divergence(mean)) : 1;
    }

    /** {@return an upper bound of the probability of so many exceedances, if the true share were the allowed one or less} */
    double probabilityOfSoMany(int exceedances) {
        if (!isClustered()) {
            return new Binomial(requests, allowedShare).atLeast(exceedances);
        }
        double mean = mean(exceedances);
        return mean > allowedShare ? Math.exp(-independent(requests) * divergence(mean)) : 1;
    }

    /** {@return the most exceedances that still show the rule to hold; -1 where not even none would} */
    int mostForPass(double alpha) {
        int low = -1;
        int high = values;
        while (low < high) {
            int middle = low + (high - low + 1) / 2;
            if (probabilityOfSoFew(middle) <= alpha) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** {@return the fewest exceedances that show the rule to be broken; one more than there are values where none do} */
    int fewestForBreach(double alpha) {
        int low = 0;
        int high = values + 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (middle <= values && probabilityOfSoMany(middle) > alpha) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * {@return how many requests, those there are included, would show the rule to hold if no further value lay beyond the
     * limit; {@link Integer#MAX_VALUE} where even more would be needed}
     */
    int requestsForPass(int exceedances, double alpha) {
        int low = requests;
        int high = requests;
        while (probabilityOfSoFew(exceedances, high) > alpha) {
            if (high == Integer.MAX_VALUE) {
                return high;
            }
            low = high + 1;
            high = (int) Math.min(2L * high, Integer.MAX_VALUE);
        }
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (probabilityOfSoFew(exceedances, middle) <= alpha) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** The shortest chain, where they are as equal in length as they can be. */
    private int independent(int n) {
        return n / inFlight;
    }

    private double mean(int exceedances) {
        double mean = allowedShare + (exceedances - allowedShare * values) / ((double) mostPerRequest * requests);
        return Math.min(1, Math.max(0, mean));
    }

    /** KL(x || a) of two Bernoulli variables. */
    private double divergence(double x) {
        return term(x, allowedShare) + term(1 - x, 1 - allowedShare);
    }

    private static double term(double x, double a) {
        return x == 0 ? 0 : x * Math.log(x / a);
    }
}
