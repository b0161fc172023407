package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.TargetSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OpenAiOptionsTest {

    private static OpenAiOptions options(String model, String device, Map<String, String> options) {
        Map<String, String> environment = Map.of("SERVICE_KEY", "canary-1", "EMPTY", " ");
        return OpenAiOptions.of(
                new TargetSpec(model, device, "", 1, new TreeMap<>(options)),
                name -> Optional.ofNullable(environment.get(name)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            modle | m | option modle is not known to the endpoint: its options are api, betweenTokensSeconds, certificates, connectSeconds, firstTokenSeconds, hardware, http2, keyEnv, keyFile, metrics, model, prefixCache, proxy, requestSeconds, server, stream, tokenizer, and body.NAME, header.NAME, headerEnv.NAME
            api | responses | option api = responses is not allowed: use chat or completions
            server | vLMM | option server = vLMM is not known: use vllm, sglang, tgi, llama.cpp, llama-cpp-python, ollama, tensorrt-llm, transformers, openai, other, or leave it out to ask the server
            connectSeconds | 0 | option connectSeconds = 0 is not allowed: use a number of seconds above 0 and at most 86400
            requestSeconds | NaN | option requestSeconds = NaN is not allowed: use a number of seconds above 0 and at most 86400
            prefixCache | hot | option prefixCache = hot is not allowed: use cold or warm or unchecked
            keyEnv | sk-canary-2 | option keyEnv names no environment variable: name the variable, never the key itself
            keyEnv | NOT_SET | option keyEnv names an environment variable that is not set (NOT_SET): export it where the tests run
            keyEnv | EMPTY | option keyEnv names an environment variable that is not set (EMPTY): export it where the tests run
            tokenizer | nowhere.json | option tokenizer = nowhere.json is no file that can be read: correct it
            body.n | 2 | option body.n is not allowed: the measurement sets that field itself
            body.user | me | option body.user is no JSON: write a number, true, or a text in double quotes
            metrics | localhost:8000/metrics | option metrics is no URL of a page without a password or query: write it as http://host:8000/metrics
            metrics | http://me:canary@host/metrics | option metrics is no URL of a page without a password or query: write it as http://host:8000/metrics
            metrics | http://host/metrics?token=canary | option metrics is no URL of a page without a password or query: write it as http://host:8000/metrics
            header.Host | x | option header.Host cannot be set: it is no name of a header, or one that the request has itself
            header.Authorization: Canary1 | x | option header.NAME (the name is not printed, because it may be a key) cannot be set: it is no name of a header, or one that the request has itself
            headerEnv.X-Key | sk-canary-2 | option headerEnv.X-Key names no environment variable: name the variable, never the key itself
            headerEnv.sk-canary-2 | X_KEY | option headerEnv.NAME (the name is not printed, because it may be a key) names an environment variable that is not set (X_KEY): export it where the tests run
            keyFile | sk-canary-2 | option keyFile names no file that can be read (its value is not printed, because it may be the key itself); correct its path, and see that this user may read it
            keyFile | sk-canary-2.pem | option keyFile names no file that can be read (its value is not printed, because it may be the key itself); correct its path, and see that this user may read it
            tokenizer | sk-canary-2 | option tokenizer names no file that can be read (its value is not printed, because it may be the key itself); correct its path, and see that this user may read it
            keyEnv | CANARY2QX7 | option keyEnv names an environment variable that is not set: export it where the tests run
            api | sk-canary-2 | option api (its value is not printed, because it may be a key) is not allowed: use chat or completions
            stream | Zm9vYmFyYmF6 | option stream (its value is not printed, because it may be a key) is not allowed: use true or false
            connectSeconds | sk-canary-2 | option connectSeconds (its value is not printed, because it may be a key) is not allowed: use a number of seconds above 0 and at most 86400
            metrics | http://host/metrics&token=canary | option metrics is no URL of a page without a password or query: write it as http://host:8000/metrics
            metrics | http://host/metrics#canary | option metrics is no URL of a page without a password or query: write it as http://host:8000/metrics
            body.sk-canary-2 | me | option body.NAME (the name is not printed, because it may be a key) is no JSON: write a number, true, or a text in double quotes
            sk-canary-2 | = | one of the options (its name is not printed, because it may be a key) is not known to the endpoint: its options are api, betweenTokensSeconds, certificates, connectSeconds, firstTokenSeconds, hardware, http2, keyEnv, keyFile, metrics, model, prefixCache, proxy, requestSeconds, server, stream, tokenizer, and body.NAME, header.NAME, headerEnv.NAME
            """)
    void aWrongOptionIsNamed(String name, String value, String message) {
        assertThatThrownBy(() -> options("openai:http://localhost:1", "cpu", Map.of(name, value)))
                .isInstanceOf(MeasurementException.class)
                .hasMessage(message)
                .hasNoCause();
    }

    @Test
    void optionsMayStandInTheUrlAndOnlyOnce() {
        assertThat(options("openai:http://localhost:1?model=a%2Fb&api=completions", "cpu", Map.of()))
                .satisfies(o -> {
                    assertThat(o.model()).isEqualTo("a/b");
                    assertThat(o.isChat()).isFalse();
                    assertThat(o.endpoint()).hasToString("http://localhost:1/v1");
                });
        assertThatThrownBy(() -> options("openai:http://localhost:1?model=a", "cpu", Map.of("model", "b")))
                .hasMessage("option model is given twice: leave one out");
    }

    @Test
    void aDeviceIsTheServersOwn() {
        assertThatThrownBy(() -> options("openai:http://localhost:1", "cuda:0", Map.of()))
                .hasMessage(
                        "device = \"cuda:0\" has no effect on an endpoint, whose server has its own: leave it out, and name that by the option hardware");
    }

    @Test
    void credentialsSayNothingOfTheirValues() {
        OpenAiOptions options = options("openai:http://localhost:1", "cpu", Map.of("keyEnv", "SERVICE_KEY"));

        assertThat(options.credentials().headers()).containsEntry("Authorization", "Bearer canary-1");
        assertThat(options.toString()).doesNotContain("canary");
    }

    @ParameterizedTest
    @CsvSource({
        "Incorrect API key provided: sk-abcdef1234567890, Incorrect API key provided: ***",
        "sk-proj-ab***9xyz is wrong, *** is wrong",
        "Authorization: Bearer abc.def, Authorization: Bearer ***",
        "token eyJhbGciOi.J9abcdef.x12 bad, token *** bad",
        "http://me:secret@host/v1, http://***host/v1",
        "the canary-1 itself, the *** itself",
        "model meta-llama/Llama-3.1-8B-Instruct not found, model meta-llama/Llama-3.1-8B-Instruct not found",
        "token-by-token at 8 tokens, token-by-token at 8 tokens"
    })
    void whatLooksLikeAKeyIsHidden(String said, String shown) {
        assertThat(new Secrets(List.of("canary-1")).hide(said)).isEqualTo(shown);
    }
}
