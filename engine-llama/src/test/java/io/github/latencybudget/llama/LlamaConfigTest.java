package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LlamaConfigTest {

    /** What {@code reference_rope.py} wrote. */
    record Case(int headDim, double theta, double factor, List<Float> frequencies) {}

    static Stream<Case> cases() throws IOException {
        try (InputStream json = LlamaConfigTest.class.getResourceAsStream("reference_rope.json")) {
            return new JsonMapper().readValue(json, new TypeReference<List<Case>>() {}).stream();
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void ropeTurnsByTheAnglesOfTransformers(Case expected) {
        LlamaConfig config = new LlamaConfig(
                "rope",
                8,
                8,
                1,
                4,
                4,
                expected.headDim(),
                8,
                8,
                1e-5,
                expected.theta(),
                expected.factor(),
                false,
                1,
                Set.of());
        float[] frequencies = config.ropeFrequencies();
        assertThat(frequencies).hasSize(expected.headDim() / 2);
        for (int i = 0; i < frequencies.length; i++) {
            float value = expected.frequencies().get(i);
            // powf of the machine may round the other way
            assertThat(frequencies[i]).as("pair %s", i).isCloseTo(value, within(2 * Math.ulp(value)));
        }
    }
}
