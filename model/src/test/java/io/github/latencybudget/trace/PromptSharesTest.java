package io.github.latencybudget.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class PromptSharesTest {

    private static PromptShares shares(Map<Integer, Integer> weights) {
        return new PromptShares(new TreeMap<>(weights));
    }

    @Test
    void eachLengthHasAsManyNumbersAsItsWeight() {
        PromptShares shares = shares(Map.of(8, 3, 512, 1, 1024, 2));

        assertThat(LongStream.range(0, shares.total()).mapToObj(shares::at)).containsExactly(8, 8, 8, 512, 1024, 1024);
        assertThatIllegalArgumentException().isThrownBy(() -> shares.at(6)).withMessage("number = 6: must be below 6");
    }

    @Test
    void aCommonDivisorChangesNothing() {
        assertThat(shares(Map.of(128, 75, 512, 25)))
                .isEqualTo(shares(Map.of(128, 3, 512, 1)))
                .hasToString("128, 512 drawn 3:1");
    }

    @Test
    void whatCannotBeDrawnIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> shares(Map.of()))
                .withMessage("weights = {}: must name at least one prompt length");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> shares(Map.of(128, 0)))
                .withMessage("weights = {128=0}: a prompt length and its weight must be at least 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> shares(Map.of(0, 1)))
                .withMessage("weights = {0=1}: a prompt length and its weight must be at least 1");
    }
}
