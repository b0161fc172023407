package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kernels for several sequences, or with quantised weights, give what those for one sequence give. */
class KernelBatchTest {

    private static final LlamaConfig CONFIG =
            SyntheticShape.parse("hidden=1024,intermediate=2816,layers=2,heads=8,kvHeads=2,vocab=1001,context=256");

    @Tag("gpu")
    @ParameterizedTest
    @CsvSource({"FP16, 2", "FP16, 8", "FP16, 13", "FP16, 32", "FP16, 64", "BF16, 7", "BF16, 60"})
    void aBatchGivesTheLogitsOfItsSequences(Dtype dtype, int sequences) {
        Models.assumeCuda();
        BatchCheck check = new BatchCheck(CudaDriver.open(0), CONFIG, dtype);
        double error = check.worstError(Quantization.INT8, false, sequences, 12);
        assertThat(error).isLessThan(dtype == Dtype.FP16 ? 1e-2 : 5e-2);
    }

    @Tag("gpu")
    @ParameterizedTest
    @CsvSource({"INT8, 1", "INT8, 8", "INT8, 40", "INT4, 1", "INT4, 6", "INT4, 16", "INT4, 64"})
    void quantisedWeightsGiveTheLogitsOfTheNumbersThatTheyStandFor(Quantization quantization, int sequences) {
        Models.assumeCuda();
        BatchCheck check = new BatchCheck(CudaDriver.open(0), CONFIG, Dtype.FP16);
        assertThat(check.worstError(quantization, true, sequences, 12)).isLessThan(1e-2);
    }

    @Tag("gpu")
    @Test
    void manyPlacesAreSharedOutAlike() {
        Models.assumeCuda();
        BatchCheck check = new BatchCheck(CudaDriver.open(0), CONFIG, Dtype.FP16);
        assertThat(check.worstError(Quantization.INT8, false, 3, 200)).isLessThan(1e-2);
    }

    @Tag("gpu")
    @Test
    void whatNoKernelsAreForIsNamed() {
        Models.assumeCuda();
        CudaDriver driver = CudaDriver.open(0);
        Tuning tuning = Tuning.of(CONFIG, driver.sharedBytesOfBlock());
        try (DecodeKernels kernels = new DecodeKernels(driver, CONFIG, Dtype.FP32, Quantization.NONE, tuning)) {
            assertThat(kernels.bucket(1)).isEqualTo(1);
            assertThatThrownBy(() -> kernels.bucket(2))
                    .isInstanceOf(EngineFailure.class)
                    .hasMessage("own kernels compute fp32 for one sequence only");
        }
        try (DecodeKernels kernels = new DecodeKernels(driver, CONFIG, Dtype.FP16, Quantization.INT8, tuning)) {
            assertThat(kernels.bucket(1)).isEqualTo(1);
            assertThat(kernels.bucket(2)).isEqualTo(8);
            assertThatThrownBy(() -> kernels.bucket(65))
                    .isInstanceOf(EngineFailure.class)
                    .hasMessage("own kernels compute for at most 64 sequences, not 65");
        }
    }
}
