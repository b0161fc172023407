package io.github.latencybudget.target.llama;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;

/**
 * Whether the address of one of PyTorch's tensors can be had from the driver: a recorded copy of it is a node whose parameters
 * say where it is. Kernels of our own would need that.
 */
final class AddressProbe {

    /** The offset of srcDevice in the structure CUDA_MEMCPY3D, and its size. */
    private static final int SOURCE = 48;

    private static final int PARAMETERS = 200;

    private AddressProbe() {}

    static void run(CudaDriver driver, GraphTimer timer, ProbeProgram program) {
        long first = 4711;
        program.run("forget");
        program.run("make_ramp", first);
        Pointer[] source = new Pointer[1];
        timer.stream().destroy(timer.stream().capture(() -> {
            program.run("copy_ramp");
            PointerByReference graph = new PointerByReference();
            PointerByReference nodes = new PointerByReference();
            LongByReference count = new LongByReference();
            driver.call(
                    "cuStreamGetCaptureInfo_v2",
                    timer.stream().handle(),
                    new IntByReference(),
                    new LongByReference(),
                    graph,
                    nodes,
                    count);
            try (Memory parameters = new Memory(PARAMETERS)) {
                parameters.clear();
                driver.call("cuGraphMemcpyNodeGetParams", nodes.getValue().getPointer(0), parameters);
                source[0] = parameters.getPointer(SOURCE);
            }
        }));
        try (Memory numbers = new Memory(8000)) {
            driver.call("cuMemcpyDtoH_v2", numbers, source[0], numbers.size());
            boolean found = numbers.getLong(0) == first && numbers.getLong(7992) == first + 999;
            System.out.printf("  address %s: %s%n", source[0], found ? "holds the tensor" : "holds something else");
        }
    }
}
