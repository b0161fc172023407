package io.github.latencybudget.junit;

import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.report.EveryLocale;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

/** Writes everything below the working directory, and prints by which locale, zone, encoding and line separator. */
final class EveryLocaleGate {

    private EveryLocaleGate() {}

    /** A class of such a name could not be loaded from a folder where names of files are ASCII. */
    @InferenceTarget(model = "größe/模型", target = FakeTarget.class, options = "itlMs=20")
    static class InManyAlphabets {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 12.5)
        void iIıİ_größe_模型() {}
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println(String.join(
                " ",
                String.format("%d", 15),
                "i".toUpperCase(),
                ZoneId.systemDefault().getId(),
                Charset.defaultCharset().name(),
                String.valueOf(System.lineSeparator().length())));
        Path folder = Path.of("files");
        EveryLocale.write(folder);

        Path output = folder.resolve("gate");
        Files.createDirectories(output.resolve("records"));
        Files.writeString(output.resolve("records/.origin"), "0123abcd", StandardCharsets.US_ASCII);
        try (PrintStream printed = new PrintStream(output.resolve("printed").toFile(), StandardCharsets.UTF_8)) {
            System.setOut(printed);
            Throwable failure = new Gates(output).failure(InManyAlphabets.class);
            Files.writeString(output.resolve("thrown"), failure.toString());
        }
    }
}
