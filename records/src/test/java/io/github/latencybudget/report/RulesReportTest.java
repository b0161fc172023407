package io.github.latencybudget.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules that are not percentiles are shown in their own words. */
final class RulesReportTest {

    @TempDir
    private Path folder;

    private String page;
    private String summary;

    @BeforeEach
    void write() throws IOException {
        RulesExample.write(folder);
        Report.write(Samples.store(folder), folder);
        page = Files.readString(folder.resolve("index.html"));
        summary = Files.readString(folder.resolve("summary.md"));
    }

    @Test
    void aShareSaysWhichRequestsAreBad() {
        assertThat(page)
                .contains("Requests not good", "Requests with a late token", "Requests not completed")
                .contains("points above the limit");
    }

    @Test
    void goodputIsAlsoARate() throws IOException {
        assertThat(page).contains("Good requests per second");
        assertThat(summary).containsPattern("\\d+\\.\\d\\d good requests per second");
        assertThat(Files.readString(folder.resolve("report.json"))).containsPattern("\"goodRequestsPerSecond\" : \\d");
    }

    @Test
    void aDriftSaysWhatWasCompared() {
        assertThat(page).contains("TPOT drift at most 10.0%", "comparison of the median of the first 66 requests");
    }

    @Test
    void aMeanHasItsMethod() {
        assertThat(page).contains("sequential test (asymptotic) over requests");
    }

    @Test
    void whatIsOnlySeenHasNoFigureAndSaysSo() {
        assertThat(summary)
                .contains("| peak device memory at most 20.0 GiB |")
                .contains("the largest value seen in this run");
    }

    @Test
    void noAbsentNumberIsPrinted() {
        assertThat(page + summary).doesNotContain("null", "NaN");
    }
}
