package io.github.latencybudget.target.llama;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A CUDA stream of its own on which PyTorch's work is recorded as graphs. PyTorch has a current stream per thread, which DJL
 * cannot set; this calls the function of PyTorch's library {@code c10_cuda} that can, and only while it records. Replaying
 * needs no current stream, so that any thread may do it.
 *
 * <p>PyTorch's allocator keeps memory apart by stream. Nothing but recorded steps allocates on this one, so that their
 * intermediate results, which are free again when a recording ends, are never given to anything that lives on.
 */
final class CaptureStream implements AutoCloseable {

    /** {@code c10::cuda::setCurrentCUDAStream(c10::cuda::CUDAStream)}, as GCC and Clang mangle it. */
    private static final String SET_CURRENT_STREAM = "_ZN3c104cuda20setCurrentCUDAStreamENS0_10CUDAStreamE";

    private static final int CUDA_DEVICE = 1;
    private static final int NON_BLOCKING = 1;
    private static final int CAPTURE_RELAXED = 2;

    private final CudaDriver driver;
    private final Function setCurrentStream;
    private final int ordinal;
    private final Pointer stream;

    private CaptureStream(CudaDriver driver, Function setCurrentStream, int ordinal) {
        this.driver = driver;
        this.setCurrentStream = setCurrentStream;
        this.ordinal = ordinal;
        driver.enter();
        this.stream = driver.create("cuStreamCreate", NON_BLOCKING);
    }

    /**
     * @param ordinal the device's number as CUDA counts in this process
     * @throws EngineFailure where PyTorch's current stream cannot be set in this process: says why
     */
    static CaptureStream open(CudaDriver driver, int ordinal) {
        Path library = library()
                .orElseThrow(() -> new EngineFailure("PyTorch's library c10_cuda is not found in this process", null));
        try {
            Function function = NativeLibrary.getInstance(library.toString()).getFunction(SET_CURRENT_STREAM);
            return new CaptureStream(driver, function, ordinal);
        } catch (UnsatisfiedLinkError e) {
            throw new EngineFailure(
                    "PyTorch's library %s has no setCurrentCUDAStream".formatted(library.getFileName()), e);
        }
    }

    /** The file that DJL loaded, wherever it took it from. */
    private static Optional<Path> library() {
        Path maps = Path.of("/proc/self/maps");
        if (!Platform.isLinux() || !Files.isReadable(maps)) {
            return Optional.empty();
        }
        try (var lines = Files.lines(maps)) {
            return lines.filter(line -> line.endsWith("/libc10_cuda.so"))
                    .map(line -> Path.of(line.substring(line.indexOf('/'))))
                    .findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Runs work of PyTorch on this stream, on the calling thread, and waits for it. */
    void run(Runnable work) {
        driver.enter();
        // the stream does not wait for PyTorch's default one by itself
        driver.call("cuCtxSynchronize");
        setCurrent(Pointer.nativeValue(stream));
        try {
            work.run();
        } finally {
            setCurrent(0);
        }
        await();
    }

    /** Records what PyTorch would do on this stream. {@return the recording, to be destroyed by the caller} */
    RecordedGraph capture(Runnable work) {
        Pointer[] graph = new Pointer[1];
        run(() -> {
            driver.call("cuStreamBeginCapture_v2", stream, CAPTURE_RELAXED);
            boolean recorded = false;
            try {
                work.run();
                recorded = true;
            } finally {
                graph[0] = endCapture(recorded);
            }
        });
        try {
            LongByReference nodes = new LongByReference();
            driver.call("cuGraphGetNodes", graph[0], Pointer.NULL, nodes);
            return new RecordedGraph(
                    driver.create("cuGraphInstantiateWithFlags", graph[0], 0L), Math.toIntExact(nodes.getValue()));
        } finally {
            driver.call("cuGraphDestroy", graph[0]);
        }
    }

    /** A recording has to be ended also where it failed, and then what failed matters more than that the end fails too. */
    private Pointer endCapture(boolean recorded) {
        PointerByReference graph = new PointerByReference();
        try {
            driver.call("cuStreamEndCapture", stream, graph);
        } catch (EngineFailure e) {
            if (recorded) {
                throw e;
            }
        }
        return graph.getValue();
    }

    /** Starts what was recorded, on the calling thread's device, without waiting. */
    void launch(RecordedGraph graph) {
        driver.call("cuGraphLaunch", graph.handle(), stream);
    }

    void destroy(RecordedGraph graph) {
        driver.call("cuGraphExecDestroy", graph.handle());
    }

    /** Waits until the device has done everything on this stream. */
    void await() {
        driver.call("cuStreamSynchronize", stream);
    }

    /** {@return the driver's handle} */
    Pointer handle() {
        return stream;
    }

    /** The function takes a structure of two words in registers: type and number of the device, and the stream. */
    private void setCurrent(long id) {
        setCurrentStream.invokeVoid(new Object[] {(long) CUDA_DEVICE | (long) ordinal << Byte.SIZE, id});
    }

    @Override
    public void close() {
        driver.enter();
        driver.call("cuStreamDestroy_v2", stream);
    }
}
