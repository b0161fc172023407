package io.github.latencybudget.scripted;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apiguardian.api.API;

/**
 * What a server answers, and when.
 *
 * @param status of HTTP
 * @param headers beside those that frame the body
 * @param writes in their order
 * @param end what comes after the last one
 * @param framing how the body is framed
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Answer(int status, Map<String, String> headers, List<Write> writes, End end, Framing framing) {

    /** How an answer ends. */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public enum End {
        /** Properly; the connection can be used again. */
        KEEP_ALIVE,
        /** Properly, and the connection is closed. */
        CLOSE,
        /** The connection is closed where more was promised. */
        BREAK,
        /** The connection is reset. */
        RESET,
        /** Nothing more comes, and the connection stays open. */
        STALL
    }

    /** How a client knows where a body ends. */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public enum Framing {
        /** Each write is a chunk of HTTP. */
        CHUNKED,
        /** By the close of the connection. */
        UNTIL_CLOSE,
        /** The writes are all that is sent, status line and headers included. */
        RAW
    }

    /**
     * Bytes that are sent together; none for a pause before the end.
     *
     * @param atNanos when, from the request's arrival on
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record Write(long atNanos, byte[] bytes) {}

    public Answer {
        headers = Map.copyOf(headers);
        writes = List.copyOf(writes);
    }

    /** {@return an answer without a schedule} */
    public static Answer of(int status, String contentType, String body) {
        return new Answer(
                status,
                Map.of("content-type", contentType),
                List.of(new Write(0, body.getBytes(StandardCharsets.UTF_8))),
                End.KEEP_ALIVE,
                Framing.CHUNKED);
    }

    /** {@return an event stream without a write yet} */
    public static Answer stream() {
        return new Answer(200, Map.of("content-type", "text/event-stream"), List.of(), End.KEEP_ALIVE, Framing.CHUNKED);
    }

    /** {@return the same with another write} */
    public Answer then(long atNanos, String text) {
        return then(atNanos, text.getBytes(StandardCharsets.UTF_8));
    }

    /** {@return the same with another write} */
    public Answer then(long atNanos, byte[] bytes) {
        List<Write> more = new ArrayList<>(writes);
        more.add(new Write(atNanos, bytes));
        return new Answer(status, headers, more, end, framing);
    }

    /** {@return the same with another end} */
    public Answer ending(End with) {
        return new Answer(status, headers, writes, with, framing);
    }

    /** {@return the same with another framing} */
    public Answer framed(Framing by) {
        return new Answer(status, headers, writes, end, by);
    }

    /** {@return the same with another header} */
    public Answer header(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Answer(status, more, writes, end, framing);
    }

    /** {@return the same with each byte in a write of its own} */
    public Answer byteByByte() {
        List<Write> single = new ArrayList<>();
        for (Write write : writes) {
            for (byte b : write.bytes()) {
                single.add(new Write(write.atNanos(), new byte[] {b}));
            }
        }
        return new Answer(status, headers, single, end, framing);
    }
}
