package io.github.latencybudget.target.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.target.MeasurementException;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
        refuses("%s names the file a\0b, which is missing: download it into the folder", index);
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

    @ParameterizedTest
    @ValueSource(strings = {"[4, 12], [8, 16]", "[0, 8], [12, 16]", "[4, 8], [8, 16]", "[0, 8], [0, 16]"})
    void tensorsThatOverlapOrLeaveAHoleAreRefused(String places) throws IOException {
        String[] place = places.split("(?<=]), ");
        Files.write(
                weights,
                ModelFolder.file(
                        "{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": %s}, \"b\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": %s}}"
                                .formatted(place[0], place[1]),
                        new byte[16]));
        assertThatThrownBy(() -> SafetensorsFile.open(weights))
                .isInstanceOf(MeasurementException.class)
                .hasMessageMatching(
                        ".+: tensor [ab] starts at byte \\d+ of the data instead of \\d+, so tensors overlap or leave a hole; download it again");
    }

    @Test
    void aTensorThatIsNamedTwiceIsRefused() throws IOException {
        String tensor = "\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 8]}";
        Files.write(weights, ModelFolder.file("{" + tensor + ", " + tensor + "}", new byte[8]));
        refuses("%s is no safetensors file: its header is not JSON; download it again", weights);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "null", "17", "\"a\""})
    void aHeaderThatIsNoObjectIsRefused(String header) throws IOException {
        Files.write(weights, ModelFolder.file(header, new byte[0]));
        assertThatThrownBy(() -> SafetensorsFile.open(weights))
                .isInstanceOf(MeasurementException.class)
                .hasMessageContaining("is no safetensors file: its header ");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE - 8, 1L << 32})
    void anImpossibleHeaderLengthIsRefusedBeforeMemoryIsTaken(long length) throws IOException {
        byte[] bytes = Files.readAllBytes(weights);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(0, length);
        Files.write(weights, bytes);
        refuses(
                "%s is no safetensors file: its header would have %d bytes in a file of %d; download it again",
                weights, length, bytes.length);
    }

    @Test
    void aTruncatedFileIsNamedWithBothSizes() throws IOException {
        byte[] bytes = Files.readAllBytes(weights);
        Files.write(weights, Arrays.copyOf(bytes, bytes.length - 1000));
        refuses(
                "%s is incomplete: its header says %d bytes, the file has %d; download it again",
                weights, bytes.length, bytes.length - 1000);
    }

    @Test
    void anAbsurdHeaderIsRefused() throws IOException {
        Files.writeString(weights, "version https://git-lfs.github.com/spec/v1");
        refuses(
                "%s is no safetensors file: its header would have %d bytes in a file of %d; download it again",
                weights,
                ByteBuffer.wrap("version ".getBytes(StandardCharsets.US_ASCII))
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .getLong(),
                42);
    }

    @Test
    void anEmptyFileIsRefused() throws IOException {
        Files.write(weights, new byte[3]);
        refuses("%s is no safetensors file: its header would have -1 bytes in a file of 3; download it again", weights);
    }

    @Test
    void aHeaderThatIsNotJsonIsRefused() throws IOException {
        Files.write(weights, ModelFolder.file("{\"a\": ", new byte[8]));
        refuses("%s is no safetensors file: its header is not JSON; download it again", weights);
    }

    @Test
    void aTensorWithoutAPlaceIsRefused() throws IOException {
        Files.write(
                weights,
                ModelFolder.file(
                        "{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [8, 0]}}", new byte[8]));
        refuses("%s: the header gives tensor a no valid shape and place; download it again", weights);
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
                "tensor model.layers.1.mlp.up_proj.weight is missing in %s: config.json describes another model than the weights",
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
}
