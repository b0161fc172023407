package io.github.latencybudget.target.llama;

import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.PointerByReference;

/**
 * NVIDIA's driver library, by the names of its functions, for one device. It works in the device's primary context, the one
 * that PyTorch uses and never gives up.
 */
final class CudaDriver {

    /** The stream that PyTorch works on unless told otherwise, CU_STREAM_LEGACY. */
    static final Pointer DEFAULT_STREAM = Pointer.createConstant(1);

    private final NativeLibrary library;
    private final Pointer context;

    private CudaDriver(NativeLibrary library, Pointer context) {
        this.library = library;
        this.context = context;
    }

    /**
     * @param ordinal the device's number as CUDA counts in this process
     * @throws EngineFailure where there is no driver or no such device
     */
    static CudaDriver open(int ordinal) {
        try {
            NativeLibrary library = NativeLibrary.getInstance(Platform.isWindows() ? "nvcuda" : "libcuda.so.1");
            IntByReference device = new IntByReference();
            PointerByReference context = new PointerByReference();
            call(library, "cuInit", 0);
            call(library, "cuDeviceGet", device, ordinal);
            call(library, "cuDevicePrimaryCtxRetain", context, device.getValue());
            return new CudaDriver(library, context.getValue());
        } catch (UnsatisfiedLinkError e) {
            throw new EngineFailure("NVIDIA's driver library could not be loaded", e);
        }
    }

    /** Makes the device's context the current one of the calling thread; PyTorch does the same when it first computes there. */
    void enter() {
        call("cuCtxSetCurrent", context);
    }

    /**
     * Calls a function that returns a CUresult.
     *
     * @throws EngineFailure where the result is not CUDA_SUCCESS: names the function and says what the driver says
     */
    void call(String function, Object... arguments) {
        call(library, function, arguments);
    }

    /** Makes something that the driver gives a handle for, through the first argument of a function. */
    Pointer create(String function, Object... arguments) {
        PointerByReference handle = new PointerByReference();
        Object[] all = new Object[arguments.length + 1];
        all[0] = handle;
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        call(library, function, all);
        return handle.getValue();
    }

    private static void call(NativeLibrary library, String function, Object... arguments) {
        int result = library.getFunction(function).invokeInt(arguments);
        if (result != 0) {
            PointerByReference text = new PointerByReference();
            library.getFunction("cuGetErrorString").invokeInt(new Object[] {result, text});
            Pointer said = text.getValue();
            throw new EngineFailure(
                    "%s gave CUDA error %d, %s"
                            .formatted(function, result, said == null ? "unknown" : said.getString(0)),
                    null);
        }
    }
}
