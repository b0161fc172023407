package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.github.latencybudget.openai.EncodedKeys;
import io.github.latencybudget.record.MeasurementEntry;
import io.github.latencybudget.scripted.Answer;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.scripted.ServedRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Whatever a server repeats and wherever: of a key, nothing is in what is thrown, printed or written. */
class KeysStayInsideTest {

    private static final Pattern ESCAPE =
            Pattern.compile("\\\\+u([0-9a-f]{4})|\\\\+x([0-9a-f]{2})|%([0-9a-f]{2})|&#x([0-9a-f]{2});");
    private static final int RUN = 8;

    @TempDir
    Path folder;

    static class Sent {
        @Test
        @LatencyBudget(promptTokens = 32, outputTokens = 40, requests = 64, ttftMs = 20_000)
        void gate() {}
    }

    /** Where a server repeats it. */
    private enum Place {
        MODEL_NAME(true, said -> models(json(said))),
        MODEL_NAMES(true, said -> models(json(said), "other")),
        REFUSED_AT_ONCE(true, said -> error(401, said)),
        NO_JSON(false, said -> Answer.of(500, "text/plain", "key " + said)),
        PAGE(false, said -> Answer.of(502, "text/html", "<html><body>key " + said + "</body></html>")),
        FORBIDDEN(false, said -> error(403, said)),
        NOT_FOUND(false, said -> error(404, "no model for the key " + said)),
        RETRY_AFTER(false, said -> error(429, "wait").header("retry-after", header(said))),
        LOCATION(false, said -> error(307, "").header("location", "http://elsewhere.example/" + header(said))),
        CONTENT_TYPE(false, said -> Answer.of(200, header(said), "no stream")),
        STATUS_LINE(false, said -> raw("HTTP/1.1 2x0 " + header(said) + "\r\n\r\n")),
        REASON_PHRASE(false, said -> raw("HTTP/1.1 500 " + header(said) + "\r\ncontent-length: 0\r\n\r\n")),
        VERSION(false, said -> raw(header(said) + " 200 OK\r\n\r\n")),
        LENGTH(false, said -> raw("HTTP/1.1 200 OK\r\ncontent-length: " + header(said) + "\r\n\r\n")),
        CHUNK_SIZE(false, said -> raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + header(said) + "\r\n")),
        WORD_OF_THE_SERVER(
                false,
                said -> Answer.stream()
                        .header("x-envoy-upstream-service-time", header(said))
                        .then(0, "data: {}\n\n")),
        ERROR_EVENT(
                false, said -> Answer.stream().then(0, "data: {\"error\":{\"message\":\"" + json(said) + "\"}}\n\n")),
        ERROR_OBJECT(false, said -> Answer.of(200, "application/json", "{\"error\":{\"key\":\"" + json(said) + "\"}}")),
        EVENT_WITHOUT_JSON(false, said -> Answer.stream().then(0, "data: " + header(said) + "\n\n")),
        FINISH_REASON(
                false,
                said -> Answer.stream()
                        .then(
                                0,
                                "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"" + json(said)
                                        + "\"}]}\n\n"));

        private final boolean isOfModels;
        private final Function<String, Answer> answer;

        Place(boolean isOfModels, Function<String, Answer> answer) {
            this.isOfModels = isOfModels;
            this.answer = answer;
        }

        static List<Place> inRequests() {
            return Stream.of(values()).filter(place -> !place.isOfModels).toList();
        }

        private static Answer models(String... names) {
            return Answer.of(
                    200,
                    "application/json",
                    Stream.of(names)
                            .map(name -> "{\"id\":\"" + name + "\",\"owned_by\":\"them\"}")
                            .collect(Collectors.joining(",", "{\"data\":[", "]}")));
        }

        private static Answer error(int status, String said) {
            return Answer.of(status, "application/json", "{\"error\":{\"message\":\"Wrong: " + json(said) + "\"}}");
        }

        private static Answer raw(String bytes) {
            return Answer.of(200, "", bytes).framed(Answer.Framing.RAW).ending(Answer.End.CLOSE);
        }

        private static String json(String text) {
            return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
        }

        private static String header(String text) {
            return text.replaceAll("[^ -~]", "");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Place.class,
            names = {"MODEL_NAME", "MODEL_NAMES", "REFUSED_AT_ONCE"})
    void nothingOfAKeyComesOutOfWhatAServerSaysOfItself(Place place) throws IOException {
        EncodedKeys encoded = new EncodedKeys(place.ordinal());
        OpenAiScript good = new OpenAiScript(0, 0).caching(0);

        requireNothing(
                key(encoded),
                key -> request -> request.path().endsWith("/models")
                        ? place.answer.apply(encoded.mixed(key))
                        : good.apply(request));
    }

