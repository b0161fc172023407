package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;

import ai.djl.Device;
import ai.djl.ndarray.NDManager;
import ai.djl.pytorch.engine.PtNDArray;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class TensorAddressTest {

    @Test
    void theNumbersAreAtTheAddress() {
        Assumptions.assumeTrue(Platform.isLinux(), "loaded libraries are found on Linux only");
        TorchEngine.start(LlamaOptions.of(Models.spec("synthetic:tiny", "cpu", "")));
        try (NDManager manager = NDManager.newBaseManager(Device.cpu(), "PyTorch")) {
            PtNDArray array = (PtNDArray) manager.create(new float[] {3, 1, 4, 1, 5});
            assertThat(new Pointer(TensorAddress.of(array)).getFloatArray(0, 5)).containsExactly(3, 1, 4, 1, 5);
        }
    }

    /** The Java side of the engine must not be asked for more of such a tensor. */
    @Test
    void alsoWhereTheNumbersAreBfloat16() {
        Assumptions.assumeTrue(Platform.isLinux(), "loaded libraries are found on Linux only");
        TorchEngine.start(LlamaOptions.of(Models.spec("synthetic:tiny", "cpu", "")));
        try (LlamaProgram program = LlamaProgram.load(false)) {
            assertThat(program.allocate(1, 3, Dtype.BF16, Quantization.NONE, "cpu"))
                    .isEqualTo("cpu");
            program.fill(0, -1);
            assertThat(new Pointer(program.address(0)).getShortArray(0, 3)).containsOnly((short) 0xbf80);
        }
    }
}
