package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.inference.MeasurementException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigFileTest {

    private static final String SHAPE = "\"hidden_size\": 64, \"intermediate_size\": 160, \"num_hidden_layers\": 3,"
            + " \"num_attention_heads\": 4, \"vocab_size\": 300";

    @TempDir
    private Path folder;

    private LlamaConfig read(String more) throws IOException {
        Files.writeString(
                folder.resolve("config.json"),
                "{\"model_type\": \"llama\", " + SHAPE + (more.isEmpty() ? "" : ", ") + more + "}");
        return ConfigFile.read(folder);
    }

    @Test
    void whatIsAbsentHasTheDefaultOfTransformers() throws IOException {
        LlamaConfig config = read("");
        assertThat(config.kvHeads()).isEqualTo(4);
        assertThat(config.headDim()).isEqualTo(16);
        assertThat(config.epsilon()).isEqualTo(1e-6);
        assertThat(config.ropeTheta()).isEqualTo(10000);
        assertThat(config.context()).isEqualTo(2048);
        assertThat(config.tiedHead()).isFalse();
        assertThat(config.bos()).isEqualTo(1);
        assertThat(config.eos()).containsExactly(2);
        assertThat(config.name()).isEqualTo(folder.getFileName().toString());
    }

    @Test
    void endOfSequenceMayBeSeveralIdsOrNone() throws IOException {
        assertThat(read("\"eos_token_id\": [2, 7]").eos()).containsExactlyInAnyOrder(2, 7);
        assertThat(read("\"eos_token_id\": null").eos()).isEmpty();
    }

    @Test
    void ropeBaseIsReadFromWhereverTransformersPutsIt() throws IOException {
        assertThat(read("\"rope_theta\": 500000, \"rope_scaling\": null").ropeTheta())
                .isEqualTo(500000);
        assertThat(read("\"rope_parameters\": {\"rope_type\": \"default\", \"rope_theta\": 1e6}")
                        .ropeTheta())
                .isEqualTo(1e6);
    }

    /** As LongChat and Vicuna write it, as transformers 4.45 does, and as transformers 5 does. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"rope_scaling\": {\"factor\": 4.0, \"type\": \"linear\"}",
                "\"rope_scaling\": {\"factor\": 4, \"rope_type\": \"linear\", \"type\": \"linear\"}, \"rope_theta\": 10000",
                "\"rope_parameters\": {\"factor\": 4.0, \"rope_theta\": 10000.0, \"rope_type\": \"linear\"}"
            })
    void linearScalingIsReadInEachSpelling(String more) throws IOException {
        LlamaConfig config = read("\"max_position_embeddings\": 4096, " + more);
        assertThat(config.ropeFactor()).isEqualTo(4);
        assertThat(config.ropeTheta()).isEqualTo(10000);
        assertThat(config.context()).isEqualTo(16384);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"architectures\": [\"MistralForCausalLM\"] | architectures = MistralForCausalLM must be LlamaForCausalLM",
                "\"model_type\": \"gemma\" | model_type = gemma must be llama",
                "\"hidden_act\": \"gelu\" | hidden_act = gelu must be silu",
                "\"attention_bias\": true | attention_bias = true must be false: biases are not computed",
                "\"quantization_config\": {\"quant_method\": \"gptq\"} | quantization_config.quant_method = gptq must be absent:"
                        + " use unquantised weights",
                "\"rope_scaling\": {\"type\": \"dynamic\", \"factor\": 2} | rope_scaling.type = dynamic must be default or linear:"
                        + " other scalings are not computed",
                "\"rope_scaling\": {\"type\": \"linear\", \"rope_type\": \"yarn\", \"factor\": 2} | rope_scaling.rope_type ="
                        + " yarn must be default or linear: other scalings are not computed",
                "\"rope_parameters\": {\"rope_type\": \"llama3\"} | rope_parameters.rope_type = llama3 must be default or"
                        + " linear: other scalings are not computed",
                "\"rope_parameters\": {\"rope_type\": \"longrope\"} | rope_parameters.rope_type = longrope must be default or"
                        + " linear: other scalings are not computed",
                "\"rope_scaling\": {\"factor\": 8} | rope_scaling.rope_type = (absent) must be default or linear: other scalings"
                        + " are not computed",
                "\"rope_scaling\": {\"type\": \"linear\"} | rope_scaling.factor = (absent) must be a number from 1 to 1000",
                "\"rope_scaling\": {\"type\": \"linear\", \"factor\": 0.5} | rope_scaling.factor = 0.5 must be a number from 1"
                        + " to 1000",
                "\"rope_parameters\": {\"rope_type\": \"linear\", \"factor\": \"4\"} | factor = \"4\" must be a number",
                "\"partial_rotary_factor\": 0.5 | partial_rotary_factor = 0.5 must be 1: a head is turned as a whole",
                "\"rope_parameters\": {\"rope_theta\": 1e4, \"partial_rotary_factor\": 0.5} |"
                        + " rope_parameters.partial_rotary_factor = 0.5 must be 1: a head is turned as a whole",
                "\"rope_scaling\": 8 | rope_scaling = 8 must be an object or null",
                "\"tie_word_embeddings\": \"maybe\" | tie_word_embeddings = \"maybe\" must be true or false",
                "\"hidden_size\": 63 | hidden_size = 63 must be a multiple of num_attention_heads = 4",
                "\"num_hidden_layers\": \"three\" | num_hidden_layers = \"three\" must be a whole number",
                "\"rms_norm_eps\": \"small\" | rms_norm_eps = \"small\" must be a number"
            })
    void whatIsNotComputedIsRefusedByName(String more, String problem) {
        assertThatThrownBy(() -> read(more))
                .isInstanceOf(MeasurementException.class)
                .hasMessage("%s: %s; choose a model that this target computes, or correct the file"
                        .formatted(folder.resolve("config.json"), problem));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"num_key_value_heads\": 3 | num_key_value_heads = 3 must divide num_attention_heads = 4",
                "\"head_dim\": 15 | head_dim = 15 must be even, because RoPE turns pairs",
                "\"rms_norm_eps\": 0 | rms_norm_eps = 0.0 must be between 0 and 1",
                "\"rope_theta\": 0 | rope_theta = 0.0 must be between 1 and 1e12",
                "\"bos_token_id\": 300 | bos_token_id = 300 must be below vocab_size = 300",
                "\"eos_token_id\": [2, 999] | eos_token_id = 999 must be below vocab_size = 300",
                "\"intermediate_size\": 0 | intermediate_size = 0 must be at least 1",
                "\"num_hidden_layers\": 2147483647 | num_hidden_layers = 2147483647 must be at most 10000",
                "\"head_dim\": 1073741824 | head_dim = 1073741824 must be at most 262144",
                "\"vocab_size\": 2147483647 | vocab_size = 2147483647 must be at most 16777216",
                "\"max_position_embeddings\": 2147483647 | max_position_embeddings = 2147483647 must be at most 16777216"
            })
    void aValueThatNoModelCanHaveIsNamed(String more, String problem) {
        assertThatThrownBy(() -> read(more))
                .isInstanceOf(MeasurementException.class)
                .hasMessage(problem + "; correct it in the model's shape (config.json, or the text after synthetic:)");
    }

    @Test
    void aMissingValueIsNamed() throws IOException {
        Files.writeString(folder.resolve("config.json"), "{\"model_type\": \"llama\"}");
        assertThatThrownBy(() -> ConfigFile.read(folder))
                .hasMessage(
                        "%s: hidden_size = (absent) must be a whole number; choose a model that this target computes, or correct the file"
                                .formatted(folder.resolve("config.json")));
    }

    @Test
    void aMissingFileIsNamed() {
        assertThatThrownBy(() -> ConfigFile.read(folder))
                .isInstanceOf(MeasurementException.class)
                .hasMessage(
                        "folder %s has no config.json: name a folder in the Hugging Face layout (config.json, *.safetensors)"
                                .formatted(folder));
    }

    @Test
    void whatIsNotJsonIsNamed() throws IOException {
        Files.writeString(folder.resolve("config.json"), "<html>");
        assertThatThrownBy(() -> ConfigFile.read(folder))
                .isInstanceOf(MeasurementException.class)
                .hasMessage("%s is not JSON: download it again".formatted(folder.resolve("config.json")));
    }
}
