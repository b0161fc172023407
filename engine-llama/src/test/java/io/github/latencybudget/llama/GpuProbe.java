package io.github.latencybudget.llama;

import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.trace.Sampling;
import java.util.Arrays;
import java.util.Locale;

/**
 * Prints what one card gives, to choose the default of {@code jitOptimizer} by. Arguments, all optional: model
 * ({@code synthetic:llama2-7b}), device ({@code cuda:0}), type ({@code fp16}), optimizer ({@code both}, {@code on} or
 * {@code off}), prompt lengths ({@code 128,512,2048}), output tokens (64), repetitions (10).
 */
final class GpuProbe {

    private static final int WARM_UPS = 4;

    private GpuProbe() {}

    public static void main(String[] arguments) throws Exception {
        String model = argument(arguments, 0, "synthetic:llama2-7b");
        String device = argument(arguments, 1, "cuda:0");
        String dtype = argument(arguments, 2, "fp16");
        String optimizer = argument(arguments, 3, "both");
        int[] prompts = Arrays.stream(argument(arguments, 4, "128,512,2048").split(","))
                .mapToInt(Integer::parseInt)
                .toArray();
        int output = Integer.parseInt(argument(arguments, 5, "64"));
        int repetitions = Integer.parseInt(argument(arguments, 6, "10"));
        for (String setting : optimizer.equals("both") ? new String[] {"off", "on"} : new String[] {optimizer}) {
            long start = System.nanoTime();
            try (LlamaSession session = LlamaTarget.openLlama(
                    Models.spec(model, device, dtype, "jitOptimizer=" + setting), Progress.NONE)) {
                System.out.printf(
                        Locale.ROOT,
                        "jitOptimizer %s: opened in %.1f s: %s%n",
                        setting,
                        (System.nanoTime() - start) / 1e9,
                        session.description());
                for (int prompt : prompts) {
                    measure(session, prompt, output, repetitions);
                }
                System.out.println("device memory bytes " + session.deviceMemoryBytes());
            }
        }
    }

    private static void measure(LlamaSession session, int prompt, int output, int repetitions) throws Exception {
        long[] first = new long[repetitions];
        long[] gaps = new long[repetitions * (output - 1)];
        int gap = 0;
        for (int run = -WARM_UPS; run < repetitions; run++) {
            long[] arrivals = new long[output + 1];
            int[] count = {1};
            var generation =
                    session.prepare(new GenerationRequest(prompt, output, true, Sampling.GREEDY, run + WARM_UPS));
            arrivals[0] = System.nanoTime();
            generation.run(() -> arrivals[count[0]++] = System.nanoTime());
            if (run < 0) {
                System.out.printf(
                        Locale.ROOT,
                        "  warm-up %d, prompt %d: TTFT %.2f ms, whole %.1f ms%n",
                        run + WARM_UPS + 1,
                        prompt,
                        ms(arrivals[1] - arrivals[0]),
                        ms(arrivals[output] - arrivals[0]));
                continue;
            }
            first[run] = arrivals[1] - arrivals[0];
            for (int i = 2; i <= output; i++) {
                gaps[gap++] = arrivals[i] - arrivals[i - 1];
            }
        }
        Arrays.sort(first);
        Arrays.sort(gaps);
        System.out.printf(
                Locale.ROOT,
                "  prompt %d: TTFT P50 %.2f max %.2f ms; ITL P50 %.3f P95 %.3f max %.3f ms (%d gaps)%n",
                prompt,
                ms(first[(first.length - 1) / 2]),
                ms(first[first.length - 1]),
                ms(gaps[(gaps.length - 1) / 2]),
                ms(gaps[(gaps.length * 95 + 99) / 100 - 1]),
                ms(gaps[gaps.length - 1]),
                gaps.length);
    }

    private static double ms(long nanos) {
        return nanos / 1e6;
    }

    private static String argument(String[] arguments, int index, String absent) {
        return arguments.length > index ? arguments[index] : absent;
    }
}
