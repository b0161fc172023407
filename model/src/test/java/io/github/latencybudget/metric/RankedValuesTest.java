package io.github.latencybudget.metric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.function.DoubleSupplier;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Against counting one by one: whole values as times are, others as rates are, few and many. */
final class RankedValuesTest {

    private static final Random RANDOM = new Random(3);

    @ParameterizedTest
    @MethodSource("sources")
    void theValuesOfFewRequestsAreCounted(DoubleSupplier source) {
        matchesCounting(source, 40, 7);
    }

    @ParameterizedTest
    @MethodSource("sources")
    void theValuesOfManyRequestsAreCounted(DoubleSupplier source) {
        matchesCounting(source, 700, 60);
    }

    static Stream<DoubleSupplier> sources() {
        return Stream.of(
                () -> RANDOM.nextInt(20),
                () -> RANDOM.nextLong(10_000_000, 40_000_000),
                () -> RANDOM.nextLong(1L << 53),
                () -> RANDOM.nextInt(20) / 4.0,
                () -> -RANDOM.nextInt(20),
                () -> Math.exp(100 * RANDOM.nextGaussian()),
                () -> RANDOM.nextInt(3) == 0 ? Double.POSITIVE_INFINITY : 5);
    }

    private static void matchesCounting(DoubleSupplier source, int requests, int most) {
        double[][] byRequest = new double[requests][];
        for (int i = 0; i < requests; i++) {
            byRequest[i] = DoubleStream.generate(source)
                    .limit(1 + RANDOM.nextInt(most))
                    .toArray();
        }
        double[] pooled = Arrays.stream(byRequest)
                .flatMapToDouble(Arrays::stream)
                .sorted()
                .toArray();

        RankedValues ranked = RankedValues.of(requests, i -> byRequest[i].clone());

        assertThat(ranked.requests()).isEqualTo(requests);
        assertThat(ranked.all().requests()).isEqualTo(requests);
        assertThat(ranked.all().mostPerRequest())
                .isEqualTo(
                        Arrays.stream(byRequest).mapToInt(v -> v.length).max().getAsInt());
        assertThat(ranked.all().size()).isEqualTo(pooled.length);
        for (int i = 0; i < pooled.length; i++) {
            assertThat(ranked.all().atRank(i + 1)).isEqualTo(pooled[i]);
        }
        for (int round = 0; round < 50; round++) {
            double limit = pooled[RANDOM.nextInt(pooled.length)];
            int request = RANDOM.nextInt(requests);
            int size = ranked.size(request);
            int place = pooled.length - ranked.all().countAbove(limit);
            int notAbove = (int)
                    Arrays.stream(byRequest[request]).filter(v -> v <= limit).count();

            assertThat(size).isEqualTo(byRequest[request].length);
            assertThat(ranked.before(place, request, 0, size)).isEqualTo(notAbove);
            assertThat(ranked.before(place, request, notAbove, notAbove)).isEqualTo(notAbove);
            assertThat(ranked.before(ranked.all().countBelow(limit), request, 0, notAbove))
                    .isEqualTo((int) Arrays.stream(byRequest[request])
                            .filter(v -> v < limit)
                            .count());
        }
    }

    @Test
    void eachRequestWeighsTheSameInTheMean() {
        RankedValues ranked = RankedValues.of(2, i -> i == 0 ? new double[] {1, 2, 3} : new double[] {10});

        assertThat(ranked.mean(0)).isEqualTo(2);
        assertThat(ranked.mean(1)).isEqualTo(10);
        assertThat(ranked.meanOfMeans()).hasValue(6);
        assertThat(RankedValues.of(0, i -> null).meanOfMeans()).isEmpty();
    }
}
