package io.github.latencybudget.load;

import io.github.latencybudget.trace.Arrivals;
import java.util.Random;
import java.util.function.LongSupplier;

/** When the requests of an open loop are due, one after the other, in nanoseconds since its start. */
final class Schedule {

    private static final double NANOS_PER_SECOND = 1e9;

    private Schedule() {}

    /** {@return what gives the next time at each call} */
    static LongSupplier of(Arrivals arrivals) {
        if (arrivals instanceof Arrivals.Poisson poisson) {
            return poisson(poisson);
        }
        if (arrivals instanceof Arrivals.Ramp ramp) {
            return new Counted(number -> ramp(ramp, number));
        }
        double perSecond = ((Arrivals.Constant) arrivals).requestsPerSecond();
        return new Counted(number -> number / perSecond);
    }

    /** By the generator whose numbers the JDK's documentation fixes, so that a seed gives the same schedule everywhere. */
    private static LongSupplier poisson(Arrivals.Poisson arrivals) {
        Random random = new Random(arrivals.seed());
        return new LongSupplier() {
            private double seconds;

            @Override
            public long getAsLong() {
                seconds += -Math.log1p(-random.nextDouble()) / arrivals.requestsPerSecond();
                return Math.round(seconds * NANOS_PER_SECOND);
            }
        };
    }

    /** {@return when the integral of the rate comes to the number} */
    private static double ramp(Arrivals.Ramp ramp, long number) {
        double from = ramp.fromRequestsPerSecond();
        double to = ramp.toRequestsPerSecond();
        double over = ramp.over().toNanos() / NANOS_PER_SECOND;
        double within = (from + to) / 2 * over;
        if (number >= within) {
            return over + (number - within) / to;
        }
        // The root of change / 2 * t^2 + from * t = number, in the form that does not cancel where the change is small.
        double change = (to - from) / over;
        return number == 0 ? 0 : 2 * number / (from + Math.sqrt(from * from + 2 * change * number));
    }

    private interface Seconds {
        double of(long number);
    }

    /** From the number each time, so that no error adds up. */
    private static final class Counted implements LongSupplier {

        private final Seconds seconds;
        private long number;

        Counted(Seconds seconds) {
            this.seconds = seconds;
        }

        @Override
        public long getAsLong() {
            return Math.round(seconds.of(number++) * NANOS_PER_SECOND);
        }
    }
}
