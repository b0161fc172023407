package io.github.latencybudget.target.llama;

import io.github.latencybudget.target.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Prints what one GPU gives, to choose by how to decode: decoding plainly and by graphs, then candidates for the parts of a
 * step. Whatever fails says so, and the rest goes on. Arguments, all optional: model ({@code synthetic:llama2-7b}), parts
 * ({@code decode,parts,kernels}), prompt lengths ({@code 128,512,2048}), output tokens (128), repetitions (8).
 */
final class GraphProbe {

    private static final int WARM_UPS = 2;
    private static final int COMPARED = 64;

    private final int[] prompts;
    private final int output;
    private final int repetitions;
    private long[][] plainIds = {};

    private GraphProbe(int[] prompts, int output, int repetitions) {
        this.prompts = prompts;
        this.output = output;
        this.repetitions = repetitions;
    }

    private interface Part {
        void run() throws Exception;
    }

    public static void main(String[] arguments) {
        long begin = System.nanoTime();
        String model = argument(arguments, 0, "synthetic:llama2-7b");
        List<String> parts =
                List.of(argument(arguments, 1, "decode,parts,kernels").split(","));
        int[] prompts = Arrays.stream(argument(arguments, 2, "128,512,2048").split(","))
                .mapToInt(Integer::parseInt)
                .toArray();
        int output = Integer.parseInt(argument(arguments, 3, "128"));
        GraphProbe probe = new GraphProbe(prompts, output, Integer.parseInt(argument(arguments, 4, "8")));
        if (parts.contains("decode")) {
            guarded("decode", () -> probe.decode(model));
        }
        guarded("parts", () -> {
            TorchEngine.start(LlamaOptions.of(Models.spec("synthetic:tiny", "cuda:0", "")));
            CudaDriver driver = CudaDriver.open(0);
            driver.enter();
            try (GraphTimer timer = new GraphTimer(driver);
                    ProbeProgram program = ProbeProgram.load()) {
                ComponentProbe components = new ComponentProbe(timer, program);
                guarded("copy", components::copy);
                if (parts.contains("parts")) {
                    guarded("gemv", components::gemv);
                    guarded("attention", components::attention);
                    guarded("small", components::small);
                }
                guarded("addresses", () -> AddressProbe.run(driver, timer, program));
                // last: a wrong address here would take everything after it along
                if (parts.contains("kernels")) {
                    guarded("kernels", () -> new KernelProbe(driver, timer, natives()).run());
                }
            }
        });
        System.out.printf(Locale.ROOT, "probe took %.1f s%n", (System.nanoTime() - begin) / 1e9);
    }

    /** The folder that PyTorch was loaded from. */
    private static Path natives() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.endsWith("/libc10_cuda.so"))
                    .map(line -> Path.of(line.substring(line.indexOf('/'))).getParent())
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static void guarded(String what, Part part) {
        long start = System.nanoTime();
        System.out.println("== " + what);
        try {
            part.run();
        } catch (Exception | LinkageError e) {
            System.out.printf("  %s failed: %s%n", what, GraphTimer.firstLine(e));
            e.printStackTrace(System.out);
        }
        System.out.printf(Locale.ROOT, "  (%s took %.1f s)%n", what, (System.nanoTime() - start) / 1e9);
    }

    private void decode(String model) throws Exception {
        for (String jit : List.of("off", "on")) {
            try (LlamaSession session =
                    LlamaTarget.openLlama(Models.spec(model, "cuda:0", "fp16", "jitOptimizer=" + jit), Progress.NONE)) {
                System.out.println("  " + session.description());
                if (jit.equals("off")) {
                    guarded(
                            "plain",
                            () -> variant(
                                    session,
                                    p -> new PlainDecoding(
                                            p, "asked for", Optional.of(new DeviceTimes(CudaDriver.open(0))))));
                    guarded("graph, mask", () -> variant(session, p -> graph(p, false)));
                }
                guarded("graph, length on the device, jit " + jit, () -> variant(session, p -> graph(p, true)));
            }
        }
    }

    private static Decoding graph(LlamaProgram program, boolean exact) {
        CudaDriver driver = CudaDriver.open(0);
        return new GraphDecoding(program, driver, CaptureStream.open(driver, 0), exact);
    }

    private void variant(LlamaSession session, Function<LlamaProgram, Decoding> way) {
        Decoding[] decoding = new Decoding[1];
        session.decodeBy(program -> decoding[0] = way.apply(program));
        session.makeRoom(Arrays.stream(prompts).max().orElseThrow() + output);
        long[][] ids = new long[prompts.length][];
        for (int p = 0; p < prompts.length; p++) {
            decoding[0].prepare(prompts[p], output);
            ids[p] = measure(session, prompts[p]);
            if (plainIds.length > p) {
                int equal = Arrays.mismatch(plainIds[p], ids[p]);
                System.out.printf(
                        "    ids against the plain path: %s%n",
                        equal < 0 ? "all " + ids[p].length + " equal" : "the first " + equal + " equal");
            }
        }
        if (plainIds.length == 0) {
            plainIds = ids;
        }
        System.out.println("  " + decoding[0]);
    }

    /** {@return the first ids of the last run} */
    private long[] measure(LlamaSession session, int prompt) {
        double[] first = new double[repetitions];
        double[] firstOnDevice = new double[repetitions];
        double[] gaps = new double[repetitions * (output - 1)];
        double[] onDevice = new double[gaps.length];
        double[] between = new double[gaps.length];
        long[] ids = new long[output];
        int gap = 0;
        for (int run = -WARM_UPS; run < repetitions; run++) {
            long[] arrivals = new long[output + 1];
            int[] count = {0};
            // the last prompt is the same for every variant, and so are its ids
            long[] tokens = new Prompts(1, 32000, Set.of(2), 42).prompt(prompt, run);
            arrivals[0] = System.nanoTime();
            session.generate(tokens, new DecodeLoop(output, true, Set.of()), id -> {
                arrivals[count[0] + 1] = System.nanoTime();
                ids[count[0]++] = id;
            });
            if (run >= 0) {
                double[] device = session.deviceMs();
                first[run] = (arrivals[1] - arrivals[0]) / 1e6;
                firstOnDevice[run] = device[0];
                for (int i = 2; i <= output; i++) {
                    gaps[gap] = (arrivals[i] - arrivals[i - 1]) / 1e6;
                    onDevice[gap] = device[i - 1];
                    between[gap] = gaps[gap] - onDevice[gap];
                    gap++;
                }
            }
        }
        System.out.printf(
                Locale.ROOT,
                "    prompt %d: TTFT P50 %.2f max %.2f ms, on the device %.2f ms%n",
                prompt,
                at(first, 50),
                at(first, 100),
                at(firstOnDevice, 50));
        line("ITL", gaps);
        System.out.printf(Locale.ROOT, "      P95/P50 %.3f%n", at(gaps, 95) / at(gaps, 50));
        line("on the device", onDevice);
        line("outside it", between);
        return Arrays.copyOf(ids, Math.min(COMPARED, ids.length));
    }

    private static void line(String what, double[] ms) {
        System.out.printf(
                Locale.ROOT,
                "      %-14s P50 %.3f P95 %.3f P99 %.3f max %.3f ms (%d)%n",
                what,
                at(ms, 50),
                at(ms, 95),
                at(ms, 99),
                at(ms, 100),
                ms.length);
    }

    /** Nearest rank. */
    private static double at(double[] values, int percent) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[(sorted.length * percent + 99) / 100 - 1];
    }

    private static String argument(String[] arguments, int index, String absent) {
        return arguments.length > index ? arguments[index] : absent;
    }
}
