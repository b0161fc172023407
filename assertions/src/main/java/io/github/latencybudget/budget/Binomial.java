package io.github.latencybudget.budget;

/**
 * The number of successes in {@code n} independent trials of probability {@code p}.
 *
 * @param n how many trials
 * @param p above 0 and below 1
 */
record Binomial(int n, double p) {

    /** A term this much smaller than the sum no longer changes it, nor do the ever smaller ones after it. */
    private static final double NEGLIGIBLE = 1e-18;

    /** {@return P(X <= k)} */
    double atMost(int k) {
        if (k < 0) {
            return 0;
        }
        if (k >= n) {
            return 1;
        }
        return k <= n * p ? Math.min(1, lowerTail(k)) : 1 - failures().atMost(n - k - 1);
    }

    /** {@return P(X >= k)} */
    double atLeast(int k) {
        return failures().atMost(n - k);
    }

    private Binomial failures() {
        return new Binomial(n, 1 - p);
    }

    /** Sums from k downwards, where below the mean each term is smaller than the one before. */
    private double lowerTail(int k) {
        double term = Math.exp(logChoose(k) + k * Math.log(p) + (n - k) * Math.log1p(-p));
        double odds = p / (1 - p);
        double sum = term;
        for (int i = k; i > 0 && term > NEGLIGIBLE * sum; i--) {
            term *= i / ((n - i + 1) * odds);
            sum += term;
        }
        return sum;
    }

    private double logChoose(int k) {
        return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
    }

    /** From 20 on by Stirling's series, of which the next term is below a double's precision. */
    private static double logFactorial(int k) {
        if (k < 20) {
            double factorial = 1;
            for (int i = 2; i <= k; i++) {
                factorial *= i;
            }
            return Math.log(factorial);
        }
        double inverse = 1.0 / k;
        double square = inverse * inverse;
        double series = inverse
                * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square * (1.0 / 1680 - square / 1188))));
        return (k + 0.5) * Math.log(k) - k + 0.5 * Math.log(2 * Math.PI) + series;
    }
}
