package io.github.latencybudget.llama;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;

/** A CUDA stream of its own, on which kernels are recorded as a graph, and graphs are replayed. */
final class KernelStream implements AutoCloseable {

    private static final int NON_BLOCKING = 1;
    private static final int CAPTURE_THREAD_LOCAL = 1;

    private final CudaDriver driver;
    private final Pointer stream;
    private final Memory arguments = new Memory(4L * Long.BYTES);
    private final Memory parameters = new Memory(5L * Long.BYTES);

    KernelStream(CudaDriver driver) {
        this.driver = driver;
        driver.enter();
        this.stream = driver.create("cuStreamCreate", NON_BLOCKING);
    }

    /** {@return the driver's handle} */
    Pointer handle() {
        return stream;
    }

    /**
     * Starts a kernel.
     *
     * @param work the structure that is its first argument
     */
    void launch(DecodeKernels.Launch launch, Memory work) {
        Kernel kernel = launch.function().kernel();
        arguments.write(0, new long[] {launch.matrix(), launch.norm(), launch.scales(), launch.layer()}, 0, 4);
        parameters.setPointer(0, work);
        for (int i = 0; i < 4; i++) {
            parameters.setPointer((i + 1L) * Long.BYTES, arguments.share((long) i * Long.BYTES));
        }
        driver.call(
                "cuLaunchKernel",
                launch.function().handle(),
                kernel.gridX(),
                kernel.gridY(),
                kernel.gridZ(),
                kernel.threads(),
                1,
                1,
                kernel.sharedBytes(),
                stream,
                parameters,
                Pointer.NULL);
    }

    /** Records what is started on this stream. {@return the driver's handle of the graph, to be destroyed by the caller} */
    Pointer record(Runnable work) {
        driver.enter();
        driver.call("cuStreamBeginCapture_v2", stream, CAPTURE_THREAD_LOCAL);
        PointerByReference graph = new PointerByReference();
        boolean recorded = false;
        try {
            work.run();
            recorded = true;
        } finally {
            end(graph, recorded);
        }
        try {
            Pointer executable = driver.create("cuGraphInstantiateWithFlags", graph.getValue(), 0L);
            driver.call("cuGraphUpload", executable, stream);
            await();
            return executable;
        } finally {
            driver.call("cuGraphDestroy", graph.getValue());
        }
    }

    /** A recording has to be ended also where it failed, and then what failed matters more than that the end fails too. */
    private void end(PointerByReference graph, boolean recorded) {
        try {
            driver.call("cuStreamEndCapture", stream, graph);
        } catch (EngineFailure e) {
            if (recorded) {
                throw e;
            }
        }
    }

    /** Starts what was recorded, without waiting. */
    void launch(Pointer graph) {
        driver.call("cuGraphLaunch", graph, stream);
    }

    void destroy(Pointer graph) {
        driver.enter();
        driver.call("cuGraphExecDestroy", graph);
    }

    /** Waits until the device has done everything on this stream. */
    void await() {
        driver.enter();
        driver.call("cuStreamSynchronize", stream);
    }

    @Override
    public void close() {
        driver.enter();
        driver.call("cuStreamDestroy_v2", stream);
        arguments.close();
        parameters.close();
    }
}
