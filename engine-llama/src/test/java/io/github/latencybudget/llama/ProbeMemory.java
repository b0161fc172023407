package io.github.latencybudget.llama;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Device memory with numbers to compute with where only the time matters. */
final class ProbeMemory implements AutoCloseable {

    private static final int PATTERN_BYTES = 1 << 26;

    private final CudaDriver driver;
    private final LlamaConfig config;
    private final List<Pointer> allocated = new ArrayList<>();
    private final long numbers;
    private final long bytes;
    private final long ones;

    ProbeMemory(CudaDriver driver, LlamaConfig config) {
        this.driver = driver;
        this.config = config;
        this.numbers = pattern(random -> half(0.02 * random.nextGaussian()));
        this.bytes = pattern(random -> (short) random.nextInt());
        this.ones = pattern(random -> half(1));
    }

    /** {@return the address of small numbers in fp16} */
    long numbers(long size) {
        long address = allocate(size);
        fill(address, numbers, size);
        return address;
    }

    /** {@return weights without a meaning} */
    KernelWeights weights(Quantization quantization) {
        List<Long> matrices = new ArrayList<>();
        List<Long> scales = new ArrayList<>();
        List<Matrix> all = Matrix.of(config);
        int layerMatrices = all.size() - (config.tiedHead() ? 2 : 3);
        for (int i = 0; i < all.size(); i++) {
            Matrix matrix = all.get(i);
            boolean quantise = quantization != Quantization.NONE && i < layerMatrices && !matrix.norm();
            long size = matrix.numbers() * (quantise ? quantization.bits(Dtype.FP16) : 16) / 8;
            matrices.add(allocate(size));
            fill(matrices.get(i), matrix.norm() ? ones : quantise ? bytes : numbers, size);
            long scaleBytes =
                    matrix.numbers() / (quantization == Quantization.INT4 ? Quantization.GROUP : matrix.columns()) * 2;
            scales.add(quantise ? allocate(scaleBytes) : 0L);
            if (quantise) {
                // any small numbers do
                fill(scales.get(i), numbers, scaleBytes);
            }
        }
        return new KernelWeights() {
            @Override
            public long matrix(int index) {
                return matrices.get(index);
            }

            @Override
            public long scales(int index) {
                return scales.get(index);
            }
        };
    }

    private interface Numbers {
        short next(Random random);
    }

    private long pattern(Numbers next) {
        Random random = new Random(3);
        // random in itself for a while, then again
        short[] some = new short[1 << 20];
        for (int i = 0; i < some.length; i++) {
            some[i] = next.next(random);
        }
        try (Memory copy = new Memory(PATTERN_BYTES)) {
            for (long at = 0; at < copy.size(); at += 2L * some.length) {
                copy.write(at, some, 0, some.length);
            }
            long address = allocate(copy.size());
            driver.call("cuMemcpyHtoD_v2", new Pointer(address), copy, copy.size());
            return address;
        }
    }

    private long allocate(long size) {
        driver.enter();
        Pointer memory = driver.create("cuMemAlloc_v2", size);
        allocated.add(memory);
        return Pointer.nativeValue(memory);
    }

    private void fill(long to, long pattern, long size) {
        for (long at = 0; at < size; at += PATTERN_BYTES) {
            driver.call(
                    "cuMemcpyDtoD_v2", new Pointer(to + at), new Pointer(pattern), Math.min(PATTERN_BYTES, size - at));
        }
    }

    /** Truncated, which does for numbers without a meaning. */
    private static short half(double value) {
        int bits = Float.floatToIntBits((float) value);
        int magnitude = Math.max(0, (bits & 0x7fffffff) - (112 << 23)) >>> 13;
        return (short) (bits >>> 16 & 0x8000 | magnitude);
    }

    @Override
    public void close() {
        driver.enter();
        allocated.forEach(memory -> driver.call("cuMemFree_v2", memory));
    }
}
