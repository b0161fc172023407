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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SafetensorsFileTest {
    @TempDir
    private Path folder;

    private Path weights;

    @BeforeEach
    void writeModel() throws IOException {
        ModelFolder.grouped(Dtype.FP32, 1).write(folder);
        weights = folder.resolve("model.safetensors");
    }

    private void refuses(String message, Object... arguments) {
        assertThatThrownBy(() -> SafetensorsFile.open(weights))
                .isInstanceOf(MeasurementException.class)
                .hasMessage(message, arguments);
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

    /** Two places that end alike have no order by that alone. */
    @ParameterizedTest
    @ValueSource(strings = {"[0, 0]", "[8, 8]"})
    void anEmptyTensorHasAPlaceBesideOthers(String place) throws IOException {
        String header = """
                {"a": {"dtype": "U8", "shape": [0], "data_offsets": %s},
                 "b": {"dtype": "U8", "shape": [8], "data_offsets": [0, 8]}}
                """.formatted(place);
        Files.write(weights, ModelFolder.file(header, new byte[8]));
        assertThat(SafetensorsFile.open(weights).names()).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void whatComesAfterTheTensorsIsNamedWithBothSizes() throws IOException {
        byte[] bytes = Files.readAllBytes(weights);
        Files.write(weights, Arrays.copyOf(bytes, bytes.length + 3));
        refuses(
                "%s has something after its tensors: its header says %d bytes, the file has %d; download it again",
                weights, bytes.length, bytes.length + 3);
    }
}
