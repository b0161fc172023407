package io.github.latencybudget.report;

import java.nio.file.Path;
import java.util.SortedMap;
import org.apiguardian.api.API;

/**
 * What a report says, in short.
 *
 * @param status what the run has shown as a whole
 * @param counts how many gates ended in each status; every status has a count
 * @param unreadableRecords how many files could not be read
 * @param gatesLeftOut how many gates of other runs lie in the folder and were not measured again in this one
 * @param headline the result as a whole, in words, such as {@code 2 of 4 gates fail: 1 breached, 1 missing}
 * @param line the counts in words, such as {@code 4 gates: 2 passed, 1 breached, 1 inconclusive, 0 skipped}
 * @param page the page for people, {@code index.html}
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record ReportSummary(
        ReportStatus status,
        SortedMap<GateStatus, Integer> counts,
        int unreadableRecords,
        int gatesLeftOut,
        String headline,
        String line,
        Path page) {

    static ReportSummary of(RunReport report, Path page) {
        return new ReportSummary(
                report.status(),
                report.counts(),
                report.source().unreadable().size(),
                report.leftOut().size(),
                report.headline(),
                report.line(),
                page);
    }
}
