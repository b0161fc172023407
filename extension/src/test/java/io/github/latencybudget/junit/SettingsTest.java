package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.inference.Target;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
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

    /** Each server is a device of its own, however its address is written. */
    @ParameterizedTest
    @CsvSource({
        "http://127.0.0.1:8000, 127.0.0.1:8000",
        "http://127.0.0.1:8000/v1/chat/completions?model=a&api=chat, 127.0.0.1:8000",
        "http://localhost:8000/v1, 127.0.0.1:8000",
        "http://LocalHost:8000, 127.0.0.1:8000",
        "http://[::1]:8000, 127.0.0.1:8000",
        "http://127.0.0.1:8001, 127.0.0.1:8001",
        "https://Models.example.com/v1, models.example.com:443",
        "http://models.example.com, models.example.com:80",
        "http://[2001:db8::1]:8000, [2001:db8::1]:8000"
    })
    void anEndpointHasItsServerToItself(String url, String server) {
        assertThat(measuredAlone(Target.class, "openai:" + url)).isEqualTo(server);
    }

    @Test
    void whatIsNoEndpointHasItsDeviceToItself() {
        assertThat(measuredAlone(Target.class, "synthetic:tiny")).isEqualTo("cuda:1");
        assertThat(measuredAlone(FakeTarget.class, "http://127.0.0.1:8000")).isEqualTo("cuda:1");
        assertThat(measuredAlone(FakeTarget.class, "openai:http://127.0.0.1:8000"))
                .as("a target of the user's own, whatever its models are called")
                .isEqualTo("cuda:1");
    }

    @Test
    void aModelThatNoTargetOpensSaysWhatToWrite() {
        assertThatThrownBy(() -> targetType("https://me:secret@127.0.0.1:8000/v1"))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessage(
                        "no target on the class path opens the model https://127.0.0.1:8000/v1: write a server with OpenAI's API as openai: and its URL, such as openai:http://localhost:8000/v1");
        assertThatThrownBy(() -> targetType("acme:large"))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessage(
                        "no target on the class path opens the model acme:large: it is neither a folder nor begins with synthetic: or openai:. Correct it, or name a class of your own with @InferenceTarget(target = ...)");
    }

    private static Class<? extends Target> targetType(String model) {
        return new Settings(k -> Optional.empty(), Set.of())
                .targetType(new TargetAttributes(Target.class, model, "", "", "", List.of(), Optional.empty()));
    }

    private static String measuredAlone(Class<? extends Target> type, String model) {
        Map<String, String> parameters = Map.of("latencybudget.device", "gpu:1");
        return new Settings(k -> Optional.ofNullable(parameters.get(k)), Set.of())
                .measuredAlone(new TargetAttributes(type, model, "", "", "", List.of(), Optional.empty()));
    }

    @Test
    void howLongToWaitForADeviceIsFifteenMinutesUnlessItIsSet() {
        assertThat(DeviceLocks.longest(new Settings(k -> Optional.empty(), Set.of())))
                .isEqualTo(Duration.ofMinutes(15));
        assertThat(DeviceLocks.longest(new Settings(k -> Optional.of("0"), Set.of())))
                .isZero();
    }
}
