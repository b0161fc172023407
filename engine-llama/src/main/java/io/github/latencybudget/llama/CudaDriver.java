package io.github.latencybudget.llama;

import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.PointerByReference;
import java.util.Locale;

/**
 * NVIDIA's driver library, by the names of its functions, for one device. It works in the device's primary context, the one
 * that PyTorch uses and never gives up.
 */
final class CudaDriver {

    /** The stream that PyTorch works on unless told otherwise, CU_STREAM_LEGACY. */
    static final Pointer DEFAULT_STREAM = Pointer.createConstant(1);

    private static final int NOT_READY = 600;
    private static final int MULTIPROCESSORS = 16;
    private static final int CAPABILITY_MAJOR = 75;
    private static final int CAPABILITY_MINOR = 76;
    private static final int SHARED_BYTES_OF_BLOCK = 97;

    private final NativeLibrary library;
    private final int device;
    private final Pointer context;

    private CudaDriver(NativeLibrary library, int device, Pointer context) {
        this.library = library;
        this.device = device;
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
            return new CudaDriver(library, device.getValue(), context.getValue());
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

    /** {@return how many multiprocessors the device has} */
    int multiprocessors() {
        return attribute(MULTIPROCESSORS);
    }

    /** {@return the compute capability, such as 90 for 9.0} */
    int capability() {
        return 10 * attribute(CAPABILITY_MAJOR) + attribute(CAPABILITY_MINOR);
    }

    /** {@return how many bytes of shared memory a block may have if it asks for them} */
    int sharedBytesOfBlock() {
        return attribute(SHARED_BYTES_OF_BLOCK);
    }

    private int attribute(int number) {
        IntByReference value = new IntByReference();
        call("cuDeviceGetAttribute", value, number, device);
        return value.getValue();
    }

    /** {@return whether everything on a stream is done} */
    boolean isDone(Pointer stream) {
        int result = library.getFunction("cuStreamQuery").invokeInt(new Object[] {stream});
        if (result != NOT_READY) {
            check(library, "cuStreamQuery", result);
        }
        return result == 0;
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
        check(library, function, library.getFunction(function).invokeInt(arguments));
    }

    private static void check(NativeLibrary library, String function, int result) {
        if (result != 0) {
            PointerByReference text = new PointerByReference();
            library.getFunction("cuGetErrorString").invokeInt(new Object[] {result, text});
            Pointer said = text.getValue();
            throw new EngineFailure(
                    String.format(
                            Locale.ROOT,
                            "%s gave CUDA error %d, %s",
                            function,
                            result,
                            said == null ? "unknown" : said.getString(0)),
                    null);
        }
    }
}
