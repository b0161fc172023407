package io.github.latencybudget.report;

import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.record.Records;
import io.github.latencybudget.record.Run;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import org.apiguardian.api.API;

/** Writes the report again from its records: for a run that was killed before it could. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class ReportCommand {

    private static final String DEFAULT_FOLDER = "target/latency-budget";

    private ReportCommand() {}

    /**
     * Writes the report and prints what it says. Ends with exit code 1, and a sentence, where there is nothing to report.
     *
     * @param arguments the folder of the report, {@code target/latency-budget} where it is left out
     */
    public static void main(String[] arguments) {
        int code = run(arguments, System.out, System.err);
        if (code != 0) {
            System.exit(code);
        }
    }

    static int run(String[] arguments, PrintStream out, PrintStream err) {
        if (arguments.length > 1) {
            err.println("Give one folder, or none for " + DEFAULT_FOLDER + ".");
            return 1;
        }
        Path folder = Path.of(arguments.length == 0 ? DEFAULT_FOLDER : arguments[0]);
        RecordStore records = new RecordStore(folder.resolve("records"), Run.current(), Clock.systemUTC());
        Records found = records.read(Optional.empty());
        if (found.records().isEmpty() && found.unreadable().isEmpty()) {
            err.println("There is nothing to report: no record is in " + records.folder()
                    + ". Run the tests first, or give the folder that holds their records folder.");
            return 1;
        }
        ReportSummary summary = Report.write(records, folder);
        out.println(summary.headline());
        out.println(summary.line());
        out.println(summary.page());
        return 0;
    }
}
