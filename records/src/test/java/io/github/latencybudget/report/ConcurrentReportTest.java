package io.github.latencybudget.report;

import static io.github.latencybudget.report.Samples.gate;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConcurrentReportTest {

    private static final int WRITERS = 6;

    @TempDir
    Path folder;

    @Test
    void writingAgainChangesNothing() throws IOException {
        ReportExample.write(folder);
        Report.write(Samples.store(folder), folder);
        Map<String, String> first = files();

        Report.write(Samples.store(folder), folder);

        assertThat(files()).isEqualTo(first).containsOnlyKeys("index.html", "report.json", "summary.md");
    }

    /** Each writer ends a gate of its own and then writes the report, as each fork does. */
    @Test
    void theLastWriterLeavesAReportOfAllRecords() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
        try {
            for (int round = 0; round < 10; round++) {
                Path report = folder.resolve("round-" + round);
                List<Callable<ReportSummary>> writers = new ArrayList<>();
                for (int writer = 0; writer < WRITERS; writer++) {
                    String name = "gate" + writer;
                    writers.add(() -> {
                        Samples.store(report).start(gate(name), name).broken(name);
                        return Report.write(Samples.store(report), report);
                    });
                }
                for (Future<ReportSummary> done : threads.invokeAll(writers)) {
                    done.get();
                }
                assertThat(Files.readString(report.resolve("summary.md")))
                        .startsWith("## 6 of 6 gates fail: 6 ended by an error");
                assertThat(Files.readString(report.resolve("index.html"))).contains("6 ended by an error");
                assertThat(Files.readString(report.resolve("report.json"))).contains("6 ended by an error");
                try (Stream<Path> files = Files.list(report)) {
                    assertThat(files).hasSize(4);
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private Map<String, String> files() throws IOException {
        Map<String, String> texts = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                texts.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        return texts;
    }
}
