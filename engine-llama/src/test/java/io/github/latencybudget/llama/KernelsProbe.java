package io.github.latencybudget.llama;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.latencybudget.inference.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Prints what own kernels give on one GPU, to tune them by. Whatever fails says so, and the rest goes on. Arguments, all
 * optional: a small real model ({@code none}), the model ({@code synthetic:llama2-7b}), prompt lengths ({@code 128,512,2048}),
 * output tokens (128), repetitions (8).
 */
final class KernelsProbe {

    private static final int WARM_UPS = 2;
    private static final int COMPARED = 64;

    private final String model;
    private final LlamaConfig config;
    private final int[] prompts;
    private final int output;
    private final int repetitions;
    private final CudaDriver driver = CudaDriver.open(0);
    private final List<String> summary = new ArrayList<>();
    private long[][] plainIds = {};
    private Tuning tuning;

    private KernelsProbe(String model, int[] prompts, int output, int repetitions) {
        this.model = model;
        this.config = SyntheticShape.parse(model.substring(model.indexOf(':') + 1));
        this.prompts = prompts;
        this.output = output;
        this.repetitions = repetitions;
        this.tuning = Tuning.of(config, driver.sharedBytesOfBlock());
    }

    /** What may fail. */
    interface Part {
        void run() throws Exception;
    }

    public static void main(String[] arguments) {
        long begin = System.nanoTime();
        String stories = argument(arguments, 0, "none");
        if (!stories.equals("none")) {
            guarded("golden ids of " + stories, () -> golden(stories));
        }
        int[] prompts = Arrays.stream(argument(arguments, 2, "128,512,2048").split(","))
                .mapToInt(Integer::parseInt)
                .toArray();
        guarded(
                "all",
                () -> new KernelsProbe(
                                argument(arguments, 1, "synthetic:llama2-7b"),
                                prompts,
                                Integer.parseInt(argument(arguments, 3, "128")),
                                Integer.parseInt(argument(arguments, 4, "8")))
                        .run());
        System.out.printf(Locale.ROOT, "probe took %.1f s%n", (System.nanoTime() - begin) / 1e9);
    }

    private static String argument(String[] arguments, int index, String absent) {
        return arguments.length > index ? arguments[index] : absent;
    }

    static void guarded(String what, Part part) {
        long start = System.nanoTime();
        System.out.println("== " + what);
        try {
            part.run();
        } catch (Exception | LinkageError e) {
            System.out.printf("  %s failed:%n", what);
            e.printStackTrace(System.out);
        }
        System.out.printf(Locale.ROOT, "  (%s took %.1f s)%n", what, (System.nanoTime() - start) / 1e9);
    }

    private static void golden(String folder) throws IOException {
        long[] expected =
                new JsonMapper().readValue(Files.readAllBytes(Path.of(folder, "ref_greedy_ids.json")), long[].class);
        for (String decode : List.of("kernels", "plain")) {
            try (LlamaSession session = Models.open(folder, "cuda:0", "fp32", "decode=" + decode)) {
                long[] ids = new long[expected.length];
                int[] count = {0};
                session.generate(
                        new long[] {1}, new StopCondition(ids.length, true, Set.of(2)), id -> ids[count[0]++] = id);
                String same = same(expected, ids);
                System.out.printf("  %s: %s%n", session.description().details().get("decode"), same);
            }
        }
    }

    private static String same(long[] expected, long[] actual) {
        int equal = Arrays.mismatch(expected, actual);
        return equal < 0 ? "all " + expected.length + " equal" : "the first " + equal + " equal";
    }

    private void run() {
        TileProbe tiles = new TileProbe(driver, config);
        guarded("copy", tiles::copy);
        try (LlamaSession session = LlamaTarget.openLlama(Models.spec(model, "cuda:0", "fp16"), Progress.NONE)) {
            System.out.println("  " + session.description());
            guarded("logits", () -> logits(session));
            guarded("own kernels", () -> decode(session, "standard", p -> own(p, tuning), prompts.length, repetitions));
            guarded("plain", () -> decode(session, "plain", this::plain, prompts.length, 2));
            guarded(
                    "tiles",
                    () -> session.decodeBy(p -> {
                        tuning = tiles.best(p, tuning, summary);
                        return own(p, tuning);
                    }));
            guarded(
                    "best tiles",
                    () -> decode(session, "best tiles", p -> own(p, tuning), prompts.length, repetitions));
            // at the first prompt length only
            guarded("no spin", () -> decode(session, "no spin", p -> own(p, noSpin()), 1, repetitions));
            summary.forEach(System.out::println);
        }
    }

