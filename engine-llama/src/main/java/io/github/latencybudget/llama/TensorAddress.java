package io.github.latencybudget.llama;

import ai.djl.pytorch.engine.PtNDArray;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.nio.file.Path;

/**
 * Where a tensor's numbers are in memory. DJL tells that of tensors on the processor only; PyTorch's library has a function for
 * it among those that it keeps stable for compiled programs, and what DJL holds of a tensor is what that function takes.
 */
final class TensorAddress {

    private TensorAddress() {}

    /**
     * {@return the address of the first number, on the tensor's device}
     *
     * @throws EngineFailure where PyTorch's library cannot be asked: says why
     */
    static long of(PtNDArray array) {
        Path library = LoadedLibraries.find("libtorch_cpu\\.so")
                .orElseThrow(() -> new EngineFailure("PyTorch's library torch_cpu is not found in this process", null));
        PointerByReference address = new PointerByReference();
        try {
            int failed = NativeLibrary.getInstance(library.toString())
                    .getFunction("aoti_torch_get_data_ptr")
                    .invokeInt(new Object[] {new Pointer(array.getHandle()), address});
            if (failed != 0) {
                throw new EngineFailure("PyTorch does not tell where a tensor is", null);
            }
        } catch (UnsatisfiedLinkError e) {
            throw new EngineFailure("PyTorch's library has no aoti_torch_get_data_ptr", e);
        }
        return Pointer.nativeValue(address.getValue());
    }
}
