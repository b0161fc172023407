package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.latencybudget.metric.StreamMetrics;
import io.github.latencybudget.trace.Chunks;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.LongStream;

/** A stream and what it has to give; one line of {@code streams.jsonl}. */
record StreamCase(JsonNode json) {

    /** The prompt length that the streams themselves state. */
    static final int PROMPT_TOKENS = 9;

    record Read(long atNanos, byte[] bytes) {}

    static List<StreamCase> all() throws IOException {
        List<StreamCase> cases = new ArrayList<>();
        try (InputStream in = StreamCase.class.getResourceAsStream("streams.jsonl")) {
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
                cases.add(new StreamCase(new JsonMapper().readTree(line)));
            }
        }
        return cases;
    }

    int maxTokens() {
        return json.at("/request/max_tokens").asInt();
    }

    boolean ignoreEos() {
        return json.at("/request/ignore_eos").asBoolean();
    }

    boolean isReset() {
        return json.path("end").asText().equals("reset");
    }

    int status() {
        return json.path("status").asInt();
    }

    boolean isChat() {
        return !json.path("api").asText("chat").equals("completions");
    }

    List<Read> reads() {
        List<Read> reads = new ArrayList<>();
        for (JsonNode read : json.path("reads")) {
            JsonNode bytes = read.get(1);
            reads.add(new Read(
                    millis(read.get(0).asLong()),
                    bytes.isTextual()
                            ? bytes.asText().getBytes(StandardCharsets.UTF_8)
                            : HexFormat.of().parseHex(bytes.path("hex").asText())));
        }
        return reads;
    }

    JsonNode expect() {
        return json.path("expect");
    }

    private static long millis(long millis) {
        return millis * 1_000_000;
    }

    /** What does not depend on when the bytes came. */
    void check(TokenTrace trace) {
        assertThat(trace.outcome())
                .isEqualTo(Outcome.valueOf(expect().path("outcome").asText()));
        if (expect().has("tokens")) {
            assertThat(trace.outputTokens())
                    .as("tokens")
                    .isEqualTo(expect().path("tokens").asInt());
        }
        if (expect().has("tokenSource")) {
            assertThat(trace.exchange().orElseThrow().tokenSource())
                    .isEqualTo(expect().path("tokenSource").asText());
        }
        if (expect().has("reasoningTokens")) {
            assertThat(trace.exchange().orElseThrow().reasoningTokens())
                    .isEqualTo(expect().path("reasoningTokens").asInt());
        }
        if (expect().has("errorContains")) {
            assertThat(trace.reason().orElseThrow())
                    .contains(expect().path("errorContains").asText());
        }
        if (expect().has("errorMustNotContain")) {
            assertThat(trace.reason().orElseThrow())
                    .doesNotContain(expect().path("errorMustNotContain").asText());
        }
        if (expect().has("httpStatus")) {
            assertThat(trace.reason().orElseThrow())
                    .startsWith(expect().path("httpStatus").asText() + " from ");
        }
    }

    /** What depends on it. */
    void checkTimes(TokenTrace trace) {
        Chunks chunks = trace.chunks();
        optional(
                "ttftMs",
                StreamMetrics.ttftNanos(trace).isPresent()
                        ? StreamMetrics.ttftNanos(trace).getAsLong() / 1e6
                        : null);
        optional(
                "ttfoMs",
                StreamMetrics.ttfoNanos(trace).isPresent()
                        ? StreamMetrics.ttfoNanos(trace).getAsLong() / 1e6
                        : null);
        optional(
                "e2eMs",
                StreamMetrics.e2eNanos(trace).isPresent()
                        ? StreamMetrics.e2eNanos(trace).getAsLong() / 1e6
                        : null);
        optional(
                "tpotMs",
                StreamMetrics.tpotNanos(trace).isPresent()
                        ? StreamMetrics.tpotNanos(trace).getAsDouble() / 1e6
                        : null);
        optional(
                "decodeTgs",
                StreamMetrics.decodeTgs(trace).isPresent()
                        ? StreamMetrics.decodeTgs(trace).getAsDouble()
                        : null);
        if (expect().path("gapsMs").isNull()) {
            assertThat(chunks.areTokensKnown()).as("gaps are unknown").isFalse();
        } else if (expect().has("gapsMs")) {
            assertThat(StreamMetrics.gapNanos(trace)).as("gaps").isEqualTo(nanos("gapsMs"));
        }
        if (expect().has("chunkGapsMs")) {
            assertThat(StreamMetrics.chunkGapNanos(trace)).as("chunk gaps").isEqualTo(nanos("chunkGapsMs"));
        }
        if (expect().has("gapsInterpolated")) {
            assertThat(chunks.areTokensKnown() && !chunks.isOneTokenEach())
                    .as("interpolated")
                    .isTrue();
        }
        if (expect().has("coalescedReads")) {
            assertThat(trace.exchange().orElseThrow().coalescedChunks()).isPositive();
        }
    }

    private void optional(String name, Object value) {
        if (expect().has(name)) {
            JsonNode expected = expect().path(name);
            assertThat(value).as(name).isEqualTo(expected.isNull() ? null : expected.asDouble());
        }
    }

    private long[] nanos(String name) {
        LongStream.Builder nanos = LongStream.builder();
        expect().path(name).forEach(v -> nanos.add(millis(v.asLong())));
        return nanos.build().toArray();
    }

    @Override
    public String toString() {
        return json.path("id").asText() + ": " + json.path("about").asText();
    }
}
