package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code config.json} of Llama 2 as Meta published it, base and chat, and as its first revision and its fine-tunes differ. */
class PublishedConfigTest {

    /** The fields that all of them have, in the order of the files. */
    private static final String PUBLISHED = """
            {
              "_name_or_path": "meta-llama/%s",
              "architectures": ["LlamaForCausalLM"],
              "bos_token_id": 1,
              "eos_token_id": 2,
              "hidden_act": "silu",
              "hidden_size": %d,
              "initializer_range": 0.02,
              "intermediate_size": %d,
              "max_position_embeddings": 4096,
              "model_type": "llama",
              "num_attention_heads": %d,
              "num_hidden_layers": %d,
              "num_key_value_heads": %d,
              "pretraining_tp": 1,
              "rms_norm_eps": 1e-05,
              "rope_scaling": null,
              "tie_word_embeddings": false,
              "torch_dtype": "float16",
              "transformers_version": "4.32.0.dev0",
              "use_cache": true,
              "vocab_size": 32000
            }
            """;

    @TempDir
    private Path folder;

    private LlamaConfig read(String json) throws IOException {
        Files.writeString(folder.resolve("config.json"), json);
        return ConfigFile.read(folder);
    }

    private static String seven() {
        return PUBLISHED.formatted("Llama-2-7b-hf", 4096, 11008, 32, 32, 32);
    }

    @ParameterizedTest
    @CsvSource({
        "Llama-2-7b-hf, 4096, 11008, 32, 32, 32, llama2-7b",
        "Llama-2-7b-chat-hf, 4096, 11008, 32, 32, 32, llama2-7b",
        "Llama-2-13b-hf, 5120, 13824, 40, 40, 40, llama2-13b",
        "Llama-2-13b-chat-hf, 5120, 13824, 40, 40, 40, llama2-13b",
        "Llama-2-70b-hf, 8192, 28672, 64, 80, 8, llama2-70b",
        "Llama-2-70b-chat-hf, 8192, 28672, 64, 80, 8, llama2-70b"
    })
    void isTheShapeOfTheSameNameAndNothingElse(
            String name, int hidden, int intermediate, int heads, int layers, int kvHeads, String shape)
            throws IOException {
        LlamaConfig config = read(PUBLISHED.formatted(name, hidden, intermediate, heads, layers, kvHeads));
        assertThat(config).usingRecursiveComparison().ignoringFields("name").isEqualTo(SyntheticShape.parse(shape));
        assertThat(config.headDim()).isEqualTo(128);
    }

    /** It had half the context, and keys and values had no number of heads of their own before the 70B model needed one. */
    @Test
    void theFirstRevisionHasLessInIt() throws IOException {
        LlamaConfig config = read(seven().replace("4096,\n  \"model_type\"", "2048,\n  \"model_type\"")
                .replace("  \"num_key_value_heads\": 32,\n", "")
                .replace("  \"rope_scaling\": null,\n", "")
                .replace("\"bos_token_id\"", "\"pad_token_id\": 0, \"bos_token_id\""));
        assertThat(config.context()).isEqualTo(2048);
        assertThat(config.kvHeads()).isEqualTo(32);
        assertThat(config.ropeFactor()).isEqualTo(1);
        assertThat(config.parameters()).isEqualTo(6_738_415_616L);
    }

    @Test
    void aHeadThatIsTiedIsNotCountedTwice() throws IOException {
        LlamaConfig config = read(seven().replace("\"tie_word_embeddings\": false", "\"tie_word_embeddings\": true"));
        assertThat(config.tiedHead()).isTrue();
        assertThat(config.parameters()).isEqualTo(6_738_415_616L - 32000L * 4096);
        assertThat(Matrix.of(config))
                .noneMatch(matrix -> matrix.parts().toString().contains("lm_head"));
    }

    /** lmsys/vicuna-7b-v1.5-16k. */
    @Test
    void aFineTuneForLongerPromptsHasItsLongerContext() throws IOException {
        LlamaConfig config = read(seven().replace(
                        "\"rope_scaling\": null",
                        "\"max_sequence_length\": 16384, \"rope_scaling\": {\"factor\": 4.0, \"type\": \"linear\"}"));
        assertThat(config.ropeFactor()).isEqualTo(4);
        assertThat(config.context()).isEqualTo(16384);
    }

    /** As transformers 5 writes it anew. */
    @Test
    void whatWasSavedByTransformersFiveIsTheSame() throws IOException {
        LlamaConfig config = read(seven().replace(
                        "\"rope_scaling\": null",
                        "\"attention_bias\": false, \"mlp_bias\": false, \"head_dim\": 128, \"attention_dropout\": 0.0,"
                                + " \"rope_parameters\": {\"rope_theta\": 10000.0, \"rope_type\": \"default\"}")
                .replace("torch_dtype", "dtype"));
        assertThat(config)
                .usingRecursiveComparison()
                .ignoringFields("name")
                .isEqualTo(SyntheticShape.parse("llama2-7b"));
    }

    @ParameterizedTest
    @CsvSource({
        "'llama2-7b', 6738415616, 32",
        "'llama2-13b', 13015864320, 40",
        "'llama2-70b', 68976648192, 80",
        // 855,654,400 a layer, and 2 x 32000 x 8192 + 8192 around them
        "'llama2-70b,layers=8', 7369531392, 8"
    })
    void aShapeHasThePublishedNumbersInItsMatrices(String shape, long parameters, int layers) {
        LlamaConfig config = SyntheticShape.parse(shape);
        assertThat(config.parameters()).isEqualTo(parameters);
        assertThat(config.layers()).isEqualTo(layers);
        // the scale of a norm is kept twice
        long twice = (2L * layers + 1) * config.hidden();
        assertThat(Matrix.of(config).stream().mapToLong(Matrix::numbers).sum()).isEqualTo(parameters + twice);
    }
}
