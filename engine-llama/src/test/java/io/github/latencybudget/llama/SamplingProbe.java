package io.github.latencybudget.llama;

import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.trace.Sampling;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Prints what sampling costs: ITL under several conditions, taken in turns, so that whatever else the machine does is in all of
 * them. Arguments, all optional: model ({@code synthetic:tiny}), device ({@code cpu}), type (the device's default), prompt tokens
 * (128), output tokens (64), rounds (40).
 *
 * <pre>{@code
 * ./mvnw -q -pl engine-llama -am test-compile dependency:build-classpath -DincludeScope=test -Dmdep.outputFile=target/class-path
 * cd engine-llama/target
 * java -cp test-classes:classes:$(cat class-path) io.github.latencybudget.llama.SamplingProbe
 * }</pre>
 */
final class SamplingProbe {

    private static final int WARM_UP_ROUNDS = 5;

    private static final List<Sampling> CONDITIONS = List.of(
            Sampling.GREEDY,
            new Sampling(0.95, 0.95),
            new Sampling(0.8, 0.9),
            new Sampling(0.8, 0.9).withTopK(50),
            new Sampling(0.8, 0.9).withRepetitionPenalty(1.1));

    private SamplingProbe() {}

    public static void main(String[] arguments) throws Exception {
        String model = argument(arguments, 0, "synthetic:tiny");
        String device = argument(arguments, 1, "cpu");
        String dtype = argument(arguments, 2, "");
        int prompt = Integer.parseInt(argument(arguments, 3, "128"));
        int output = Integer.parseInt(argument(arguments, 4, "64"));
        int rounds = Integer.parseInt(argument(arguments, 5, "40"));
        try (LlamaSession session = LlamaTarget.openLlama(Models.spec(model, device, dtype), Progress.NONE)) {
            System.out.println(session.description());
            Map<Sampling, List<Long>> gaps = new LinkedHashMap<>();
            Map<Sampling, List<Long>> first = new LinkedHashMap<>();
            for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
                for (Sampling sampling : CONDITIONS) {
                    long[] times = times(session, new GenerationRequest(prompt, output, true, sampling, round));
                    if (round >= 0) {
                        first.computeIfAbsent(sampling, s -> new ArrayList<>()).add(times[0]);
                        List<Long> all = gaps.computeIfAbsent(sampling, s -> new ArrayList<>());
                        Arrays.stream(times).skip(1).forEach(all::add);
                    }
                }
            }
            double greedy = percentile(gaps.get(Sampling.GREEDY), 50);
            for (Sampling sampling : CONDITIONS) {
                List<Long> all = gaps.get(sampling);
                System.out.printf(
                        Locale.ROOT,
                        "%-55s TTFT P50 %.3f ms; ITL P50 %.3f P95 %.3f P99 %.3f ms (%d gaps); P50 %.2f x greedy, %+.3f ms%n",
                        sampling,
                        percentile(first.get(sampling), 50),
                        percentile(all, 50),
                        percentile(all, 95),
                        percentile(all, 99),
                        all.size(),
                        percentile(all, 50) / greedy,
                        percentile(all, 50) - greedy);
            }
        }
    }

    /** {@return TTFT, then the gaps, in nanoseconds} */
    static long[] times(LlamaSession session, GenerationRequest request) throws Exception {
        Generation generation = session.prepare(request);
        long[] times = new long[request.outputTokens()];
        int[] count = {0};
        long[] last = {System.nanoTime()};
        generation.run(() -> {
            long now = System.nanoTime();
            times[count[0]++] = now - last[0];
            last[0] = now;
        });
        return times;
    }

    static double percentile(List<Long> nanos, int percent) {
        List<Long> sorted = nanos.stream().sorted().toList();
        return sorted.get((sorted.size() * percent + 99) / 100 - 1) / 1e6;
    }

    static String argument(String[] arguments, int index, String absent) {
        return arguments.length > index ? arguments[index] : absent;
    }
}
