package io.github.latencybudget.target.llama;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/** Times and checks the matrix-vector kernel {@code gemv.cu}, compiled here with several settings. */
final class KernelProbe {

    /** Warps per block, rows per warp, loads in flight per row, warps per row. */
    private static final int[][] SETTINGS = {
        {4, 1, 4, 1}, {8, 1, 8, 1}, {4, 2, 4, 1}, {8, 2, 2, 1}, {8, 2, 4, 2}, {8, 1, 4, 4}, {8, 4, 2, 2}, {8, 4, 2, 8},
    };

    private static final int REPETITIONS = 96;

    /** Weights repeat after so many bytes, many times the L2 cache together. */
    private static final long BLOCK = 1L << 26;

    private static final long WEIGHTS = 1L << 30;

    private final CudaDriver driver;
    private final GraphTimer timer;
    private final CudaText compiler;
    private final Memory numbers = new Memory(BLOCK);

    KernelProbe(CudaDriver driver, GraphTimer timer, Path natives) throws Exception {
        this.driver = driver;
        this.timer = timer;
        this.compiler = CudaText.open(natives);
        SplittableRandom random = new SplittableRandom(3);
        for (long i = 0; i < BLOCK; i += Long.BYTES) {
            // any sign and fraction, exponents that keep the value below 1/8
            numbers.setLong(i, random.nextLong() & 0x83ff83ff83ff83ffL | 0x2c002c002c002c00L);
        }
    }

    void run() {
        driver.enter();
        Pointer x = driver.create("cuMemAlloc_v2", 1L << 20);
        Pointer y = driver.create("cuMemAlloc_v2", 1L << 20);
        Pointer w = driver.create("cuMemAlloc_v2", WEIGHTS);
        driver.call("cuMemcpyHtoD_v2", x, numbers, 1L << 20);
        for (long at = 0; at < WEIGHTS; at += BLOCK) {
            driver.call("cuMemcpyHtoD_v2", new Pointer(Pointer.nativeValue(w) + at), numbers, BLOCK);
        }
        String[] names = Arrays.stream(SETTINGS).map(KernelProbe::name).toArray(String[]::new);
        double[][] micros = new double[ComponentProbe.SHAPES.length][SETTINGS.length];
        for (int s = 0; s < micros.length; s++) {
            int[] shape = ComponentProbe.SHAPES[s];
            System.out.printf("  own kernel, [1, %d] x [%d, %d] fp16%n", shape[1], shape[1], shape[0]);
            for (int k = 0; k < SETTINGS.length; k++) {
                micros[s][k] = kernel(names[k], shape, SETTINGS[k], x, y, w);
            }
        }
        GraphTimer.printTotals(names, micros);
        for (Pointer memory : List.of(x, y, w)) {
            driver.call("cuMemFree_v2", memory);
        }
    }

    private static String name(int[] setting) {
        return String.format(
                Locale.ROOT,
                "%d warps, %d rows, %d loads, %d warps a row",
                setting[0],
                setting[1],
                setting[2],
                setting[3]);
    }

    private double kernel(String what, int[] shape, int[] setting, Pointer x, Pointer y, Pointer w) {
        Memory ptx = compiler.compile(
                ProbeProgram.text("gemv.cu"),
                List.of(
                        "--gpu-architecture=compute_80",
                        "-DWARPS=" + setting[0],
                        "-DROWS=" + setting[1],
                        "-DUNROLL=" + setting[2],
                        "-DLANES_K=" + setting[3]));
        Pointer module = driver.create("cuModuleLoadData", ptx);
        Pointer function = driver.create("cuModuleGetFunction", module, "gemv");
        long bytes = 2L * shape[0] * shape[1];
        int copies = (int) (WEIGHTS / bytes);
        int rowsPerBlock = setting[0] / setting[3] * setting[1];
        List<Pointer> arguments = new ArrayList<>();
        for (int copy = 0; copy < copies; copy++) {
            arguments.add(arguments(Pointer.nativeValue(w) + copy * bytes, x, y, shape));
        }
        Object[] last = {null};
        double micros = timer.print(what, bytes, REPETITIONS, () -> {
            for (int i = 0; i < REPETITIONS; i++) {
                last[0] = arguments.get(i % copies);
                int blocks = (shape[0] + rowsPerBlock - 1) / rowsPerBlock;
                Pointer stream = timer.stream().handle();
                driver.call(
                        "cuLaunchKernel",
                        function,
                        blocks,
                        1,
                        1,
                        setting[0] * 32,
                        1,
                        1,
                        0,
                        stream,
                        last[0],
                        Pointer.NULL);
            }
        });
        double error = error(shape, y, (REPETITIONS - 1) % copies * bytes);
        if (!(error < 5e-3)) {
            System.out.printf(Locale.ROOT, "    %-44s WRONG: relative error %.2e%n", what, error);
        }
        driver.call("cuModuleUnload", module);
        return micros;
    }

    /** {@return the largest relative error of some outputs} */
    private double error(int[] shape, Pointer y, long offset) {
        double worst = 0;
        try (Memory result = new Memory(2L * shape[0])) {
            driver.call("cuMemcpyDtoH_v2", result, y, result.size());
            for (int row = 0; row < shape[0]; row += shape[0] / 61) {
                double sum = 0;
                double norm = 0;
                for (int i = 0; i < shape[1]; i++) {
                    double product = half(numbers.getShort(2L * i))
                            * half(numbers.getShort((offset + 2 * ((long) row * shape[1] + i)) % BLOCK));
                    sum += product;
                    norm += product * product;
                }
                worst = Math.max(worst, Math.abs(half(result.getShort(2L * row)) - sum) / Math.sqrt(norm));
            }
        }
        return worst;
    }

    /** A normal number in half precision. */
    private static double half(short bits) {
        int exponent = bits >> 10 & 31;
        int fraction = bits & 1023;
        double value = exponent == 0 ? fraction * 0x1p-24 : (1024 + fraction) * Math.pow(2, exponent - 25);
        return bits < 0 ? -value : value;
    }

    /** An array of addresses of the arguments, and the arguments, in one block that lives as long as its Java object. */
    private static Pointer arguments(long w, Pointer x, Pointer y, int[] shape) {
        Memory block = new Memory(80);
        long values = Pointer.nativeValue(block) + 40;
        block.setLong(40, w);
        block.setLong(48, Pointer.nativeValue(x));
        block.setLong(56, Pointer.nativeValue(y));
        block.setInt(64, shape[0]);
        block.setInt(72, shape[1]);
        for (int i = 0; i < 5; i++) {
            block.setLong(8L * i, values + 8L * i);
        }
        return block;
    }
}
