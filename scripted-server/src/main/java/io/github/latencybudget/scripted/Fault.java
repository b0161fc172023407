package io.github.latencybudget.scripted;

import io.github.latencybudget.scripted.Answer.End;
import io.github.latencybudget.scripted.Answer.Framing;
import io.github.latencybudget.scripted.Answer.Write;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;

/** A way in which an answer goes wrong, by name. The first half of the stream is as it would have been. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public enum Fault {
    /** The connection is closed. */
    BROKEN,
    /** The connection is reset. */
    RESET,
    /** Nothing more comes. */
    STALLED,
    /** The stream ends as if it were over. */
    TRUNCATED,
    /** No token comes, only the end. */
    EMPTY,
    /** An event holds an error. */
    ERROR_EVENT,
    /** An event is no JSON. */
    MALFORMED_JSON,
    /** An event has neither choices nor usage. */
    NO_CHOICES,
    /** A text is not UTF-8. */
    INVALID_UTF8,
    /** The size of a chunk of HTTP is no number. */
    INVALID_CHUNK,
    /** One event of 100 MB. */
    HUGE_EVENT,
    /** Status 401, with the key in the text. */
    UNAUTHORISED,
    /** Status 403. */
    FORBIDDEN,
    /** Status 404, no such model. */
    NO_MODEL,
    /** Status 404, no such path. */
    NO_PATH,
    /** Status 429, to wait 2 s. */
    TOO_MANY,
    /** Status 502, a page of HTML. */
    BAD_GATEWAY,
    /** A redirect to another host. */
    REDIRECT,
    /** One JSON body in place of a stream. */
    NOT_A_STREAM;

    private static final int HUGE_BYTES = 100 << 20;
    private static final int PIECE_BYTES = 1 << 16;

    /** {@return the fault of this name, such as {@code stalled} or {@code error-event}; empty where there is none} */
    public static Optional<Fault> named(String name) {
        return Arrays.stream(values()).filter(f -> f.toString().equals(name)).findFirst();
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@return what comes in place of an answer to a request} */
    public Answer in(Answer whole, ServedRequest request) {
        Answer half = new Answer(
                whole.status(),
                whole.headers(),
                whole.writes().subList(0, whole.writes().size() / 2),
                whole.end(),
                whole.framing());
        long next = half.writes().isEmpty()
                ? 0
                : half.writes().get(half.writes().size() - 1).atNanos();
        return switch (this) {
            case BROKEN -> half.ending(End.BREAK);
            case RESET -> half.ending(End.RESET);
            case STALLED -> half.ending(End.STALL);
            case TRUNCATED -> half;
            case EMPTY -> Answer.stream().then(0, "data: [DONE]\n\n");
            case ERROR_EVENT -> half.then(next, "data: {\"error\":{\"message\":\"out of memory\",\"code\":500}}\n\n");
            case MALFORMED_JSON ->
                half.then(next, "data: {\"choices\":[{\"delta\":\n\n").then(next, "data: [DONE]\n\n");
            case NO_CHOICES -> half.then(next, "data: {\"id\":\"c\"}\n\n");
            case INVALID_UTF8 ->
                half.then(next, new byte[] {'d', 'a', 't', 'a', ':', '"', (byte) 0xC3, '(', '"', '\n', '\n'});
            case INVALID_CHUNK ->
                new Answer(200, half.headers(), List.of(), End.STALL, Framing.RAW)
                        .then(
                                0,
                                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\nnone\r\n");
            case HUGE_EVENT -> huge();
            case UNAUTHORISED ->
                error(
                        401,
                        String.format(Locale.ROOT, "Incorrect API key provided: %s", request.header("authorization")));
            case FORBIDDEN ->
                error(403, String.format(Locale.ROOT, "Key %s may not do this", request.header("authorization")));
            case NO_MODEL -> error(404, "The model `x` does not exist");
            case NO_PATH -> Answer.of(404, "application/json", "{\"detail\":\"Not Found\"}");
            case TOO_MANY -> error(429, "Rate limit").header("retry-after", "2");
            case BAD_GATEWAY -> Answer.of(502, "text/html", "<html><body>Bad Gateway</body></html>");
            case REDIRECT -> Answer.of(307, "text/plain", "moved").header("location", "http://elsewhere.example/v1");
            case NOT_A_STREAM ->
                Answer.of(
                        200,
                        "application/json",
                        "{\"choices\":[{\"message\":{\"content\":\"a b\"}}],\"usage\":{\"prompt_tokens\":8,\"completion_tokens\":2}}");
        };
    }

    private static Answer error(int status, String message) {
        return Answer.of(
                status, "application/json", String.format(Locale.ROOT, "{\"error\":{\"message\":\"%s\"}}", message));
    }

    private static Answer huge() {
        byte[] piece = new byte[PIECE_BYTES];
        Arrays.fill(piece, (byte) 'x');
        List<Write> writes = new ArrayList<>();
        writes.add(new Write(0, "data: {\"choices\":[{\"text\":\"".getBytes(StandardCharsets.UTF_8)));
        for (int i = 0; i < HUGE_BYTES / PIECE_BYTES; i++) {
            writes.add(new Write(0, piece));
        }
        writes.add(new Write(0, "\"}]}\n\n".getBytes(StandardCharsets.UTF_8)));
        return new Answer(200, Answer.stream().headers(), writes, End.CLOSE, Framing.CHUNKED);
    }
}
