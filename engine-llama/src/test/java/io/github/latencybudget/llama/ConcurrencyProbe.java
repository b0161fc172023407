package io.github.latencybudget.llama;

import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.load.LoadDriver;
import io.github.latencybudget.load.Scenario;
import io.github.latencybudget.load.WarmUpPlan;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.SystemThroughput;
import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Sampling;
import java.util.Arrays;
import java.util.Locale;
import java.util.TreeSet;

/**
 * Prints what a model gives with several requests in flight, each measured as a gate measures it. Arguments, all optional: model
 * ({@code synthetic:llama2-7b}), device ({@code cuda:0}), types ({@code fp16}), concurrencies ({@code 1,2,4,8,16,32,64}), prompt
 * lengths ({@code 128}), output tokens (256), rounds (4), further options of the target ({@code useCache=off}).
 */
final class ConcurrencyProbe {

    private ConcurrencyProbe() {}

    public static void main(String[] arguments) {
        String model = argument(arguments, 0, "synthetic:llama2-7b");
        String device = argument(arguments, 1, "cuda:0");
        int[] concurrencies = numbers(argument(arguments, 3, "1,2,4,8,16,32,64"));
        int[] prompts = numbers(argument(arguments, 4, "128"));
        int output = Integer.parseInt(argument(arguments, 5, "256"));
        int rounds = Integer.parseInt(argument(arguments, 6, "4"));
        String[] options = arguments.length > 7 ? arguments[7].split(",") : new String[0];
        for (String dtype : argument(arguments, 2, "fp16").split(",")) {
            KernelsProbe.guarded(dtype, () -> {
                long begin = System.nanoTime();
                try (LlamaSession session =
                        LlamaTarget.openLlama(Models.spec(model, device, dtype, options), Progress.NONE)) {
                    System.out.printf(
                            Locale.ROOT,
                            "opened in %.1f s, device memory %s bytes: %s%n",
                            (System.nanoTime() - begin) / 1e9,
                            session.deviceMemoryBytes(),
                            session.description());
                    for (int prompt : prompts) {
                        double alone = 0;
                        for (int concurrency : concurrencies) {
                            double tgs = measure(session, dtype, concurrency, prompt, output, rounds, alone);
                            alone = alone == 0 ? tgs : alone;
                        }
                    }
                }
            });
        }
    }

    private static double measure(
            LlamaSession session, String dtype, int concurrency, int prompt, int output, int rounds, double alone) {
        Scenario scenario = new Scenario(
                new TreeSet<>(Arrays.asList(prompt)),
                Math.max(8, rounds * concurrency),
                output,
                Sampling.GREEDY,
                concurrency,
                WarmUpPlan.DEFAULT);
        Measurement run = new LoadDriver(session, scenario, Progress.NONE).run();
        double tgs = SystemThroughput.of(run.traces()).orElseThrow().systemTgs();
        double[] gaps = values(run, Metric.ITL);
        double[] first = values(run, Metric.TTFT);
        System.out.printf(
                Locale.ROOT,
                "%s, %2d in flight, prompt %4d, output %d, %d requests%s: system TGS %.1f tokens/s (%.2f x the first); TTFT P50 %.2f P95 %.2f ms; ITL P50 %.3f P95 %.3f P99 %.3f ms; decode step on the device P50 %.3f ms, outside it P50 %.3f ms, prefill on the device P50 %.3f ms; TTFT before the engine began P50 %.3f ms; peak memory %s%n",
                dtype,
                concurrency,
                prompt,
                output,
                run.completed().size(),
                run.warmUp().isWarm() ? "" : " NOT WARM",
                tgs,
                alone == 0 ? 1 : tgs / alone,
                ms(first, 50),
                ms(first, 95),
                ms(gaps, 50),
                ms(gaps, 95),
                ms(gaps, 99),
                device(run, EngineStep.Kind.DECODE),
                outside(run),
                device(run, EngineStep.Kind.PREFILL),
                before(run),
                run.peakDeviceMemoryBytes());
        return tgs;
    }

    private static double device(Measurement run, EngineStep.Kind kind) {
        double[] nanos = run.steps().stream()
                .filter(s -> s.kind() == kind)
                .mapToDouble(s -> s.deviceNanos().orElse(0))
                .toArray();
        return ms(nanos, 50);
    }

    private static double before(Measurement run) {
        double[] nanos = run.steps().stream()
                .filter(s -> s.kind() == EngineStep.Kind.PREFILL)
                .flatMapToDouble(s -> s.requests().stream()
                        .mapToDouble(r -> s.startNanos() - run.traces().get(r).startNanos()))
                .toArray();
        return ms(nanos, 50);
    }

    private static double outside(Measurement run) {
        double[] nanos = run.steps().stream()
                .filter(s -> s.kind() == EngineStep.Kind.DECODE)
                .mapToDouble(
                        s -> s.endNanos() - s.startNanos() - s.deviceNanos().orElse(0))
                .toArray();
        return ms(nanos, 50);
    }

    private static double[] values(Measurement run, Metric metric) {
        return run.completed().stream()
                .flatMapToDouble(t -> Arrays.stream(metric.of(t)))
                .toArray();
    }

    private static double ms(double[] nanos, int percent) {
        return KernelsProbe.at(nanos, percent) / 1e6;
    }

    private static int[] numbers(String text) {
        return Arrays.stream(text.split(",")).mapToInt(Integer::parseInt).toArray();
    }

    private static String argument(String[] arguments, int index, String absent) {
        return arguments.length > index ? arguments[index] : absent;
    }
}
