package io.github.latencybudget.metric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Percentiles and counts against what a sorted list says. */
final class DistributionPropertiesTest {

    /** The least rank that has so large a share of all values, in whole numbers of any size. */
    @Property
    void theRankIsTheLeastThatHasTheShare(
            @ForAll @IntRange(min = 1, max = 100_000) int thousandths, @ForAll @IntRange(min = 1) int n) {
        int rank = new Percentile(thousandths).rank(n);

        assertThat(rank).isBetween(1, n);
        assertThat(hasShare(rank, thousandths, n)).isTrue();
        assertThat(hasShare(rank - 1, thousandths, n)).isFalse();
    }

    private static boolean hasShare(int rank, int thousandths, int n) {
        BigInteger share = BigInteger.valueOf(rank).multiply(BigInteger.valueOf(100_000));
        return share.compareTo(BigInteger.valueOf(thousandths).multiply(BigInteger.valueOf(n))) >= 0;
    }

    @Property
    void aPercentileIsTheValueAtItsRankOfTheSortedList(
            @ForAll @Size(min = 1, max = 60) List<@DoubleRange(min = -5, max = 5) Double> values,
            @ForAll @IntRange(min = 1, max = 100_000) int thousandths) {
        Percentile percentile = new Percentile(thousandths);
        List<Double> sorted = values.stream().sorted().toList();

        assertThat(pooled(values, values.size()).percentile(percentile))
                .hasValue(sorted.get(percentile.rank(sorted.size()) - 1));
    }

    /** Merging is pooling: whoever had a value, the distribution is the same. */
    @Property
    void aDistributionIsTheSameHoweverItsValuesAreSpreadOverRequests(
            @ForAll @Size(min = 1, max = 60) List<@DoubleRange(min = 0, max = 9) Double> values,
            @ForAll @IntRange(min = 1, max = 60) int most) {
        Distribution one = pooled(values, values.size());
        Distribution spread = pooled(values, most);

        assertThat(spread.size()).isEqualTo(one.size());
        for (int rank = 1; rank <= one.size(); rank++) {
            assertThat(spread.atRank(rank)).isEqualTo(one.atRank(rank));
        }
        assertThat(spread.requests()).isEqualTo((values.size() + most - 1) / most);
        assertThat(spread.mostPerRequest()).isEqualTo(Math.min(most, values.size()));
        assertThat(spread.mean().getAsDouble()).isCloseTo(one.mean().getAsDouble(), within(1e-12));
    }

    @Property
    void whatLiesBeyondALimitIsCounted(
            @ForAll @Size(max = 60) List<@IntRange(min = 0, max = 9) Integer> whole,
            @ForAll @IntRange(min = -1, max = 10) int limit) {
        List<Double> values = whole.stream().map(Integer::doubleValue).toList();
        Distribution distribution = pooled(values, 7);

        assertThat(distribution.countAbove(limit))
                .isEqualTo((int) values.stream().filter(v -> v > limit).count());
        assertThat(distribution.countBelow(limit))
                .isEqualTo((int) values.stream().filter(v -> v < limit).count());
    }

    @Property
    void theDeviationIsThatOfItsDefinition(
            @ForAll @Size(min = 2, max = 30) List<@DoubleRange(min = -5, max = 5) Double> values) {
        double mean = values.stream().mapToDouble(v -> v).sum() / values.size();
        double squares =
                values.stream().mapToDouble(v -> (v - mean) * (v - mean)).sum();

        assertThat(pooled(values, 1).standardDeviation().getAsDouble())
                .isCloseTo(Math.sqrt(squares / (values.size() - 1)), within(1e-9));
    }

    @Property(tries = 20)
    void manyValuesAreSortedAsFewAre(
            @ForAll @IntRange(min = 1, max = 1_000_000) int range, @ForAll @IntRange(min = -1, max = 1) int sign) {
        double[] values = new double[20_000];
        long state = range;
        for (int i = 0; i < values.length; i++) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            values[i] = sign * (1 + (state >>> 33) % range) + (i % 3 == 0 ? 0.5 : 0);
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);

        Sorting.sort(values);

        assertThat(values).isEqualTo(sorted);
    }

    private static Distribution pooled(List<Double> values, int most) {
        List<double[]> requests = new ArrayList<>();
        for (int from = 0; from < values.size(); from += most) {
            requests.add(values.subList(from, Math.min(values.size(), from + most)).stream()
                    .mapToDouble(v -> v)
                    .toArray());
        }
        return Distribution.of(requests.toArray(double[][]::new));
    }
}
