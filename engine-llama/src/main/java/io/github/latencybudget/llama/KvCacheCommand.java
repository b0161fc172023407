package io.github.latencybudget.llama;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.TargetSpec;
import io.github.latencybudget.trace.IoFault;
import io.github.latencybudget.trace.Visible;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/** Prints what the KV cache of a model is, beside what it should be. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class KvCacheCommand {

    private KvCacheCommand() {}

    /**
     * Analyses and prints. Ends with exit code 1 where there is a finding, and with 2, and a sentence, where nothing could be
     * analysed.
     *
     * @param arguments {@code name=value} each: {@code model} ({@code synthetic:tiny}), {@code device} ({@code cpu}), {@code dtype},
     *     {@code seed} (42), {@code promptTokens} (128), {@code outputTokens} (64), {@code generations} (9), {@code csv} (a file to
     *     write), and the options of {@link LlamaTarget}, such as {@code useCache=off}
     */
    public static void main(String[] arguments) {
        int code = run(arguments, System.out, System.err);
        if (code != 0) {
            System.exit(code);
        }
    }

    static int run(String[] arguments, PrintStream out, PrintStream err) {
        SortedMap<String, String> values = new TreeMap<>();
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            if (equals < 1) {
                err.print("Give arguments as name=value, such as promptTokens=128; \"" + argument + "\" is none.\n");
                return 2;
            }
            String name = argument.substring(0, equals);
            if (values.put(name, argument.substring(equals + 1)) != null) {
                err.print("Give each argument once; " + name + " is given twice.\n");
                return 2;
            }
        }
        try {
            String csv = values.remove("csv");
            KvCacheAnalysis analysis = analysis(values);
            out.print(Visible.text(analysis.toString()));
            write(analysis, csv, out);
            return analysis.findings().isEmpty() ? 0 : 1;
        } catch (MeasurementException e) {
            err.print(e.getMessage() + "\n");
        } catch (IOException e) {
            err.print(
                    Visible.line("The CSV file cannot be written (" + e + ")" + IoFault.because(e, "give another file"))
                            + "\n");
        }
        return 2;
    }

    /** What is not taken here is an option of the target, which refuses what it does not know. */
    private static KvCacheAnalysis analysis(SortedMap<String, String> values) {
        String model = take(values, "model", "synthetic:tiny");
        String device = take(values, "device", "cpu");
        String dtype = take(values, "dtype", "");
        long seed = seed(take(values, "seed", "42"));
        int prompt = number(values, "promptTokens", 128);
        int output = number(values, "outputTokens", 64);
        int generations = number(values, "generations", KvCacheAnalysis.GENERATIONS);
        return KvCacheAnalysis.of(
                new TargetSpec(model, device, dtype, seed, values), prompt, output, generations, Progress.NONE);
    }

    private static String take(SortedMap<String, String> values, String name, String absent) {
        String value = values.remove(name);
        return value == null ? absent : value;
    }

    private static int number(SortedMap<String, String> values, String name, int absent) {
        String value = take(values, name, String.valueOf(absent));
        if (!value.matches("\\d{1,9}")) {
            throw new MeasurementException(
                    String.format(Locale.ROOT, "%s = %s is not allowed: use a whole number", name, value));
        }
        return Integer.parseInt(value);
    }

    /** As in the settings. */
    private static long seed(String value) {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new MeasurementException(
                    String.format(Locale.ROOT, "seed = %s is not allowed: use a whole number", value), e);
        }
    }

    private static void write(KvCacheAnalysis analysis, @Nullable String csv, PrintStream out) throws IOException {
        if (csv != null) {
            out.print(
                    Files.writeString(Path.of(csv), KvCacheTable.csv(analysis)).toAbsolutePath() + "\n");
        }
    }
}
