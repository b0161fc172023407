package io.github.latencybudget.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SamplingTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | 0 | 1 | 1 | greedy",
                "0 | 0 | 1 | 1.2 | greedy, repetition penalty 1.2",
                "1 | 0 | 1 | 1 | temperature 1.0",
                "0.95 | 0 | 0.95 | 1 | temperature 0.95, top-p 0.95",
                "0.8 | 50 | 0.9 | 1.1 | temperature 0.8, top-k 50, top-p 0.9, repetition penalty 1.1"
            })
    void isPrintedInWords(double temperature, int topK, double topP, double penalty, String words) {
        assertThat(new Sampling(temperature, topK, topP, penalty, 7)).hasToString(words);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1 | -1 | 1 | 1 | topK = -1: must be 0 or above",
                "1 | 0 | 1 | 0 | repetitionPenalty = 0.0: must be above 0 and finite",
                "1 | 0 | 1 | NaN | repetitionPenalty = NaN: must be above 0 and finite",
                "1 | 0 | 1 | Infinity | repetitionPenalty = Infinity: must be above 0 and finite",
                "0 | 5 | 1 | 1 | topK = 5: has no effect at the temperature 0",
                "0 | 0 | 0.9 | 1 | topP = 0.9: has no effect at the temperature 0"
            })
    void isRefusedByName(double temperature, int topK, double topP, double penalty, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Sampling(temperature, topK, topP, penalty, 7))
                .withMessage(message);
    }

    @Test
    void theSeedSaysWhichTokensComeAndNotHow() {
        Sampling sampling = new Sampling(0.8, 0.9);

        assertThat(sampling.withSeed(1)).isNotEqualTo(sampling.withSeed(2));
        assertThat(sampling.withSeed(1).isLike(sampling.withSeed(2))).isTrue();
        assertThat(sampling.isLike(sampling.withTopK(5))).isFalse();
        assertThat(sampling.isLike(sampling.withRepetitionPenalty(1.1))).isFalse();
    }

    @Test
    void greedyDecodingHasNoSeed() {
        assertThat(Sampling.GREEDY.withSeed(9)).isEqualTo(Sampling.GREEDY);
        assertThat(new Sampling(-0.0, 1)).isEqualTo(Sampling.GREEDY);
        assertThat(Sampling.GREEDY.isDrawn()).isFalse();
        assertThat(new Sampling(1e-4, 1).isDrawn()).isTrue();
    }
}
