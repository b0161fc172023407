package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.jna.Pointer;
import io.github.latencybudget.inference.MeasurementException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Weights of 8 and 4 bits are the nearest to the full ones, lie where kernels look for them, and cost no more than they must. */
class QuantizationTest {

    private static final int ROWS = 3;
    private static final int COLUMNS = 384;

    /** The place of a weight of eight in the nibbles of its four bytes, the lower nibble of a byte first. */
    private static final int[] NIBBLE = {0, 4, 1, 5, 2, 6, 3, 7};

    @TempDir
    Path folder;

    private static float[][] weights() {
        SplittableRandom random = new SplittableRandom(5);
        float[][] weights = new float[ROWS][COLUMNS];
        for (int row = 0; row < ROWS; row++) {
            for (int column = 0; column < COLUMNS; column++) {
                weights[row][column] = (float) ((row + 1) * (random.nextDouble() - 0.5));
            }
        }
        weights[2] = new float[COLUMNS];
        return weights;
    }

    @ParameterizedTest
    @EnumSource(names = {"INT8", "INT4"})
    void everyWeightIsTheNearestThatItsScaleAllows(Quantization quantization) {
        float[][] weights = weights();
        ByteBuffer raw = ByteBuffer.allocateDirect(ROWS * COLUMNS * Float.BYTES).order(ByteOrder.nativeOrder());
        for (float[] row : weights) {
            for (float weight : row) {
                raw.putFloat(weight);
            }
        }
        TorchEngine.quieten();
        TorchEngine.start(LlamaOptions.of(Models.spec("synthetic:tiny", "cpu", "")));
        try (LlamaProgram program = LlamaProgram.load(false)) {
            program.allocate(ROWS, COLUMNS, Dtype.FP32, quantization, "cpu");
            program.put(0, 0, raw.flip(), Dtype.FP32);

            int group = quantization.groupOf(COLUMNS);
            int perRow = COLUMNS * quantization.bits() / 8;
            byte[] packed = new Pointer(program.address(0)).getByteArray(0, ROWS * perRow);
            short[] scales = new Pointer(program.scaleAddress(0)).getShortArray(0, ROWS * COLUMNS / group);
            double lost = 0;
            double power = 0;
            for (int row = 0; row < ROWS; row++) {
                for (int column = 0; column < COLUMNS; column++) {
                    float scale = half(scales[(row * COLUMNS + column) / group]);
                    double back = scale * whole(quantization, packed, row * perRow, column);
                    double error = Math.abs(back - weights[row][column]);
                    double steps = error / scale;
                    boolean isCutOff = quantization == Quantization.INT4 && Math.abs(weights[row][column] / scale) > 7;
                    assertThat(steps).as("row %s, column %s", row, column).isLessThan(isCutOff ? 2.5 : 0.5001);
                    lost += error * error;
                    power += weights[row][column] * weights[row][column];
                }
            }
            assertThat(program.quantizationError() / Math.sqrt(lost / power)).isBetween(0.999, 1.001);
            assertThat(quantization.bytes(ROWS, COLUMNS, Dtype.FP32)).isEqualTo(packed.length + 2L * scales.length);
        }
    }

    private static int whole(Quantization quantization, byte[] packed, int start, int column) {
        if (quantization == Quantization.INT8) {
            return (packed[start + column] & 0xff) - 128;
        }
        int nibble = NIBBLE[column % 8];
        int two = packed[start + column / 8 * 4 + nibble / 2] & 0xff;
        return (nibble % 2 == 0 ? two & 15 : two >> 4) - 8;
    }

    private static float half(short bits) {
        int exponent = (bits >> 10) & 31;
        int fraction = bits & 1023;
        return exponent == 0
                ? (float) (fraction * Math.pow(2, -24))
                : (float) ((1024 + fraction) * Math.pow(2, exponent - 25));
    }

    @ParameterizedTest
    @CsvSource({"int8, cpu, 0.02", "int4, cpu, 0.3"})
    void theLogitsStayCloseToFullPrecision(String dtype, String device, double bound) throws Exception {
        check(dtype, device, bound);
    }

    @Tag("gpu")
    @ParameterizedTest
    @CsvSource({"int8, 0.02", "int4, 0.3"})
    void theLogitsStayCloseToFullPrecisionOnTheGpu(String dtype, double bound) throws Exception {
        Models.assumeCuda();
        check(dtype, "cuda:0", bound);
    }

    private void check(String dtype, String device, double bound) throws Exception {
        String model = ModelFolder.grouped(Dtype.BF16, 1).write(folder).toString();
        long[] ids = ModelFolder.grouped(Dtype.BF16, 1).ids();
        try (LlamaSession full = Models.open(model, "cpu", "fp32");
                LlamaSession session = Models.open(model, device, dtype)) {
            double error = Reference.relativeError(session.logits(ids), full.logits(ids));
            System.out.printf(
                    Locale.ROOT,
                    "%s on %s: relative error of the logits %.4f; %s%n",
                    dtype,
                    device,
                    error,
                    session.description().details().get("quantization"));
            assertThat(error).isPositive().isLessThan(bound);
            double steps =
                    Reference.relativeError(session.logitsStepByStep(ids), lastRow(full.logits(ids), ids.length));
            assertThat(steps).isLessThan(bound);
            assertThat(session.description().dtype()).isEqualTo(dtype);
        }
    }

    private static float[] lastRow(float[] logits, int rows) {
        int width = logits.length / rows;
        return java.util.Arrays.copyOfRange(logits, logits.length - width, logits.length);
    }

    @Test
    void theSevenBillionFitIntoWhatIsStated() {
        LlamaConfig config = SyntheticShape.parse("llama2-7b");
        assertThat(bytes(config, "int4")).isEqualTo(3_864_010_752L);
        assertThat(bytes(config, "int8")).isLessThan(7_100_000_000L);
        assertThat(bytes(config, "fp16")).isEqualTo(2 * 6_738_415_616L);
    }

    private static long bytes(LlamaConfig config, String dtype) {
        LlamaOptions options = LlamaOptions.of(Models.spec("synthetic:tiny", "cuda:0", dtype));
        return new MemoryNeed(config, options, java.util.Optional.empty()).weightBytes();
    }

    @Test
    void rowsThatCannotBePackedAreNamedBeforeAnythingIsLoaded() {
        // Where the model is absent, that skips the test, and is not what is to be thrown.
        String stories = Models.stories().toString();

        assertThatThrownBy(() -> Models.open(stories, "cpu", "int4"))
                .isInstanceOf(MeasurementException.class)
                .hasMessage(
                        "dtype = int4 keeps weights by eight, and the rows of model.layers.0.mlp.down_proj.weight have 172: use int8");
    }
}
