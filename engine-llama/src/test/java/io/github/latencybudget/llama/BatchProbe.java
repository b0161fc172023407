package io.github.latencybudget.llama;

import com.sun.jna.Pointer;
import io.github.latencybudget.inference.Progress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Prints what own kernels for several sequences and for quantised weights give on one GPU, to tune them by: first whether they
 * are right. It has weights of its own. Whatever fails says so, and the rest goes on. Arguments, all optional: the model
 * ({@code llama2-7b}), replays of a step (20), the device of the session that brings NVIDIA's compiler ({@code cuda:0}), for
 * which weights and numbers of sequences to look for better tiles, and nothing else (none; {@code INT4:1,NONE:4}), about 90
 * seconds each.
 */
final class BatchProbe implements AutoCloseable {

    private static final List<String> PRODUCTS = List.of("qkv", "attention_out", "gate_up", "down", "choose");
    private static final int[] LENGTHS = {128, 512};

    private final CudaDriver driver = CudaDriver.open(0);
    private final LlamaConfig config;
    private final Tuning tuning;
    private final int replays;
    private final List<String> tuned;
    private final KernelStream stream = new KernelStream(driver);
    private final List<String> summary = new ArrayList<>();
    private final Map<Quantization, KernelWeights> weights = new LinkedHashMap<>();
    private final ProbeMemory memory;
    private final long caches;
    private final int places;
    private double oneMs;

    private BatchProbe(LlamaConfig config, int replays, List<String> tuned) {
        this.tuned = tuned;
        this.config = config;
        this.replays = replays;
        this.tuning = Tuning.of(config, driver.sharedBytesOfBlock());
        this.memory = new ProbeMemory(driver, config);
        this.places = LENGTHS[LENGTHS.length - 1] + 2 * replays;
        this.caches = memory.numbers(config.cacheBytesPerToken(Dtype.FP16) * places * AttentionShape.MOST_SLOTS);
        weights.put(Quantization.NONE, memory.weights(Quantization.NONE));
    }

    public static void main(String[] arguments) {
        long begin = System.nanoTime();
        LlamaConfig config = SyntheticShape.parse(arguments.length > 0 ? arguments[0] : "llama2-7b");
        int replays = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 20;
        String device = arguments.length > 2 ? arguments[2] : "cuda:0";
        List<String> tuned = arguments.length > 3 ? List.of(arguments[3].split(",")) : List.of();
        // brings PyTorch's libraries, and NVIDIA's compiler with them
        try (LlamaSession session = LlamaTarget.openLlama(Models.spec("synthetic:tiny", device, ""), Progress.NONE)) {
            System.out.println(session.description());
            KernelsProbe.guarded("numbers", () -> BatchCheck.printAll(CudaDriver.open(0)));
            KernelsProbe.guarded("times", () -> {
                try (BatchProbe probe = new BatchProbe(config, replays, tuned)) {
                    probe.run();
                }
            });
        }
        System.out.printf(Locale.ROOT, "probe took %.1f s%n", (System.nanoTime() - begin) / 1e9);
    }

    private void run() {
        if (!tuned.isEmpty()) {
            tuned.forEach(this::tune);
            return;
        }
        KernelsProbe.guarded("one in fp16", () -> steps(Quantization.NONE, 1));
        for (Quantization quantization : List.of(Quantization.INT4, Quantization.INT8)) {
            KernelsProbe.guarded(
                    "weights " + quantization, () -> weights.put(quantization, memory.weights(quantization)));
            KernelsProbe.guarded("steps " + quantization, () -> steps(quantization, 1, 4, 8));
        }
        KernelsProbe.guarded("steps fp16", () -> steps(Quantization.NONE, 2, 4, 8, 16));
        summary.forEach(System.out::println);
        summary.clear();
        KernelsProbe.guarded("kernels fp16, bucket 1", () -> kernels(Quantization.NONE, 1, 1));
        KernelsProbe.guarded("kernels fp16, bucket 8, 4", () -> kernels(Quantization.NONE, 8, 4));
        KernelsProbe.guarded("kernels fp16, bucket 8, 8", () -> kernels(Quantization.NONE, 8, 8));
        KernelsProbe.guarded("steps of many", () -> steps(Quantization.NONE, 32, 64));
        KernelsProbe.guarded("steps of many INT4", () -> steps(Quantization.INT4, 16, 64));
        summary.forEach(System.out::println);
    }

