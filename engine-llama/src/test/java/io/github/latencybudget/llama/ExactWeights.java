package io.github.latencybudget.llama;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Random weights on a device, as they are and quantised: small whole numbers times powers of two, so that both are the same numbers
 * in every type.
 */
final class ExactWeights implements AutoCloseable {

    private final CudaDriver driver;
    private final Dtype dtype;
    private final Quantization quantization;
    private final List<Long> plain = new ArrayList<>();
    private final List<Long> quantised = new ArrayList<>();
    private final List<Long> scales = new ArrayList<>();
    private final SplittableRandom random = new SplittableRandom(7);

    /** @param quantization which of the quantised layouts the weights can be had in */
    ExactWeights(CudaDriver driver, LlamaConfig config, Dtype dtype, Quantization quantization) {
        this.driver = driver;
        this.dtype = dtype;
        this.quantization = quantization;
        List<Matrix> matrices = Matrix.of(config);
        for (int i = 0; i < matrices.size(); i++) {
            add(matrices.get(i), i < matrices.size() - (config.tiedHead() ? 2 : 3));
        }
    }

    KernelWeights plain() {
        return plain::get;
    }

    KernelWeights quantised() {
        return new KernelWeights() {
            @Override
            public long matrix(int index) {
                return quantised.get(index);
            }

            @Override
            public long scales(int index) {
                return scales.get(index);
            }
        };
    }

    private void add(Matrix matrix, boolean ofLayer) {
        int[] numbers = new int[Math.toIntExact(matrix.numbers())];
        int[] exponents = new int[numbers.length];
        boolean four = quantization == Quantization.INT4;
        int group = four ? Quantization.GROUP : matrix.columns();
        for (int i = 0; i < numbers.length; i++) {
            if (matrix.norm()) {
                numbers[i] = 128 + random.nextInt(-64, 64);
                exponents[i] = -7;
            } else {
                numbers[i] = four ? random.nextInt(-8, 8) : random.nextInt(-128, 128);
                exponents[i] = (four ? -6 : -10) - i / group % 2;
            }
        }
        plain.add(plain(numbers, exponents));
        boolean quantise = ofLayer && !matrix.norm() && quantization != Quantization.NONE;
        quantised.add(quantise ? quantised(numbers) : plain.get(plain.size() - 1));
        scales.add(quantise ? scales(exponents, group) : 0L);
    }

    private long plain(int[] numbers, int[] exponents) {
        try (Memory copy = new Memory((long) numbers.length * dtype.bytes())) {
            for (int i = 0; i < numbers.length; i++) {
                float value = Math.scalb((float) numbers[i], exponents[i]);
                if (dtype == Dtype.FP32) {
                    copy.setFloat((long) Float.BYTES * i, value);
                } else {
                    copy.setShort((long) Short.BYTES * i, bits(value));
                }
            }
            return onDevice(copy);
        }
    }

    /** The type's bits of a value that it has exactly, other than a subnormal one. */
    private short bits(float value) {
        int bits = Float.floatToIntBits(value);
        if (dtype == Dtype.BF16 || value == 0) {
            return (short) (bits >>> 16);
        }
        return (short) (bits >>> 16 & 0x8000 | (bits & 0x7fffffff) - (112 << 23) >>> 13);
    }

    private long quantised(int[] numbers) {
        boolean four = quantization == Quantization.INT4;
        try (Memory copy = new Memory(numbers.length / (four ? 2 : 1))) {
            int[] order = {0, 2, 4, 6, 1, 3, 5, 7};
            for (int i = 0; i < numbers.length; i += 8) {
                int word = 0;
                for (int p = 0; p < 8; p++) {
                    word |= numbers[i + order[p]] + 8 << 4 * p;
                    if (!four) {
                        copy.setByte(i + p, (byte) (numbers[i + p] + 128));
                    }
                }
                if (four) {
                    copy.setInt(i / 2, word);
                }
            }
            return onDevice(copy);
        }
    }

    private long scales(int[] exponents, int group) {
        try (Memory copy = new Memory((long) Short.BYTES * exponents.length / group)) {
            for (int i = 0; i < exponents.length; i += group) {
                copy.setShort((long) Short.BYTES * (i / group), bits(Math.scalb(1f, exponents[i])));
            }
            return onDevice(copy);
        }
    }

    private long onDevice(Memory bytes) {
        driver.enter();
        Pointer memory = driver.create("cuMemAlloc_v2", bytes.size());
        driver.call("cuMemcpyHtoD_v2", memory, bytes, bytes.size());
        return Pointer.nativeValue(memory);
    }

    @Override
    public void close() {
        driver.enter();
        List<Long> all = new ArrayList<>(plain);
        all.addAll(quantised);
        all.addAll(scales);
        all.stream()
                .filter(address -> address != 0)
                .distinct()
                .forEach(address -> driver.call("cuMemFree_v2", new Pointer(address)));
    }
}
