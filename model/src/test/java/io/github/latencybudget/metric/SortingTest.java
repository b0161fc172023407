package io.github.latencybudget.metric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.function.DoubleSupplier;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class SortingTest {

    private static final Random RANDOM = new Random(1);

    @ParameterizedTest
    @MethodSource
    void itSortsAsTheLibraryDoes(DoubleSupplier source) {
        double[] values = DoubleStream.generate(source).limit(40_000).toArray();
        double[] expected = values.clone();
        Arrays.sort(expected);

        Sorting.sort(values);

        assertThat(values).isEqualTo(expected);
    }

    static Stream<DoubleSupplier> itSortsAsTheLibraryDoes() {
        return Stream.of(
                () -> RANDOM.nextLong(1, 1L << 40),
                () -> Math.exp(50 * RANDOM.nextGaussian()),
                () -> 20_000_000,
                () -> RANDOM.nextInt(-5, 5),
                () -> RANDOM.nextInt(100) == 0 ? Double.NaN : -0.0,
                () -> Double.longBitsToDouble(RANDOM.nextLong() & Long.MAX_VALUE));
    }
}
