package io.github.latencybudget.budget;

import java.util.Random;
import java.util.function.Supplier;

/**
 * A kind of traffic to be simulated: the values of each request, one after the other. Its P95 is the {@link #p95}th of a unit, so
 * that a limit can be put beside it.
 */
public enum Stream {
    /** One value per request, such as TTFT, with a moderate tail. */
    INDEPENDENT("independent, one value, log-normal, sigma 0.2", 1) {
        @Override
        public Supplier<double[]> requests(Random random) {
            return () -> new double[] {Math.exp(0.2 * random.nextGaussian())};
        }
    },
    HEAVY_TAILED("independent, one value, Pareto, tail index 2.5", 1) {
        @Override
        public Supplier<double[]> requests(Random random) {
            return () -> new double[] {Math.pow(1 - random.nextDouble(), -1 / 2.5)};
        }
    },
    BIMODAL("independent, one value, one in 12 is three times as slow", 1) {
        @Override
        public Supplier<double[]> requests(Random random) {
            return () -> new double[] {(random.nextInt(12) == 0 ? 3 : 1) * Math.exp(0.2 * random.nextGaussian())};
        }
    },
    GAPS_INDEPENDENT("20 gaps, log-normal, sigma 0.2, independent", 20) {
        @Override
        public Supplier<double[]> requests(Random random) {
            return () -> gaps(random, 0);
        }
    },
    GAPS_03("20 gaps, log-normal, sigma 0.2, correlation 0.3 within a request", 20) {
        @Override
        public Supplier<double[]> requests(Random random) {
            return () -> gaps(random, 0.3);
        }
    },
    GAPS_07("20 gaps, log-normal, sigma 0.2, correlation 0.7 within a request", 20) {
        @Override
        public Supplier<double[]> requests(Random random) {
            return () -> gaps(random, 0.7);
        }
    },
    GAPS_HEAVY("20 gaps, Pareto of tail index 2.5, correlation 0.7 within a request", 20) {
        @Override
        public Supplier<double[]> requests(Random random) {
            return () -> {
                double[] gaps = standard(random, 0.7);
                for (int i = 0; i < gaps.length; i++) {
                    gaps[i] = Math.pow(normalTail(gaps[i]), -1 / 2.5);
                }
                return gaps;
            };
        }
    },
    SUCCESSIVE_03("one value, log-normal, sigma 0.2, correlation 0.3 with the request before", 1) {
        @Override
        public Supplier<double[]> requests(Random random) {
            return chain(random, 0.3);
        }
    },
    SUCCESSIVE_07("one value, log-normal, sigma 0.2, correlation 0.7 with the request before", 1) {
        @Override
        public Supplier<double[]> requests(Random random) {
            return chain(random, 0.7);
        }
    },
    /** The worst for a run without an exceedance, for nothing in it tells of the slow times that last. */
    SLOW_TIMES_03("one value; slow times of which the indicator has correlation 0.3 with the request before", 1) {
        @Override
        public Supplier<double[]> requests(Random random) {
            double slowShare = 0.08;
            boolean[] isSlow = {random.nextDouble() < slowShare};
            return () -> {
                double value = (isSlow[0] ? 3 : 1) * Math.exp(0.2 * random.nextGaussian());
                double stays = isSlow[0] ? slowShare + 0.3 * (1 - slowShare) : slowShare * (1 - 0.3);
                isSlow[0] = random.nextDouble() < stays;
                return new double[] {value};
            };
        }
    },
    /** In the worst case all in flight together are slow at once. It does not matter where a round begins. */
    FOUR_IN_FLIGHT("4 in flight share their fate, rounds not in step with it", 1) {
        @Override
        public Supplier<double[]> requests(Random random) {
            int[] left = {random.nextInt(4)};
            double[] shared = {Math.exp(0.2 * random.nextGaussian())};
            return () -> {
                if (left[0]-- == 0) {
                    left[0] = 3;
                    shared[0] = Math.exp(0.2 * random.nextGaussian());
                }
                return new double[] {shared[0]};
            };
        }

        @Override
        public int inFlight() {
            return 4;
        }
    },
    PLACES_DIFFER("4 in flight, the last of each four 1.4 times as slow", 1) {
        @Override
        public Supplier<double[]> requests(Random random) {
            int[] next = {0};
            return () -> new double[] {(next[0]++ % 4 == 3 ? 1.4 : 1) * Math.exp(0.2 * random.nextGaussian())};
        }

        @Override
        public int inFlight() {
            return 4;
        }
    };

    private final String label;
    private final int values;

    Stream(String label, int values) {
        this.label = label;
        this.values = values;
    }

    /** {@return a source of requests, of which each call gives the next one's values} */
    public abstract Supplier<double[]> requests(Random random);

    public String label() {
        return label;
    }

    public int inFlight() {
        return 1;
    }

    /** {@return the limit beyond which 5% of all values lie, by simulation} */
    double p95() {
        double[] all = new double[2_000_000];
        Random random = new Random(99);
        Supplier<double[]> requests = requests(random);
        for (int i = 0; i < all.length; ) {
            for (double value : requests.get()) {
                all[i++] = value;
            }
        }
        java.util.Arrays.parallelSort(all);
        return all[(int) (0.95 * all.length) - 1];
    }

    /** Normal variables that share an effect of their request. */
    double[] standard(Random random, double rho) {
        double effect = random.nextGaussian();
        double[] all = new double[values];
        for (int i = 0; i < values; i++) {
            all[i] = Math.sqrt(rho) * effect + Math.sqrt(1 - rho) * random.nextGaussian();
        }
        return all;
    }

    double[] gaps(Random random, double rho) {
        double[] all = standard(random, rho);
        for (int i = 0; i < all.length; i++) {
            all[i] = Math.exp(0.2 * all[i]);
        }
        return all;
    }

    private static Supplier<double[]> chain(Random random, double rho) {
        double[] z = {random.nextGaussian()};
        return () -> {
            double value = Math.exp(0.2 * z[0]);
            z[0] = rho * z[0] + Math.sqrt(1 - rho * rho) * random.nextGaussian();
            return new double[] {value};
        };
    }

    /** P(Z > z), to 1e-7: Abramowitz and Stegun 26.2.17. */
    private static double normalTail(double z) {
        if (z < 0) {
            return 1 - normalTail(-z);
        }
        double t = 1 / (1 + 0.2316419 * z);
        double series =
                t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
        return Math.max(1e-12, series * Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI));
    }
}
