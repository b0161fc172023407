package io.github.latencybudget.benchmarks;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.Confidence;
import java.util.Locale;

/**
 * Judges the run of {@link EvaluationBenchmark} in whatever heap the JVM was given: how much it takes is the smallest in which this
 * comes to its end, less what is in use before.
 */
public final class EvaluationMemoryProbe {

    private static final int TIMES = 5;
    private static final double BYTES_PER_MIB = 1 << 20;

    private EvaluationMemoryProbe() {}

    /** No arguments. */
    public static void main(String[] arguments) {
        var measurement = EvaluationBenchmark.measurement();
        var budget = new Budget(EvaluationBenchmark.rules(), Confidence.DEFAULT);
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        double before = (runtime.totalMemory() - runtime.freeMemory()) / BYTES_PER_MIB;
        for (int i = 0; i < TIMES; i++) {
            budget.evaluate(measurement);
        }
        System.out.printf(
                Locale.ROOT,
                "in use before, the run included: %.1f MiB; judged %d times within %.0f MiB%n",
                before,
                TIMES,
                runtime.maxMemory() / BYTES_PER_MIB);
    }
}
