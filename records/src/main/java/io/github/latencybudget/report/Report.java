package io.github.latencybudget.report;

import io.github.latencybudget.record.Json;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.trace.IoFault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.apiguardian.api.API;

/**
 * Writes the report: {@code index.html} for people, {@code summary.md} for the summary of a CI job,
 * {@code report.json} for scripts, and {@code exchanges.csv} of the requests to endpoints, where there are any. It is made from the records alone, so the same records give the same bytes, and several JVMs
 * may write it at the same time: the last one to end leaves a report of all records.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class Report {

    /** Who writes while others still measure need not try for ever: each of them writes the report again at its own end. */
    private static final int TRIES = 5;

    private Report() {}

    /**
     * Writes the report of the store's own run.
     *
     * @param records where the records are; best below the folder of the report, so that its links work wherever it is copied
     * @param folder where the report goes; made if it does not exist
     * @return what the report says, in short
     * @throws UncheckedIOException where the records cannot be listed or the report cannot be written
     */
    public static ReportSummary write(RecordStore records, Path folder) {
        return write(records, Optional.of(records.run()), folder);
    }

    /**
     * As {@link #write(RecordStore, Path)}, of another run.
     *
     * @param run which; empty for all that have a record in the folder
     */
    public static ReportSummary write(RecordStore records, Optional<String> run, Path folder) {
        for (int tries = 1; ; tries++) {
            List<String> before = files(records.folder());
            RunReport report = RunReport.of(records.read(run));
            write(report, folder);
            // Otherwise a JVM that was overtaken between its reading and its writing would leave an older report.
            if (tries == TRIES || before.equals(files(records.folder()))) {
                return ReportSummary.of(report, folder.resolve("index.html"));
            }
        }
    }

    private static void write(RunReport report, Path folder) {
        try {
            Files.createDirectories(folder);
            write(folder.resolve("report.json"), Json.text(ReportDocument.of(report, new Links(folder))) + "\n");
            PageView page = PageView.of(report, new Links(folder));
            write(folder.resolve("summary.md"), Template.MARKDOWN.render("summary.md", page));
            write(folder.resolve("index.html"), Template.HTML.render("index.html", page));
            Optional<String> exchanges = ExchangeTable.csv(report.gates());
            if (exchanges.isPresent()) {
                write(folder.resolve(ExchangeTable.FILE), exchanges.get());
            } else {
                Files.deleteIfExists(folder.resolve(ExchangeTable.FILE));
            }
        } catch (IOException e) {
            throw IoFault.unwritable("the report into", folder, e);
        }
    }

    private static void write(Path file, String text) throws IOException {
        Path beside = file.resolveSibling(String.format(
                Locale.ROOT,
                "%s.%d-%d.writing",
                file.getFileName(),
                ProcessHandle.current().pid(),
                Thread.currentThread().getId()));
        try {
            Files.write(beside, text.getBytes(StandardCharsets.UTF_8));
            Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            IoFault.discard(beside);
            throw e;
        }
    }

    /** {@return the files with what changes when one is replaced} */
    private static List<String> files(Path folder) {
        List<String> files = new ArrayList<>();
        if (!Files.isDirectory(folder)) {
            return files;
        }
        try (Stream<Path> paths = Files.list(folder)) {
            for (Path path : (Iterable<Path>) paths.sorted()::iterator) {
                try {
                    BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
                    files.add(String.format(
                            Locale.ROOT, "%s %s %s %d", path, now.fileKey(), now.lastModifiedTime(), now.size()));
                } catch (NoSuchFileException e) {
                    files.add(path + " is gone");
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list the records in " + folder, e);
        }
        return files;
    }
}