    private void tune(String weightsAndSequences) {
        String[] parts = weightsAndSequences.split(":");
        Quantization quantization = Quantization.valueOf(parts[0]);
        weights.computeIfAbsent(quantization, memory::weights);
        tune(quantization, 8, Integer.parseInt(parts[1]));
    }

    private void steps(Quantization quantization, int... batches) {
        try (DecodeKernels kernels = new DecodeKernels(driver, config, Dtype.FP16, quantization, tuning)) {
            for (int sequences : batches) {
                KernelsProbe.guarded(quantization + ", sequences " + sequences, () -> {
                    long begin = System.nanoTime();
                    var step = kernels.step(weights.get(quantization), kernels.bucket(sequences));
                    System.out.printf(
                            Locale.ROOT, "  compiled and loaded in %.2f s%n", (System.nanoTime() - begin) / 1e9);
                    for (int length : LENGTHS) {
                        double ms = ms(kernels, step, sequences, length, replays);
                        oneMs = oneMs == 0 ? ms : oneMs;
                        String line = String.format(
                                Locale.ROOT,
                                "  %-4s sequences %2d length %3d: step %.3f ms, %.2f times one in fp16, %.0f tokens/s",
                                quantization,
                                sequences,
                                length,
                                ms,
                                ms / oneMs,
                                1e3 * sequences / ms);
                        System.out.println(line);
                        summary.add(line);
                    }
                });
            }
        }
    }

    /** Two blocks on a multiprocessor of the same size leave x so few registers that the norm has a kernel of its own. */
    private static List<BatchTile> candidates(Quantization quantization) {
        List<BatchTile> ofAll = List.of(
                new BatchTile(8, 2, 8, 1),
                new BatchTile(8, 2, 4, 2),
                new BatchTile(8, 2, 3, 2),
                new BatchTile(16, 1, 8, 1),
                new BatchTile(12, 1, 8, 1),
                new BatchTile(12, 1, 6, 1),
                new BatchTile(14, 1, 8, 1),
                new BatchTile(10, 1, 10, 1),
                new BatchTile(10, 2, 6, 1),
                new BatchTile(8, 3, 6, 1));
        List<BatchTile> own = quantization == Quantization.NONE
                ? List.of(
                        new BatchTile(8, 2, 5, 2),
                        new BatchTile(6, 2, 5, 2),
                        new BatchTile(4, 4, 4, 2),
                        new BatchTile(8, 1, 6, 2),
                        new BatchTile(16, 1, 6, 1))
                : List.of(
                        new BatchTile(8, 2, 5, 2),
                        new BatchTile(8, 2, 6, 1),
                        new BatchTile(8, 3, 4, 1),
                        new BatchTile(8, 4, 4, 1),
                        new BatchTile(16, 2, 5, 1),
                        new BatchTile(12, 2, 5, 1),
                        new BatchTile(6, 2, 5, 2));
        return Stream.of(ofAll, own).flatMap(List::stream).toList();
    }

    private void tune(Quantization quantization, int bucket, int sequences) {
        KernelsProbe.guarded("tiles of a step, %s, %d sequences".formatted(quantization, sequences), () -> {
            BatchTuning standard = BatchTuning.of(
                    config, quantization.bits(Dtype.FP16), bucket, sequences, driver.sharedBytesOfBlock());
            new BatchTuner(tuning -> stepMs(quantization, bucket, sequences, tuning), candidates(quantization))
                    .best(standard);
        });
    }

