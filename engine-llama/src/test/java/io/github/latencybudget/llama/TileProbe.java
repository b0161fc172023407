package io.github.latencybudget.llama;

import com.sun.jna.Pointer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.LongStream;

/** Times single kernels on a model's own weights, so that nothing is read twice from a cache. */
final class TileProbe {

    private static final int RUNS = 9;

    private static final List<Tile> TILES = List.of(
            new Tile(8, 2, 1, 8, 1),
            new Tile(16, 1, 1, 8, 1),
            new Tile(16, 4, 1, 4, 1),
            new Tile(8, 1, 2, 4, 1),
            new Tile(8, 4, 1, 8, 1),
            new Tile(8, 2, 1, 12, 1),
            new Tile(4, 1, 2, 8, 1),
            new Tile(4, 1, 1, 8, 2));

    private final CudaDriver driver;
    private final LlamaConfig config;

    TileProbe(CudaDriver driver, LlamaConfig config) {
        this.driver = driver;
        this.config = config;
    }

    void copy() {
        long bytes = 1L << 31;
        driver.enter();
        Pointer from = driver.create("cuMemAlloc_v2", bytes);
        Pointer to = driver.create("cuMemAlloc_v2", bytes);
        try (KernelStream stream = new KernelStream(driver)) {
            driver.call("cuMemsetD8_v2", from, (byte) 57, bytes);
            double ms = median(stream, () -> driver.call("cuMemcpyDtoDAsync_v2", to, from, bytes, stream.handle()));
            System.out.printf(
                    Locale.ROOT, "  copy of 2 GiB: %.3f ms, %.2f TB/s read and written%n", ms, 2 * bytes / ms / 1e9);
        }
        driver.call("cuMemFree_v2", from);
        driver.call("cuMemFree_v2", to);
    }

    private double median(KernelStream stream, Runnable work) {
        try (DeviceTimes times = new DeviceTimes(driver)) {
            work.run();
            for (int i = 0; i < RUNS; i++) {
                times.start(stream.handle());
                work.run();
                times.stop(stream.handle());
            }
            stream.await();
            return KernelsProbe.at(
                    LongStream.of(times.take()).mapToDouble(n -> n / 1e6).toArray(), 50);
        }
    }

    /** Times each kernel alone, in several tiles. {@return the best ones} */
    Tuning best(LlamaProgram program, Tuning tuning, List<String> summary) {
        program.open(0, 2304);
        Map<String, Tile> best = new LinkedHashMap<>();
        Map<String, Double> least = new LinkedHashMap<>();
        TILES.forEach(tile -> KernelsProbe.guarded("tile " + tile.macro(), () -> {
            Tuning all = new Tuning(tile, tile, tile, tile, tile, false);
            try (DecodeKernels kernels = new DecodeKernels(driver, config, Dtype.FP16, Quantization.NONE, all);
                    KernelStream stream = new KernelStream(driver)) {
                for (String kernel : List.of("qkv", "attention_out", "gate_up", "down", "choose")) {
                    double micros = micros(program, kernels, stream, kernel, 5);
                    if (micros < least.getOrDefault(kernel, Double.POSITIVE_INFINITY)) {
                        least.put(kernel, micros);
                        best.put(kernel, tile);
                    }
                }
                if (tile.equals(tuning.qkv())) {
                    for (int place : new int[] {0, 127, 639, 2175}) {
                        micros(program, kernels, stream, "attention", place);
                    }
                    micros(program, kernels, stream, "enter", 5);
                }
            }
        }));
        best.forEach((kernel, tile) -> summary.add(String.format(
                Locale.ROOT, "  best tile of %-14s %s, %.2f us", kernel, tile.macro(), least.get(kernel))));
        return new Tuning(
                best.get("qkv"),
                best.get("attention_out"),
                best.get("gate_up"),
                best.get("down"),
                best.get("choose"),
                true);
    }

    private double micros(LlamaProgram program, DecodeKernels kernels, KernelStream stream, String name, int position) {
        List<DecodeKernels.Launch> launches = kernels.step(program::address, 1).stream()
                .filter(launch -> launch.function().kernel().name().equals(name))
                .toList();
        Pointer graph = stream.record(() -> kernels.launch(stream, launches, 0));
        try {
            long cache = program.cacheAddress(0, 0);
            kernels.place(stream, List.of(new Slot(1, position, cache, program.cacheAddress(0, 1) - cache)));
            double micros = median(stream, () -> stream.launch(graph)) * 1e3 / launches.size();
            long bytes = bytes(name, position);
            System.out.printf(
                    Locale.ROOT,
                    "    %-14s at %4d: %7.2f us, %5.2f TB/s (%d launches)%n",
                    name,
                    position,
                    micros,
                    bytes / micros / 1e6,
                    launches.size());
            return micros;
        } finally {
            stream.destroy(graph);
        }
    }

    private long bytes(String kernel, int position) {
        long hidden = config.hidden();
        long width = (long) config.headDim() * config.heads();
        long keys = (long) config.headDim() * config.kvHeads();
        return Dtype.FP16.bytes()
                * switch (kernel) {
                    case "qkv" -> hidden * (width + 2 * keys);
                    case "attention" -> 2 * keys * (position + 1);
                    case "attention_out" -> hidden * width;
                    case "gate_up" -> hidden * 2 * config.intermediate();
                    case "down" -> hidden * config.intermediate();
                    case "choose" -> hidden * config.vocabulary();
                    default -> 0;
                };
    }
}
