package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.scripted.Answer;
import io.github.latencybudget.scripted.ScriptedServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;

/** Whatever a server, a target or a user writes, only characters that are seen leave a gate. */
class VisibleOutputTest {

    private static final String HOSTILE =
            "a\0b\u001b[31mc\u0085d\uFFFEe\uFFFFf\uD800g\uDC00h\u202Ei\u2066j\u200Fk\u061Cl\u200Bm\uFEFFn\uDB40\uDC41o";

    private static final List<String> HIDDEN = List.of(
            "\0",
            "\u001b",
            "\u0085",
            "\uFFFE",
            "\uFFFF",
            "\u202E",
            "\u2066",
            "\u200F",
            "\u061C",
            "\u200B",
            "\uFEFF",
            "\uDB40\uDC41");

    @TempDir
    Path output;

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class Hostile {
        @Test
        @DisplayName("shown\u202Eas \uFFFE it is")
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() {}
    }

    /** A failed request, a warm-up that broke, a target that a library could not open, one that is named so. */
    @ParameterizedTest
    @ValueSource(
            strings = {"failEvery=10,failure=", "warmUpFails=", "openThrows=", "openFails=", "itlMs=99,deviceName="})
    @ResourceLock(Resources.SYSTEM_OUT)
    void aTextOfATargetIsShownAndHidesNothing(String option) throws Exception {
        Gates gates = new Gates(output)
                .with("latencybudget.options", option + HOSTILE)
                .with("latencybudget.model", "model " + HOSTILE);
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        Throwable failure;
        try {
            failure = gates.failure(Hostile.class);
        } finally {
            System.setOut(before);
        }

        assertThat(failure.toString()).contains("\\uFFFEe\\uFFFFf\\uD800g\\uDC00h\\u202Ei\\u2066j");
        assertAsSurefireWritesIt(failure);
        assertVisible("console", printed.toByteArray());
        assertFilesAreVisible();
    }

    /** The fault as it was found: by a server's error, in the XML of the build. */
    @Test
    void aServersErrorLeavesTheBuildsXmlWellFormed() throws Exception {
        String json = "{\"error\":{\"message\":\"no \\u0000\\ufffe\\uffff\\ud800\\u202e\\u200b more\"}}";
        try (ScriptedServer server = ScriptedServer.start(request -> Answer.of(503, "application/json", json))) {
            Throwable failure = new Gates(output)
                    .with("latencybudget.model", "openai:" + server.url() + "/v1?model=small")
                    .failure(OfAServer.class);

            assertThat(failure).hasMessageContaining("no \\u0000\\uFFFE\\uFFFF\\uD800\\u202E\\u200B more");
            assertAsSurefireWritesIt(failure);
            assertFilesAreVisible();
        }
    }

    static class OfAServer {
        @Test
        @LatencyBudget(promptTokens = 32, outputTokens = 8, requests = 64, ttftMs = 20_000)
        void gate() {}
    }

    /** It escapes what marks up a text, and nothing else. */
    private static void assertAsSurefireWritesIt(Throwable failure) throws Exception {
        StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        String xml = "<failure message=\"" + escaped(failure.getMessage()) + "\"><![CDATA["
                + trace.toString().replace("]]>", "]]]]><![CDATA[>") + "]]></failure>";

        Element element = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)))
                .getDocumentElement();

        assertThat(element.getTextContent()).isEqualToNormalizingNewlines(trace.toString());
        assertVisible("trace", trace.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace("\"", "&quot;")
                .replace("\n", "&#10;");
    }

    private void assertFilesAreVisible() throws IOException {
        try (Stream<Path> files = Files.walk(output)) {
            List<Path> all = files.filter(Files::isRegularFile).toList();
            assertThat(all).extracting(f -> f.getFileName().toString()).anyMatch(f -> f.contains("attempt-1"));
            for (Path file : all) {
                assertVisible(file.toString(), Files.readAllBytes(file));
            }
        }
    }

    private static void assertVisible(String where, byte[] bytes) throws CharacterCodingException {
        String text = StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes))
                .toString();
        assertThat(text).as(where).doesNotContain(HIDDEN.toArray(String[]::new));
        assertThat(text.codePoints().filter(c -> c < ' ' && c != '\n' && c != '\r' && c != '\t'))
                .as(where)
                .isEmpty();
    }
}
