package io.github.latencybudget.llama;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.util.ArrayList;
import java.util.List;

/** The kernels of {@code prefill.cu}, compiled for one model and loaded on one device. They run on PyTorch's stream. */
final class PrefillKernels implements AutoCloseable {

    private static final int NORM_THREADS = 256;
    private static final int TURN_THREADS = 256;
    private static final int GATE_THREADS = 256;
    private static final int DEQUANTIZE_THREADS = 256;
    private static final int EIGHT = 8;
    private static final int MOST_ARGUMENTS = 5;

    private final CudaDriver driver;
    private final LlamaConfig config;
    private final Dtype dtype;
    private final KernelModule module;
    private final DeviceBlock frequencies;
    private final long frequenciesAddress;
    private final Memory arguments = new Memory((long) MOST_ARGUMENTS * Long.BYTES);
    private final Memory parameters = new Memory((long) MOST_ARGUMENTS * Long.BYTES);

    /** @throws EngineFailure where the kernels do not work for this model or device: says why */
    PrefillKernels(CudaDriver driver, LlamaConfig config, Dtype dtype) {
        this.driver = driver;
        this.config = config;
        this.dtype = dtype;
        this.module = new KernelModule(driver, new Texts(config, dtype));
        float[] values = config.ropeFrequencies();
        this.frequencies = new DeviceBlock(driver, DeviceBlock.aligned((long) Float.BYTES * values.length));
        this.frequenciesAddress = frequencies.take((long) Float.BYTES * values.length);
        try (Memory copy = new Memory((long) Float.BYTES * values.length)) {
            copy.write(0, values, 0, values.length);
            driver.call("cuMemcpyHtoD_v2", new Pointer(frequenciesAddress), copy, copy.size());
        }
    }

    /** What is compiled. */
    record Texts(LlamaConfig config, Dtype dtype) implements KernelSet {

        Texts {
            int perLoad = 16 / dtype.bytes();
            KernelShape.multiple("hidden_size", config.hidden(), perLoad);
            KernelShape.multiple("intermediate_size", config.intermediate(), perLoad);
            KernelShape.multiple("head_dim", config.headDim(), 2 * perLoad);
        }

        @Override
        public List<String> texts() {
            return List.of("primitives.cu", "prefill.cu");
        }

        @Override
        public List<String> macros() {
            return List.of(
                    "-DWEIGHT=" + dtype,
                    "-DHIDDEN=" + config.hidden(),
                    "-DINTERMEDIATE=" + config.intermediate(),
                    "-DHEADS=" + config.heads(),
                    "-DKV_HEADS=" + config.kvHeads(),
                    "-DHEAD_DIM=" + config.headDim(),
                    "-DEPSILON=" + config.epsilon(),
                    "-DNORM_THREADS=" + NORM_THREADS,
                    "-DTURN_THREADS=" + TURN_THREADS,
                    "-DGATE_THREADS=" + GATE_THREADS,
                    "-DDEQUANTIZE_THREADS=" + DEQUANTIZE_THREADS);
        }

        @Override
        public List<Kernel> kernels() {
            List<Kernel> kernels = new ArrayList<>(List.of(
                    new Kernel("norm_rows", 1, NORM_THREADS, 0),
                    new Kernel("turn", 1, TURN_THREADS, 0),
                    new Kernel("gate", 1, GATE_THREADS, 0)));
            if (dtype == Dtype.FP16) {
                kernels.add(new Kernel("dequantize8", 1, DEQUANTIZE_THREADS, 0));
                kernels.add(new Kernel("dequantize4", 1, DEQUANTIZE_THREADS, 0));
            }
            return kernels;
        }
    }

    /** The RMS norm of so many rows. */
    void norm(int rows, long stream, long scale, long normed) {
        launch("norm_rows", rows, 1, stream, scale, normed);
    }

    /** Turns queries and keys of the rows of one sequence, and brings keys and values to its cache of a layer. */
    void turn(int rows, long queriesKeysValues, long cache, int start) {
        launch("turn", rows, 1, queriesKeysValues, frequenciesAddress, cache, start);
    }

    /** Applies the gate of so many rows. */
    void gate(int rows, long gateAndUp, long inner) {
        int loads = config.intermediate() * dtype.bytes() / 16;
        launch("gate", (loads + GATE_THREADS - 1) / GATE_THREADS, rows, gateAndUp, inner);
    }

    /** Makes numbers that products take of quantised weights. */
    void dequantize(Quantization quantization, long rows, int columns, long packed, long scales, long weights) {
        int eights = Math.toIntExact(rows * columns / EIGHT);
        launch(
                quantization == Quantization.INT8 ? "dequantize8" : "dequantize4",
                (eights + DEQUANTIZE_THREADS - 1) / DEQUANTIZE_THREADS,
                1,
                packed,
                scales,
                weights,
                eights,
                quantization.groupOf(columns) / EIGHT);
    }

    private void launch(String name, int gridX, int gridY, long... values) {
        for (int i = 0; i < values.length; i++) {
            // a smaller type takes the lower bytes
            arguments.setLong((long) i * Long.BYTES, values[i]);
            parameters.setPointer((long) i * Long.BYTES, arguments.share((long) i * Long.BYTES));
        }
        KernelModule.Function function = module.function(name);
        driver.call(
                "cuLaunchKernel",
                function.handle(),
                gridX,
                gridY,
                1,
                function.kernel().threads(),
                1,
                1,
                0,
                CudaDriver.DEFAULT_STREAM,
                parameters,
                Pointer.NULL);
    }

    @Override
    public void close() {
        module.close();
        frequencies.close();
        arguments.close();
        parameters.close();
    }
}
