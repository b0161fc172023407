package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.inference.MeasurementException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Weights that are read without a complaint and make no model. */
class DamagedWeightsTest {

    @TempDir
    private Path folder;

    /** One such number in the last layer is enough: it reaches every logit. */
    @ParameterizedTest
    @ValueSource(floats = {Float.NaN, Float.POSITIVE_INFINITY})
    void aModelThatComputesNoNumbersIsRefused(float value) throws IOException {
        ModelFolder.grouped(Dtype.FP32, 1).write(folder);
        Path weights = folder.resolve("model.safetensors");
        byte[] bytes = Files.readAllBytes(weights);
        ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        SafetensorsFile.Entry entry = SafetensorsFile.open(weights).entry("model.layers.2.mlp.down_proj.weight");
        file.putFloat((int) entry.offset(), value);
        Files.write(weights, bytes);

        assertThatThrownBy(() -> Models.open(folder.toString()))
                .isInstanceOf(MeasurementException.class)
                .hasMessage(
                        "%s computes NaN or infinity instead of logits in fp32 on cpu: its weights are damaged, so download them again, or too large for the type, so use fp32",
                        folder.getFileName());
    }

    @ParameterizedTest
    @ValueSource(strings = {"config.json", "model.safetensors", "tokenizer.json"})
    void aFileThatMustNotBeReadIsNotCalledDamaged(String name) throws IOException {
        ModelFolder.grouped(Dtype.FP32, 1).write(folder);
        Files.writeString(folder.resolve("tokenizer.json"), "{}");
        Path file = folder.resolve(name);
        Assumptions.assumeTrue(file.toFile().setReadable(false) && !Files.isReadable(file), "everything can be read");

        assertThatThrownBy(() -> Models.open(folder.toString()))
                .isInstanceOf(MeasurementException.class)
                .hasMessage("%s cannot be read: check the file and its permissions", file);
    }

    @Test
    void aTokenizerWithoutTokensIsRefused() throws IOException {
        ModelFolder.grouped(Dtype.FP32, 1).write(folder);
        Path tokenizer = Files.writeString(folder.resolve("tokenizer.json"), "[]");

        assertThatThrownBy(() -> Models.open(folder.toString()))
                .isInstanceOf(MeasurementException.class)
                .hasMessage(
                        "%s names no token: download it again, or remove it, for prompts are made of ids", tokenizer);
    }
}
