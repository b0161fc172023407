package io.github.latencybudget.budget;

/**
 * The number of successes in {@code n} independent trials of probability {@code p}.
 *
 * @param n how many trials
 * @param p above 0 and below 1
 */
record Binomial(int n, double p) {

    /** {@return P(X <= k)} */
    double atMost(int k) {
        if (k < 0) {
            return 0;
        }
        return k >= n ? 1 : Math.min(1, sum(0, k));
    }

    /** {@return P(X >= k)} */
    double atLeast(int k) {
        if (k <= 0) {
            return 1;
        }
        return k > n ? 0 : Math.min(1, sum(k, n));
    }

    private double sum(int from, int to) {
        double logTerm = logChoose(from) + from * Math.log(p) + (n - from) * Math.log1p(-p);
        double odds = p / (1 - p);
        double sum = 0;
        for (int i = from; i <= to; i++) {
            sum += Math.exp(logTerm);
            logTerm += Math.log((double) (n - i) / (i + 1) * odds);
        }
        return sum;
    }

    private double logChoose(int k) {
        double log = 0;
        for (int i = 1; i <= Math.min(k, n - k); i++) {
            log += Math.log((double) (n - i + 1) / i);
        }
        return log;
    }
}