    private double stepMs(Quantization quantization, int bucket, int sequences, BatchTuning tiles) {
        BatchShape shape = new BatchShape(
                config, Dtype.FP16, quantization, driver.multiprocessors(), bucket, sequences == 1 ? 1 : bucket, tiles);
        try (DecodeKernels kernels =
                new DecodeKernels(driver, config, Dtype.FP16, quantization, slots -> shape, tuning)) {
            int slots = sequences == 1 ? 1 : bucket;
            return ms(kernels, kernels.step(weights.get(quantization), slots), sequences, 160, replays);
        }
    }

    private void kernels(Quantization quantization, int bucket, int sequences) {
        try (DecodeKernels kernels = new DecodeKernels(driver, config, Dtype.FP16, quantization, tuning)) {
            for (String product : PRODUCTS) {
                micros(kernels, quantization, bucket, sequences, product, 127, "standard");
            }
            for (int length : LENGTHS) {
                micros(kernels, quantization, bucket, sequences, "attention", length - 1, "");
            }
        }
    }

    private double micros(
            DecodeKernels kernels,
            Quantization quantization,
            int bucket,
            int sequences,
            String name,
            int position,
            String tile) {
        var launches = kernels.step(weights.get(quantization), bucket).stream()
                .filter(launch -> launch.function().kernel().name().equals(name))
                .toList();
        double micros = ms(kernels, launches, sequences, position, 8) * 1e3 / launches.size();
        long read = read(quantization, name, position, sequences);
        System.out.printf(
                Locale.ROOT,
                "    %-14s %-9s %7.2f us, %5.2f TB/s%s%n",
                name,
                tile,
                micros,
                read / micros / 1e6,
                name.equals("attention") ? " at " + position : "");
        return micros;
    }

    private long read(Quantization quantization, String kernel, int position, int sequences) {
        long hidden = config.hidden();
        long width = (long) config.headDim() * config.heads();
        long keys = (long) config.headDim() * config.kvHeads();
        long weightsOfLayer = switch (kernel) {
            case "qkv" -> hidden * (width + 2 * keys);
            case "attention_out" -> hidden * width;
            case "gate_up" -> hidden * 2 * config.intermediate();
            case "down" -> hidden * config.intermediate();
            default -> 0;
        };
        return weightsOfLayer * quantization.bits(Dtype.FP16) / 8
                + switch (kernel) {
                    case "choose" -> hidden * config.vocabulary() * 2;
                    case "attention" -> 2 * keys * (position + 1) * 2 * sequences;
                    default -> 0;
                };
    }

    /** The median of replays. */
    private double ms(
            DecodeKernels kernels, List<DecodeKernels.Launch> launches, int sequences, int position, int runs) {
        // weights may still be on their way on another stream
        driver.enter();
        driver.call("cuCtxSynchronize");
        Pointer graph = stream.record(() -> kernels.launch(stream, launches, 0));
        try (DeviceTimes times = new DeviceTimes(driver)) {
            long layer = config.cacheBytesPerToken(Dtype.FP16) / config.layers() * places;
            List<Slot> table = new ArrayList<>();
            for (int i = 0; i < sequences; i++) {
                table.add(new Slot(1 + i, position, caches + i * layer * config.layers(), layer));
            }
            kernels.place(stream, table);
            for (int i = -2; i < runs; i++) {
                if (i >= 0) {
                    times.start(stream.handle());
                }
                stream.launch(graph);
                if (i >= 0) {
                    times.stop(stream.handle());
                }
            }
            stream.await();
            return KernelsProbe.at(
                    LongStream.of(times.take()).mapToDouble(n -> n / 1e6).toArray(), 50);
        } finally {
            stream.destroy(graph);
        }
    }

    @Override
    public void close() {
        stream.close();
        memory.close();
    }
}
