package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {

    static class Plain {
        @Test
        @LatencyBudget(promptTokens = 8, itlP95Ms = 10)
        void gate() {}
    }

    /** Otherwise two gates on one GPU would hold two locks, and load one model twice. */
    @ParameterizedTest
    @CsvSource({
        "cpu, cpu",
        "CPU, cpu",
        "cuda, cuda:0",
        "gpu, cuda:0",
        "gpu:0, cuda:0",
        "CUDA:0, cuda:0",
        "cuda:00, cuda:0",
        "gpu:1, cuda:1"
    })
    void oneDeviceHasOneName(String written, String name) throws NoSuchMethodException {
        Map<String, String> parameters = Map.of("latencybudget.device", written);
        Gate gate =
                Gate.find(Plain.class, Plain.class.getDeclaredMethod("gate")).orElseThrow();

        assertThat(new Settings(k -> Optional.ofNullable(parameters.get(k)), Set.of())
                        .target(gate.attributes(GateSide.WHOLE))
                        .device())
                .isEqualTo(name);
    }
}
