package io.github.latencybudget.report;

import io.github.latencybudget.baseline.Baseline;
import io.github.latencybudget.baseline.Comparison;
import io.github.latencybudget.baseline.Tolerance;
import io.github.latencybudget.record.BaselineStore;
import io.github.latencybudget.record.RecordedRun;
import io.github.latencybudget.record.UnusableBaselineException;
import io.github.latencybudget.trace.IoFault;
import io.github.latencybudget.trace.Visible;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import org.apiguardian.api.API;

/** Makes the run of a record a baseline, or compares it with one: for runs that are over, and for machines without the tests. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class BaselineCommand {

    private static final String USAGE =
            "Give one of: store RECORD BASELINE; compare RECORD BASELINE [PERCENT]. Both are files, and"
                    + " PERCENT is from where on a run is worse, 10 where it is left out.";

    private static final double DEFAULT_PERCENT = 10;

    private BaselineCommand() {}

    /**
     * Stores or compares. Ends with exit code 0 where the run was stored, or is shown not to be slower; with 1 where it is slower,
     * is not shown not to be, or cannot be compared; and with 2, and a sentence, where a file or an argument cannot be used.
     *
     * @param arguments {@code store}, the file of a record and the file of a baseline, which is replaced where it exists; or
     *     {@code compare}, the same, and a percentage
     */
    public static void main(String[] arguments) {
        int code = run(arguments, System.out, System.err);
        if (code != 0) {
            System.exit(code);
        }
    }

    static int run(String[] arguments, PrintStream out, PrintStream err) {
        List<String> words = List.of(arguments);
        try {
            if (words.size() == 3 && words.get(0).equals("store")) {
                return store(Path.of(words.get(1)), Path.of(words.get(2)), out);
            }
            if ((words.size() == 3 || words.size() == 4) && words.get(0).equals("compare")) {
                double percent = words.size() == 4 ? percent(words.get(3)) : DEFAULT_PERCENT;
                return compare(Path.of(words.get(1)), Path.of(words.get(2)), percent, out);
            }
            err.print(USAGE + "\n");
        } catch (UncheckedIOException e) {
            err.print(Visible.text(IoFault.unwritable(e, "give another file")) + "\n");
        } catch (IllegalArgumentException | UnusableBaselineException e) {
            err.print(Visible.text(String.valueOf(e.getMessage())) + "\n");
        }
        return 2;
    }

    private static int store(Path record, Path file, PrintStream out) {
        String name = String.valueOf(file.getFileName()).replaceFirst("\\.json$", "");
        Baseline baseline = new Baseline(
                name, Clock.systemUTC().instant(), RecordedRun.read(record).measurement());
        BaselineStore.write(baseline, file);
        out.print(Visible.line(
                        String.format(Locale.ROOT, "The run of %s is the baseline %s in %s now.", record, name, file))
                + "\n");
        return 0;
    }

    private static int compare(Path record, Path file, double percent, PrintStream out) {
        Comparison comparison =
                BaselineStore.read(file).compare(RecordedRun.read(record).measurement(), Tolerance.ofPercent(percent));
        out.print(Visible.text(comparison.describe()) + "\n");
        return comparison.passed() ? 0 : 1;
    }

    private static double percent(String value) {
        try {
            return Double.parseDouble(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(String.format(Locale.ROOT, "PERCENT = %s: must be a number", value), e);
        }
    }
}