    /** A warm-up asks for 32 tokens at most, so that what is repeated stands in requests that were measured. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void nothingOfAKeyComesOutOfARequest(long seed) throws IOException {
        EncodedKeys encoded = new EncodedKeys(seed);
        OpenAiScript good = new OpenAiScript(0, 0).caching(0);
        List<Place> places = Place.inRequests();
        AtomicInteger measured = new AtomicInteger();

        requireNothing(
                key(encoded),
                key -> request -> request.body().contains("\"max_tokens\":40")
                        ? places.get(measured.getAndIncrement() % places.size())
                                .answer
                                .apply(encoded.mixed(key))
                        : good.apply(request));

        assertThat(measured).hasValueGreaterThanOrEqualTo(places.size());
        assertThat(new Gates(folder.resolve("out"))
                        .records()
                        .get(0)
                        .measurement()
                        .requests())
                .extracting(MeasurementEntry.Request::reason)
                .allSatisfy(reason -> assertThat(reason).doesNotContain("within 10 s"))
                .as("many places have a reason of their own, with what was repeated")
                .satisfies(reasons -> assertThat(reasons.stream()
                                .filter(reason -> String.valueOf(reason).contains("***"))
                                .distinct())
                        .hasSizeGreaterThan(8));
    }

    private void requireNothing(String key, Function<String, Function<ServedRequest, Answer>> script)
            throws IOException {
        Path keyFile = Files.writeString(folder.resolve("file"), key);
        try (ScriptedServer server = ScriptedServer.start(script.apply(key))) {
            Map<String, String> seen =
                    run(folder, "openai:" + server.url(), "keyFile=" + keyFile + ",firstTokenSeconds=10");

            assertThat(server.requests().get(0).header("authorization")).isEqualTo("Bearer " + key);
            assertThat(seen).containsKeys("thrown", "console", "report.json", "index.html", "summary.md");
            seen.forEach((where, text) ->
                    assertThat(runsOf(key, text)).as("%s in %s", key, where).isEmpty());
        }
    }

    private static String key(EncodedKeys encoded) {
        return encoded.key(12) + "/" + encoded.key(encoded.between(4, 40));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "keyFile=%s",
                "keyEnv=%s",
                "tokenizer=%s",
                "certificates=%s",
                "api=%s",
                "server=%s",
                "prefixCache=%s",
                "connectSeconds=%s",
                "proxy=http://me:%s@localhost:1",
                "metrics=http://localhost:1/?%s",
                "metrics=http://localhost:1/&key=%s",
                "headerEnv.X-Key=%s",
                "header.%s=é",
                "header.X-Key=%sé",
                "header.X-Key=%s",
                "body.api_key=\"%s\"",
                "body.extra={\"auth\":{\"token\":\"%s\"}}",
                "body.%s=no JSON",
                "%s=x",
                "%s",
                "%s=="
            })
    void anOptionsValueThatIsAKeyIsNotRepeated(String option) throws IOException {
        String key =
                new EncodedKeys(option.hashCode()).key(24).replace("/", "_").replace("+", "4") + "7";
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0).caching(0))) {
            run(folder, "openai:" + server.url(), option.formatted(key))
                    .forEach((where, text) -> assertThat(runsOf(key, text))
                            .as("%s in %s: %s", option, where, key)
                            .isEmpty());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "openai:http://localhost:1/v1?keyFile=%s",
                "openai:http://localhost:1/v1?%s",
                "openai:http://localhost:1/v1&header.X-Key=%s",
                "openai:http://localhost:1/v1#%s",
                "openai:http://me:%s@localhost:1/v1",
                "openai:me:%s@localhost:1/v1",
                "http://me:%s@localhost:1/v1?header.X-Key=%1$s",
                "synthetic:tiny?keyFile=%s"
            })
    void aModelWithAKeyInItIsNotRepeated(String model) throws IOException {
        String key = new EncodedKeys(model.hashCode()).key(24).replace("/", "_").replace("+", "4") + "7";

        run(folder, model.formatted(key), "")
                .forEach((where, text) -> assertThat(runsOf(key, text))
                        .as("%s in %s", model, where)
                        .isEmpty());
    }

    /** {@return all that comes out of a gate, by where} */
    private static Map<String, String> run(Path output, String model, String options) throws IOException {
        Map<String, String> seen = new LinkedHashMap<>();
        StringWriter thrown = new StringWriter();
        PrintStream console = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            LauncherFactory.create()
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(selectClass(Sent.class))
                                    .configurationParameter(
                                            "latencybudget.output",
                                            output.resolve("out").toString())
                                    .configurationParameter("latencybudget.run", "test")
                                    .configurationParameter("latencybudget.model", model)
                                    .configurationParameter("latencybudget.options", options)
                                    .configurationParameter("latencybudget.guards.max-drift", "off")
                                    .build(),
                            new TestExecutionListener() {
                                @Override
                                public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                                    result.getThrowable().ifPresent(t -> t.printStackTrace(new PrintWriter(thrown)));
                                }
                            });
        } finally {
            System.setOut(console);
        }
        seen.put("thrown", thrown.toString());
        seen.put("console", printed.toString(StandardCharsets.UTF_8));
        try (Stream<Path> files = Files.walk(output.resolve("out"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                seen.put(file.getFileName().toString(), file.getFileName() + Files.readString(file));
            }
        }
        return seen;
    }

    /** {@return what a text has in common with a key once it is decoded, by means of its own} */
    private static List<String> runsOf(String key, String text) {
        String decoded = text.toLowerCase(Locale.ROOT);
        StringBuilder all = new StringBuilder();
        for (int round = 0; round < 5; round++) {
            all.append('\n').append(decoded.replaceAll("[\\s\\p{Cf}]+", ""));
            decoded = ESCAPE.matcher(decoded)
                    .replaceAll(KeysStayInsideTest::character)
                    .replace("\\/", "/");
        }
        String folded = key.toLowerCase(Locale.ROOT);
        return Stream.iterate(0, i -> i + RUN <= folded.length(), i -> i + 1)
                .map(i -> folded.substring(i, i + RUN))
                .filter(run -> all.indexOf(run) >= 0)
                .toList();
    }

    private static String character(MatchResult escape) {
        for (int group = 1; group <= escape.groupCount(); group++) {
            if (escape.group(group) != null) {
                return Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(escape.group(group), 16)));
            }
        }
        return "";
    }
}
