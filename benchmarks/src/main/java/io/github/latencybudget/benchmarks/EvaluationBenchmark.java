package io.github.latencybudget.benchmarks;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.Confidence;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.Looks;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.budget.Verdicts;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.trace.Conditions;
import io.github.latencybudget.trace.Environment;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenTrace;
import io.github.latencybudget.trace.WarmUp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What it costs to judge 1,000,000 gaps of 10,000 requests by 10 rules, and to look once more at a run as long. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5, time = 1)
@org.openjdk.jmh.annotations.Measurement(iterations = 5, time = 1)
@Fork(2)
public class EvaluationBenchmark {

    private static final int REQUESTS = 10_000;
    private static final int GAPS = 100;
    private static final int PROMPT = 512;

    private final Budget budget = new Budget(rules(), Confidence.DEFAULT);
    private final Measurement measurement = measurement();
    private final double[] gaps = new double[REQUESTS * GAPS];
    private Looks looks;
    private int next;

    /** Each of the rules on gaps asks for another percentile, so that none finds its bounds found already. */
    static List<Rule> rules() {
        List<Rule> rules = new ArrayList<>();
        rules.add(LatencyRule.ttft(PromptLength.exactly(PROMPT), Percentile.P95, Duration.ofMillis(31)));
        rules.add(LatencyRule.tpot(Percentile.P95, Duration.ofMillis(22)));
        rules.add(LatencyRule.e2e(Percentile.P95, Duration.ofMillis(2200)));
        for (double percent : new double[] {50, 75, 90, 95, 97.5, 99, 99.9}) {
            rules.add(LatencyRule.itl(Percentile.of(percent), Duration.ofMillis(28)));
        }
        return rules;
    }

    static Measurement measurement() {
        Random random = new Random(1);
        List<TokenTrace> traces = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            long[] arrivals = new long[GAPS + 1];
            double effect = 0.1 * random.nextGaussian();
            long now = 4_000_000_000L * i;
            for (int j = 0; j <= GAPS; j++) {
                arrivals[j] = now += (long) (20e6 * Math.exp(effect + 0.2 * random.nextGaussian()));
            }
            traces.add(new TokenTrace(i, PROMPT, GAPS + 1, 4_000_000_000L * i, arrivals, Outcome.COMPLETED, null));
        }
        TreeMap<Integer, Integer> planned = new TreeMap<>();
        planned.put(PROMPT, REQUESTS);
        return new Measurement(
                new Conditions("m", "w", "fp16", "d", planned, GAPS + 1, Sampling.GREEDY, 1),
                new Environment(new TreeMap<>()),
                new WarmUp(0, 0, List.of(new WarmUp.Series(PROMPT, 8, List.of(), List.of(), true))),
                traces,
                OptionalLong.empty(),
                List.of());
    }

    /** Copies the gaps, which sorting spoils. */
    @Setup(Level.Invocation)
    public void copy() {
        Random random = new Random(2);
        for (int i = 0; i < gaps.length; i++) {
            gaps[i] = random.nextInt();
        }
    }

    /** A run that has just begun its last thousand requests. */
    @Setup(Level.Iteration)
    public void look() {
        looks = budget.looks(new TreeSet<>(List.of(PROMPT)), 1);
        for (next = 0; next < REQUESTS; next++) {
            looks.add(measurement.traces().get(next));
        }
    }

    /** {@return the verdicts of 10 rules} */
    @Benchmark
    public Verdicts evaluate() {
        return budget.evaluate(measurement);
    }

    /** Sorts as many numbers: what any evaluation that prints percentiles has to do at least. {@return the median} */
    @Benchmark
    public double sortAlone() {
        Arrays.sort(gaps);
        return gaps[gaps.length / 2];
    }

    /** Looks at one further request of 100 gaps, after 10,000. {@return whether all is decided} */
    @Benchmark
    @OutputTimeUnit(TimeUnit.MICROSECONDS)
    public boolean lookOnceMore() {
        looks.add(measurement.traces().get(next++ % REQUESTS));
        return looks.isDecided(PROMPT);
    }
}
