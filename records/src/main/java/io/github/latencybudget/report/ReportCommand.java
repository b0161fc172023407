package io.github.latencybudget.report;

import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.record.Records;
import io.github.latencybudget.record.Run;
import io.github.latencybudget.trace.IoFault;
import io.github.latencybudget.trace.Visible;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;

/** Writes the report again from its records: of a run that was killed before it could, or of records that were gathered from several
 * machines. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class ReportCommand {

    private static final String DEFAULT_FOLDER = "target/latency-budget";
    private static final int COULD_NOT_RUN = 3;

    private ReportCommand() {}

    /**
     * Writes the report and prints what it says. Ends with {@link ReportStatus#exitCode()}, and with 3 where there is nothing to
     * report.
     *
     * @param arguments the folder of the report, {@code target/latency-budget} where it is left out, and {@code --run} with the run to
     *     report; without it, all runs that have a record in the folder
     */
    public static void main(String[] arguments) {
        int code = run(arguments, System.out, System.err);
        if (code != 0) {
            System.exit(code);
        }
    }

    static int run(String[] arguments, PrintStream out, PrintStream err) {
        List<String> rest = new ArrayList<>(List.of(arguments));
        Optional<String> run = Optional.empty();
        int option = rest.indexOf("--run");
        if (option >= 0 && option + 1 < rest.size()) {
            run = Optional.of(rest.remove(option + 1));
            rest.remove(option);
        }
        if (rest.size() > 1 || rest.stream().anyMatch(argument -> argument.startsWith("-"))) {
            err.print("Give one folder, or none for " + DEFAULT_FOLDER + ", and --run with a run, or none for all.\n");
            return COULD_NOT_RUN;
        }
        Path folder = Path.of(rest.isEmpty() ? DEFAULT_FOLDER : rest.get(0));
        RecordStore records = new RecordStore(folder.resolve("records"), Run.current(), Clock.systemUTC());
        Records found = records.read(run);
        if (found.records().isEmpty()
                && found.plans().isEmpty()
                && found.unreadable().isEmpty()) {
            err.print("There is nothing to report: no record"
                    + run.map(r -> " of run " + r).orElse("") + " is in " + records.folder()
                    + ". Run the tests first, or give the folder that holds their records folder.\n");
            return COULD_NOT_RUN;
        }
        ReportSummary summary;
        try {
            summary = Report.write(records, run, folder);
        } catch (UncheckedIOException e) {
            err.print(Visible.line(IoFault.unwritable(e, "copy its records folder elsewhere, and give that")) + "\n");
            return COULD_NOT_RUN;
        } catch (LinkageError e) {
            err.print(Visible.line("The report cannot be written, because the class path lacks " + e.getMessage()
                            + ": give the whole class path of your tests.")
                    + "\n");
            return COULD_NOT_RUN;
        }
        out.print(Visible.line(summary.headline()) + "\n");
        out.print(Visible.line(summary.line()) + "\n");
        out.print(summary.page() + "\n");
        return summary.status().exitCode();
    }
}
