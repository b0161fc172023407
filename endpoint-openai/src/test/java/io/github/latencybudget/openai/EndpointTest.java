package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.inference.MeasurementException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointTest {

    @ParameterizedTest
    @CsvSource({
        "http://localhost:8000, http://localhost:8000/v1",
        "http://localhost:8000/, http://localhost:8000/v1",
        "http://localhost:8000/v1, http://localhost:8000/v1",
        "http://localhost:8000/v1/, http://localhost:8000/v1",
        "http://localhost:8000//v1//, http://localhost:8000/v1",
        "HTTP://localhost:8000/v1/chat/completions, http://localhost:8000/v1",
        "http://localhost:8000/v1/completions/, http://localhost:8000/v1",
        "https://gateway.example/openai, https://gateway.example/openai/v1",
        "https://gateway.example:443/v1beta/openai, https://gateway.example/v1beta/openai",
        "http://[::1]:8000, http://[::1]:8000/v1"
    })
    void theBaseIsNeverDoubled(String written, String base) {
        assertThat(Endpoint.of(written)).hasToString(base);
        assertThat(Endpoint.of(written).url(Endpoint.of(written).pathOf("/chat/completions")))
                .isEqualTo(base + "/chat/completions");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "localhost:8000", "ftp://localhost/v1", "http:///v1"})
    void whatIsNoAddressIsRefused(String written) {
        assertThatThrownBy(() -> Endpoint.of(written))
                .isInstanceOf(MeasurementException.class)
                .hasMessageContaining("http://host:8000/v1");
    }

    @Test
    void aPasswordInTheAddressIsRefusedAndNotRepeated() {
        assertThatThrownBy(() -> Endpoint.of("https://me:canary@host.example/v1"))
                .hasMessage(
                        "the endpoint's URL https://...@host.example has a user or password in it: name the variable that holds the key by the option keyEnv, or its file by keyFile");
    }
}