    private Decoding own(LlamaProgram program, Tuning chosen) {
        return KernelDecoding.open(
                program, config, LlamaOptions.of(Models.spec(model, "cuda:0", "fp16")), driver, chosen);
    }

    private Decoding plain(LlamaProgram program) {
        return new PlainDecoding(program, "asked for", Optional.of(new DeviceTimes(driver)));
    }

    private Tuning noSpin() {
        return new Tuning(tuning.qkv(), tuning.attentionOut(), tuning.gateUp(), tuning.down(), tuning.head(), false);
    }

    /** Half precision against half precision: the plain path rounds after every operation, own kernels only keys and values. */
    private void logits(LlamaSession session) {
        long[] prompt = new Prompts(1, config.vocabulary(), Set.of(2), 42).prompt(70, 1);
        session.decodeBy(p -> own(p, tuning));
        float[] kernels = session.logitsStepByStep(prompt);
        session.decodeBy(this::plain);
        float[] plain = session.logitsStepByStep(prompt);
        System.out.printf(
                Locale.ROOT,
                "  own kernels against plain: relative error %.2e, best %d and %d%n",
                Reference.relativeError(kernels, plain),
                Reference.argmax(kernels),
                Reference.argmax(plain));
    }

    private void decode(
            LlamaSession session, String what, Function<LlamaProgram, Decoding> way, int lengths, int repetitions) {
        session.decodeBy(way);
        long[][] ids = new long[lengths][];
        for (int p = 0; p < lengths; p++) {
            ids[p] = measure(session, what, prompts[p], repetitions);
            if (plainIds.length > p) {
                System.out.printf("    ids against the first variant: %s%n", same(plainIds[p], ids[p]));
            }
        }
        if (plainIds.length == 0) {
            plainIds = ids;
        }
    }

    /** {@return the first ids of the last run} */
    private long[] measure(LlamaSession session, String what, int prompt, int repetitions) {
        double[] first = new double[repetitions];
        double[] gaps = new double[repetitions * (output - 1)];
        double[] onDevice = new double[gaps.length];
        double[] between = new double[gaps.length];
        long[] ids = new long[output];
        int gap = 0;
        for (int run = -WARM_UPS; run < repetitions; run++) {
            long[] arrivals = new long[output + 1];
            int[] count = {0};
            // the last prompt is the same for every variant, and so are its ids
            long[] tokens = new Prompts(1, config.vocabulary(), Set.of(2), 42).prompt(prompt, run);
            arrivals[0] = System.nanoTime();
            session.generate(tokens, new StopCondition(output, true, Set.of()), id -> {
                arrivals[count[0] + 1] = System.nanoTime();
                ids[count[0]++] = id;
            });
            if (run < 0) {
                session.takeSteps();
            } else {
                double[] device = session.takeSteps().stream()
                        .mapToDouble(s -> s.deviceNanos().orElseThrow() / 1e6)
                        .toArray();
                first[run] = (arrivals[1] - arrivals[0]) / 1e6;
                for (int i = 2; i <= output; i++) {
                    gaps[gap] = (arrivals[i] - arrivals[i - 1]) / 1e6;
                    onDevice[gap] = device[i - 1];
                    between[gap] = gaps[gap] - onDevice[gap];
                    gap++;
                }
            }
        }
        UnaryOperator<String> label = text -> String.format(Locale.ROOT, "  %-12s prompt %4d %s", what, prompt, text);
        System.out.println(
                label.apply(String.format(Locale.ROOT, "TTFT P50 %.2f max %.2f ms", at(first, 50), at(first, 100))));
        String itl = label.apply(
                line("ITL", gaps) + String.format(Locale.ROOT, " P95/P50 %.3f", at(gaps, 95) / at(gaps, 50)));
        System.out.println(itl);
        summary.add(itl);
        System.out.println(label.apply(line("on the device", onDevice)));
        System.out.println(label.apply(line("outside it", between)));
        return Arrays.copyOf(ids, Math.min(COMPARED, ids.length));
    }

    private static String line(String what, double[] ms) {
        return String.format(
                Locale.ROOT,
                "%s P50 %.3f P95 %.3f P99 %.3f max %.3f ms",
                what,
                at(ms, 50),
                at(ms, 95),
                at(ms, 99),
                at(ms, 100));
    }

    /** Nearest rank. */
    static double at(double[] values, int percent) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[(sorted.length * percent + 99) / 100 - 1];
    }
}
