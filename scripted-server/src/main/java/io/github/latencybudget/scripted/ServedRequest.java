package io.github.latencybudget.scripted;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.apiguardian.api.API;

/** A request as it came, and when each part of its answer was sent. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class ServedRequest {

    private final int number;
    private final String method;
    private final String path;
    private final Map<String, String> headers;
    private final String body;
    private final long arrivedNanos;
    private long[] sentNanos = {};
    private int sent;

    ServedRequest(int number, String method, String path, Map<String, String> headers, String body, long arrivedNanos) {
        this.number = number;
        this.method = method;
        this.path = path;
        this.headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        this.headers.putAll(headers);
        this.body = body;
        this.arrivedNanos = arrivedNanos;
    }

    /** {@return its number among all that the server was sent, from 0} */
    public int number() {
        return number;
    }

    /** {@return such as {@code POST}} */
    public String method() {
        return method;
    }

    /** {@return such as {@code /v1/chat/completions}} */
    public String path() {
        return path;
    }

    /** {@return a header's value; empty where it was not sent} */
    public String header(String name) {
        return headers.getOrDefault(name, "");
    }

    /** {@return its body} */
    public String body() {
        return body;
    }

    /** {@return when its last byte had been read, in nanoseconds of {@link System#nanoTime()}: what its answer is scheduled from} */
    public long arrivedNanos() {
        return arrivedNanos;
    }

    /** {@return when each write of the answer was handed to the socket, in nanoseconds of {@link System#nanoTime()}} */
    public synchronized long[] sentNanos() {
        return Arrays.copyOf(sentNanos, sent);
    }

    synchronized void sentAt(long nanos) {
        if (sent == sentNanos.length) {
            sentNanos = Arrays.copyOf(sentNanos, Math.max(16, 2 * sent));
        }
        sentNanos[sent++] = nanos;
    }
}
