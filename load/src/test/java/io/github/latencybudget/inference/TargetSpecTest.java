package io.github.latencybudget.inference;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TargetSpecTest {

    @ParameterizedTest
    @CsvSource({
        "synthetic:tiny, synthetic:tiny",
        "/models/llama@main, /models/llama@main",
        "openai:https://host/v1?header.X-Api-Key=canary, openai:https://host/v1",
        "openai:https://host/v1?proxy=http://user:canary@proxy, openai:https://host/v1",
        "openai:https://user:canary@host/v1, openai:https://host/v1",
        "openai:https://user:can@ary@host/v1?model=chat, openai:https://host/v1",
        "openai:https://user:can/ary@host/v1, openai:https://host/v1",
        "openai:user:canary@host/v1, openai:host/v1",
        "openai:https://host/v1#canary, openai:https://host/v1",
        "openai:https://host/v1&header.X-Api-Key=canary, openai:https://host/v1",
        "/models/a&b;c#d, /models/a&b;c#d",
    })
    void aModelIsNamedWithoutItsSecrets(String model, String said) {
        assertThat(TargetSpec.withoutSecrets(model)).isEqualTo(said);
    }

    @Test
    void itsTextHasNoSecret() {
        assertThat(new TargetSpec(
                        "openai:https://user:canary@host/v1?keyFile=canary",
                        "cpu",
                        "fp16",
                        42,
                        new TreeMap<>(Map.of("header.X-Api-Key", "canary"))))
                .hasToString("openai:https://host/v1 on cpu, dtype fp16, seed 42, options: 1");
    }
}
