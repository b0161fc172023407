package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.inference.MeasurementException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointTest {

    @TempDir
    private Path folder;

    private Path weights;

    @BeforeEach
    void writeModel() throws IOException {
        ModelFolder.grouped(Dtype.FP32, 1).write(folder);
        weights = folder.resolve("model.safetensors");
    }

    private void refuses(String message, Object... arguments) {
        assertThatThrownBy(() -> Checkpoint.open(folder, ConfigFile.read(folder)))
                .isInstanceOf(MeasurementException.class)
                .hasMessage(message, arguments);
    }

    private void replaceInHeader(String from, String to) throws IOException {
        byte[] bytes = Files.readAllBytes(weights);
        int length = (int) ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong();
        String header = new String(bytes, Long.BYTES, length, StandardCharsets.UTF_8);
        assertThat(header).contains(from);
        Files.write(
                weights,
                ModelFolder.file(
                        header.replace(from, to), Arrays.copyOfRange(bytes, Long.BYTES + length, bytes.length)));
    }

    @Test
    void describesItsFolderAndItsFiles() throws IOException {
        String first = Checkpoint.open(folder, ConfigFile.read(folder)).description();
        assertThat(first).matches("folder " + folder.getFileName() + ", sha256 [0-9a-f]{12}");
        Files.writeString(folder.resolve("config.json"), Files.readString(folder.resolve("config.json")) + "\n");
        assertThat(Checkpoint.open(folder, ConfigFile.read(folder)).description())
                .isNotEqualTo(first);
    }

    @Test
    void aFolderWithoutWeightsIsNamed() throws IOException {
        Files.delete(weights);
        refuses(
                "folder %s has neither model.safetensors nor model.safetensors.index.json: convert or download the safetensors"
                        + " weights",
                folder);
    }

    @Test
    void aMissingShardIsNamed() throws IOException {
        Files.delete(weights);
        ModelFolder.grouped(Dtype.FP32, 3).write(folder);
        Files.delete(folder.resolve("model-00002-of-00003.safetensors"));
        refuses(
                "%s names the file model-00002-of-00003.safetensors, which is missing: download it into the folder",
                folder.resolve("model.safetensors.index.json"));
    }

    @Test
    void anIndexCannotLeadOutOfItsFolder() throws IOException {
        Files.delete(weights);
        Path index = folder.resolve("model.safetensors.index.json");
        Files.writeString(index, "{\"weight_map\": {\"a\": \"../other.safetensors\"}}");
        refuses("%s names the file ../other.safetensors, which is missing: download it into the folder", index);
        Path outside = Files.write(folder.resolveSibling(folder.getFileName() + "-outside"), new byte[9]);
        Files.writeString(index, "{\"weight_map\": {\"a\": \"" + outside.toAbsolutePath() + "\"}}");
        refuses("%s names the file %s, which is missing: download it into the folder", index, outside.toAbsolutePath());
        Files.delete(outside);
        Files.writeString(index, "{\"weight_map\": {\"a\": \"a\\u0000b\"}}");
        refuses("%s names the file a\\u0000b, which is missing: download it into the folder", index);
    }

    @Test
    void aTensorInTwoFilesIsNamed() throws IOException {
        Files.copy(weights, folder.resolve("copy.safetensors"));
        Files.move(weights, folder.resolve("first.safetensors"));
        Files.writeString(
                folder.resolve("model.safetensors.index.json"),
                "{\"weight_map\": {\"a\": \"first.safetensors\", \"b\": \"copy.safetensors\"}}");
        assertThatThrownBy(() -> Checkpoint.open(folder, ConfigFile.read(folder)))
                .isInstanceOf(MeasurementException.class)
                .hasMessageMatching(
                        "tensor .+ is in .+copy\\.safetensors and in .+first\\.safetensors: remove the files of another model from the folder");
    }

    @Test
    void aLayerBeyondTheConfigurationIsNamed() throws IOException {
        Path config = folder.resolve("config.json");
        Files.writeString(
                config, Files.readString(config).replace("\"num_hidden_layers\":3", "\"num_hidden_layers\":2"));
        assertThatThrownBy(() -> Checkpoint.open(folder, ConfigFile.read(folder)))
                .isInstanceOf(MeasurementException.class)
                .hasMessageMatching(
                        "tensor model\\.layers\\.2\\..+ is of a layer beyond num_hidden_layers = 2: config.json describes another model than the weights");
    }

    @Test
    void anUnsupportedTypeIsNamedWithItsTensor() throws IOException {
        replaceInHeader("\"lm_head.weight\":{\"dtype\":\"F32\"", "\"lm_head.weight\":{\"dtype\":\"I8\"");
        refuses(
                "tensor lm_head.weight in %s has the type I8: only F32, F16 and BF16 are read, so use unquantised weights",
                weights);
    }

    @Test
    void aTypeThatDoesNotFitItsBytesIsRefused() throws IOException {
        replaceInHeader("\"lm_head.weight\":{\"dtype\":\"F32\"", "\"lm_head.weight\":{\"dtype\":\"F16\"");
        refuses(
                "tensor lm_head.weight in %s has 76800 bytes, but its shape and type make 38400: download it again",
                weights);
    }

    @Test
    void aMissingTensorIsNamed() throws IOException {
        replaceInHeader("model.layers.1.mlp.up_proj.weight", "model.layers.1.mlp.other.weight");
        refuses(
                "tensor model.layers.1.mlp.up_proj.weight is missing in %s, of the shape [160, 64]: config.json describes another"
                        + " model than the weights, or a file is missing",
                folder);
    }

    @Test
    void aWrongShapeIsNamedWithBothShapes() throws IOException {
        Path config = folder.resolve("config.json");
        Files.writeString(config, Files.readString(config).replace("\"vocab_size\":300", "\"vocab_size\":301"));
        refuses(
                "tensor model.embed_tokens.weight in %s has the shape [300, 64], but config.json makes it [301, 64]: they belong"
                        + " to different models",
                weights);
    }

    @Test
    void aMissingScaleOfANormIsNamedWithItsShape() throws IOException {
        replaceInHeader("model.norm.weight", "model.norm.other");
        refuses(
                "tensor model.norm.weight is missing in %s, of the shape [64]: config.json describes another model than the"
                        + " weights, or a file is missing",
                folder);
    }

    /** Without its bias, a model is another one, and faster. */
    @Test
    void aTensorThatTheModelDoesNotHaveIsNamed() throws IOException {
        appendTensor("model.layers.0.self_attn.q_proj.bias");
        refuses(
                "tensor model.layers.0.self_attn.q_proj.bias in %s is none of a Llama model with this config.json, and would not"
                        + " be computed: choose a model that this target computes, or remove the tensor",
                weights);
    }

    /** As converted before transformers 4.31. */
    @Test
    void whatRopeIsComputedFromMayBeInTheFiles() throws IOException {
        appendTensor("model.layers.0.self_attn.rotary_emb.inv_freq");
        assertThat(Checkpoint.open(folder, ConfigFile.read(folder)).files()).containsExactly("model.safetensors");
    }

    private void appendTensor(String name) throws IOException {
        byte[] bytes = Files.readAllBytes(weights);
        int length = (int) ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong();
        String header = new String(bytes, Long.BYTES, length, StandardCharsets.UTF_8);
        byte[] data = Arrays.copyOfRange(bytes, Long.BYTES + length, bytes.length + 8);
        String more = ",\"%s\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[%d,%d]}}"
                .formatted(name, data.length - 8, data.length);
        Files.write(weights, ModelFolder.file(header.substring(0, header.length() - 1) + more, data));
    }

    @Test
    void anEmptyTensorIsNamedWithTheShapeThatItShouldHave() throws IOException {
        String header = "{\"model.embed_tokens.weight\":{\"dtype\":\"F32\",\"shape\":[0,64],\"data_offsets\":[0,0]}}";
        Files.write(weights, ModelFolder.file(header, new byte[0]));
        Files.writeString(
                folder.resolve("config.json"),
                Files.readString(folder.resolve("config.json"))
                        .replace("\"num_hidden_layers\":3", "\"num_hidden_layers\":1"));
        LlamaConfig config = ConfigFile.read(folder);
        assertThatThrownBy(() -> Checkpoint.open(folder, config))
                .hasMessageStartingWith("tensor model.layers.0.input_layernorm.weight is missing in ");
        replaceInHeader("model.embed_tokens.weight", "model.layers.0.input_layernorm.weight");
        refuses(
                "tensor model.layers.0.input_layernorm.weight in %s has the shape [0, 64], but config.json makes it [64]: they"
                        + " belong to different models",
                weights);
    }

    @Test
    void aTruncatedShardIsNamed() throws IOException {
        Path shard = sharded().resolve("model-00002-of-00003.safetensors");
        byte[] bytes = Files.readAllBytes(shard);
        Files.write(shard, Arrays.copyOf(bytes, bytes.length / 2));
        refuses(
                "%s is incomplete: its header says %d bytes, the file has %d; download it again",
                shard, bytes.length, bytes.length / 2);
    }

    private Path sharded() throws IOException {
        Files.delete(weights);
        return ModelFolder.grouped(Dtype.FP32, 3).write(folder);
    }

    @Test
    void anIndexThatDisagreesWithItsFilesIsNamed() throws IOException {
        Path index = sharded().resolve("model.safetensors.index.json");
        String right = Files.readString(index);
        String norm = "\"model.norm.weight\":\"model-0000";
        int shard = right.charAt(right.indexOf(norm) + norm.length()) - '0';
        int other = shard % 3 + 1;
        Files.writeString(index, right.replace(norm + shard, norm + other));
        refuses(
                "%s says that tensor model.norm.weight is in model-0000%d-of-00003.safetensors, but it is in"
                        + " model-0000%d-of-00003.safetensors: download the folder again",
                index, other, shard);
        Files.writeString(
                index,
                right.replace("{\"weight_map\":{", "{\"weight_map\":{\"a\":\"model-00001-of-00003.safetensors\","));
        refuses(
                "%s says that tensor a is in model-00001-of-00003.safetensors, but it is in none of the files: download the"
                        + " folder again",
                index);
    }
}
