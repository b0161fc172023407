package io.github.latencybudget.llama;

import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.trace.Sampling;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Prints what a KV cache gains: ITL with it and without it at several prompt lengths, taken in turns, so that whatever else the
 * machine does is in both. Arguments, all optional: model ({@code synthetic:tiny}), device ({@code cpu}), type (the device's
 * default), prompt lengths ({@code 8,16,32,64,128,256}), output tokens (16), rounds (40), further options of the target
 * ({@code decode=plain}).
 *
 * <pre>{@code
 * ./mvnw -q -pl engine-llama -am test-compile dependency:build-classpath -DincludeScope=test -Dmdep.outputFile=target/class-path
 * cd engine-llama/target
 * java -cp test-classes:classes:$(cat class-path) io.github.latencybudget.llama.KvModeProbe
 * }</pre>
 */
final class KvModeProbe {

    private static final int WARM_UP_ROUNDS = 5;

    private KvModeProbe() {}

    public static void main(String[] arguments) throws Exception {
        String model = SamplingProbe.argument(arguments, 0, "synthetic:tiny");
        String device = SamplingProbe.argument(arguments, 1, "cpu");
        String dtype = SamplingProbe.argument(arguments, 2, "");
        int[] prompts = Arrays.stream(SamplingProbe.argument(arguments, 3, "8,16,32,64,128,256")
                        .split(","))
                .mapToInt(Integer::parseInt)
                .toArray();
        int output = Integer.parseInt(SamplingProbe.argument(arguments, 4, "16"));
        int rounds = Integer.parseInt(SamplingProbe.argument(arguments, 5, "40"));
        String options = SamplingProbe.argument(arguments, 6, "threads=1");
        try (LlamaSession off = open(model, device, dtype, options, "off");
                LlamaSession on = open(model, device, dtype, options, "on")) {
            System.out.println(on.description());
            for (int prompt : prompts) {
                measure(List.of(off, on), prompt, output, rounds);
            }
        }
    }

    private static LlamaSession open(String model, String device, String dtype, String options, String mode) {
        String[] all = (options + ",useCache=" + mode).split(",");
        return LlamaTarget.openLlama(Models.spec(model, device, dtype, all), Progress.NONE);
    }

    private static void measure(List<LlamaSession> sessions, int prompt, int output, int rounds) throws Exception {
        List<List<Long>> first = List.of(new ArrayList<>(), new ArrayList<>());
        List<List<Long>> gaps = List.of(new ArrayList<>(), new ArrayList<>());
        for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
            for (int mode = 0; mode < 2; mode++) {
                long[] times = SamplingProbe.times(
                        sessions.get(mode), new GenerationRequest(prompt, output, true, Sampling.GREEDY, round));
                if (round >= 0) {
                    first.get(mode).add(times[0]);
                    Arrays.stream(times).skip(1).forEach(gaps.get(mode)::add);
                }
            }
        }
        double off = SamplingProbe.percentile(gaps.get(0), 50);
        double on = SamplingProbe.percentile(gaps.get(1), 50);
        System.out.printf(
                Locale.ROOT,
                "prompt %4d, output %d: ITL P50 off %.3f on %.3f ms, on/off %.2f; ITL P95 off %.3f on %.3f ms; TTFT P50 off %.3f on %.3f ms (%d gaps each)%n",
                prompt,
                output,
                off,
                on,
                on / off,
                SamplingProbe.percentile(gaps.get(0), 95),
                SamplingProbe.percentile(gaps.get(1), 95),
                SamplingProbe.percentile(first.get(0), 50),
                SamplingProbe.percentile(first.get(1), 50),
                gaps.get(0).size());
    }
}
