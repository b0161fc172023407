package io.github.latencybudget.target.llama;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import io.github.latencybudget.target.llama.KernelShape.Kernel;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The kernels of {@code decode.cu} and {@code attention.cu}, compiled for one model and loaded on one device, and their memory. */
final class DecodeKernels implements AutoCloseable {

    /** Older devices lack instructions that the text has. */
    private static final int OLDEST = 80;

    /** Newer devices take what is compiled for this one. */
    private static final int NEWEST_KNOWN = 90;

    /** In the order of {@link Matrix#of}. */
    private static final int MATRICES_OF_LAYER = 6;

    private static final int DYNAMIC_SHARED_BYTES = 8;
    private static final int SHARED_CARVEOUT = 9;
    private static final int STATE_BYTES = 24;

    private final CudaDriver driver;
    private final KernelShape shape;
    private final Answer answer;
    private final DeviceBlock memory;
    private final long state;
    private final long logits;
    private final Memory work;
    private final Pointer module;
    private final Map<String, Pointer> functions = new HashMap<>();

    /**
     * One launch of a kernel.
     *
     * @param matrix the address of its weights, 0 for none
     * @param scale the address of the scale of the norm before it, 0 for none
     * @param cache the address of a layer's KV cache, 0 for none
     */
    record Launch(Kernel kernel, long matrix, long scale, long cache) {}

    /** @throws EngineFailure where the kernels do not work for this model or device: says why */
    DecodeKernels(CudaDriver driver, KernelShape shape) {
        this.driver = driver;
        this.shape = shape;
        for (Kernel kernel : shape.kernels()) {
            if (kernel.sharedBytes() > driver.sharedBytesOfBlock()) {
                throw new EngineFailure(
                        "the own kernel %s wants %d bytes of shared memory, the device gives %d"
                                .formatted(kernel.name(), kernel.sharedBytes(), driver.sharedBytesOfBlock()),
                        null);
            }
        }
        Memory ptx = compile(Nvrtc.open(), shape, driver.capability());
        driver.enter();
        this.module = driver.create("cuModuleLoadData", ptx);
        for (Kernel kernel : shape.kernels()) {
            Pointer function = driver.create("cuModuleGetFunction", module, kernel.name());
            driver.call("cuFuncSetAttribute", function, DYNAMIC_SHARED_BYTES, kernel.sharedBytes());
            // all alike, for a multiprocessor divides its memory anew only when it is empty
            driver.call("cuFuncSetAttribute", function, SHARED_CARVEOUT, 100);
            functions.put(kernel.name(), function);
        }
        List<Long> sizes = sizes(shape);
        this.memory = new DeviceBlock(
                driver, sizes.stream().mapToLong(DeviceBlock::aligned).sum());
        this.answer = new Answer(driver);
        long[] addresses = sizes.stream().mapToLong(memory::take).toArray();
        this.state = addresses[0];
        this.logits = addresses[7];
        this.work = new Memory(Long.BYTES * (addresses.length + 1L));
        work.setLong(0, state);
        work.setLong(Long.BYTES, answer.address());
        work.write(2L * Long.BYTES, addresses, 1, addresses.length - 1);
        write(addresses[1], shape.config().ropeFrequencies());
    }

    /** {@return PTX} */
    static Memory compile(Nvrtc nvrtc, KernelShape shape, int capability) {
        if (capability < OLDEST) {
            throw new EngineFailure(
                    "own kernels want compute capability 8.0, the device has %d.%d"
                            .formatted(capability / 10, capability % 10),
                    null);
        }
        List<String> options = new ArrayList<>(shape.macros());
        options.add("--gpu-architecture=compute_" + Math.min(capability, NEWEST_KNOWN));
        return nvrtc.compile(text("primitives.cu") + text("decode.cu") + text("attention.cu"), options);
    }

    private static String text(String resource) {
        try (InputStream text = DecodeKernels.class.getResourceAsStream(resource)) {
            if (text == null) {
                throw new IllegalStateException(resource + " is missing beside its class");
            }
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The bytes of what the structure {@code Work} points to, in its order and without the answer. */
    private static List<Long> sizes(KernelShape shape) {
        LlamaConfig config = shape.config();
        long mixed = (long) config.heads() * config.headDim();
        List<Long> sizes = new ArrayList<>();
        sizes.add((long) STATE_BYTES);
        for (long floats : new long[] {
            config.headDim() / 2,
            config.headDim(),
            config.hidden(),
            mixed,
            mixed,
            config.intermediate(),
            config.vocabulary(),
            shape.partials(),
            shape.queryGroups()
        }) {
            sizes.add(floats * Float.BYTES);
        }
        return sizes;
    }

    private void write(long address, float[] values) {
        try (Memory copy = new Memory((long) Float.BYTES * values.length)) {
            copy.write(0, values, 0, values.length);
            driver.call("cuMemcpyHtoD_v2", new Pointer(address), copy, copy.size());
        }
    }

    /** {@return the launches of one step} */
    List<Launch> step(LlamaProgram program) {
        int layers = shape.config().layers();
        int embedding = MATRICES_OF_LAYER * layers;
        int head = shape.config().tiedHead() ? embedding : embedding + 2;
        List<Launch> launches = new ArrayList<>();
        launches.add(new Launch(shape.enter(), program.address(embedding), 0, 0));
        for (int layer = 0; layer < layers; layer++) {
            long[] w = IntStream.range(MATRICES_OF_LAYER * layer, MATRICES_OF_LAYER * (layer + 1))
                    .mapToLong(program::address)
                    .toArray();
            long cache = program.cacheAddress(layer);
            launches.add(new Launch(shape.qkv(), w[1], w[0], cache));
            launches.add(new Launch(shape.attention(), 0, 0, cache));
            launches.add(new Launch(shape.attentionOut(), w[2], 0, 0));
            launches.add(new Launch(shape.gateUp(), w[4], w[3], 0));
            launches.add(new Launch(shape.down(), w[5], 0, 0));
        }
        launches.add(new Launch(shape.choose(), program.address(head), program.address(embedding + 1), 0));
        return launches;
    }

    /** Starts them on a stream, one after the other. */
    void launch(KernelStream stream, List<Launch> launches) {
        for (Launch launch : launches) {
            stream.launch(functions.get(launch.kernel().name()), launch, work);
        }
    }

    /** Says where the next step is: which token it takes, at which place of the sequence, counted from 0. */
    void place(KernelStream stream, long token, int position) {
        try (Memory copy = new Memory(2L * Integer.BYTES)) {
            copy.setInt(0, Math.toIntExact(token));
            copy.setInt(Integer.BYTES, position);
            driver.call("cuMemcpyHtoDAsync_v2", new Pointer(state), copy, copy.size(), stream.handle());
            driver.call("cuStreamSynchronize", stream.handle());
        }
    }

    /** {@return the logits of the step before, once the device is done} */
    float[] logits() {
        int vocabulary = shape.config().vocabulary();
        try (Memory copy = new Memory((long) Float.BYTES * vocabulary)) {
            driver.call("cuMemcpyDtoH_v2", copy, new Pointer(logits), copy.size());
            return copy.getFloatArray(0, vocabulary);
        }
    }

    Answer answer() {
        return answer;
    }

    boolean spin() {
        return shape.tuning().spin();
    }

    @Override
    public void close() {
        answer.close();
        memory.close();
        driver.call("cuModuleUnload", module);
        work.close();
    }
}
