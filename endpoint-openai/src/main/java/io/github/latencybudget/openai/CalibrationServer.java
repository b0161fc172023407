package io.github.latencybudget.openai;

import io.github.latencybudget.trace.NanoClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends events on a schedule to a client in the same process, and notes when. Blocking and without a library, so that between a
 * note and the socket there is one call.
 */
final class CalibrationServer implements AutoCloseable {

    private static final int BACKLOG = 1024;
    private static final int MOST_REQUEST_BYTES = 4096;

    private static final byte[] HEAD = ascii(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n");

    /** About what a server sends for a token, with usage in every chunk. */
    private static final byte[] EVENT = chunk("""
            data: {"id":"chatcmpl-0123456789abcdef0123456789abcdef","object":"chat.completion.chunk","created":1700000000,"model":"calibration","choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}],"usage":{"prompt_tokens":512,"total_tokens":513,"completion_tokens":1}}

            """);

    private static final byte[] END =
            ascii(new String(chunk("data: [DONE]\n\n"), StandardCharsets.US_ASCII) + "0\r\n\r\n");

    private final NanoClock clock;
    private final ServerSocketChannel listener;
    private final List<SocketChannel> accepted = new CopyOnWriteArrayList<>();

    CalibrationServer(NanoClock clock) throws IOException {
        this.clock = clock;
        this.listener =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] chunk(String text) {
        return ascii(Integer.toHexString(text.length()) + "\r\n" + text + "\r\n");
    }

    /** {@return where it is} */
    Endpoint endpoint() throws IOException {
        InetSocketAddress address = (InetSocketAddress) listener.getLocalAddress();
        return new Endpoint(false, address.getAddress().getHostAddress(), address.getPort(), "");
    }

    /** {@return the path of the request for a stream, from 0} */
    static String path(int stream) {
        return "/" + stream;
    }

    /**
     * Waits for one request per stream, sends each stream an event per round, one after the other as a server does that decodes its
     * requests as a batch, and ends them.
     *
     * @return by stream and round, when just before each event was handed to its socket
     */
    long[][] serve(int streams, int rounds, long periodNanos) throws IOException {
        SocketChannel[] channels = new SocketChannel[streams];
        for (int i = 0; i < streams; i++) {
            SocketChannel channel = listener.accept();
            accepted.add(channel);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channels[streamOf(channel)] = channel;
        }
        send(channels, HEAD);
        long[][] sentNanos = new long[streams][rounds];
        ByteBuffer event = ByteBuffer.allocateDirect(EVENT.length).put(EVENT);
        long startNanos = clock.nanos();
        for (int round = 0; round < rounds; round++) {
            waitUntil(startNanos + round * periodNanos);
            for (int stream = 0; stream < streams; stream++) {
                event.rewind();
                sentNanos[stream][round] = clock.nanos();
                write(channels[stream], event);
            }
        }
        send(channels, END);
        return sentNanos;
    }

    private static int streamOf(SocketChannel channel) throws IOException {
        ByteBuffer request = ByteBuffer.allocate(MOST_REQUEST_BYTES);
        String text = "";
        while (!text.endsWith("\r\n\r\n")) {
            if (channel.read(request) < 0) {
                throw new IOException("a stream was closed before it began");
            }
            text = new String(request.array(), 0, request.position(), StandardCharsets.US_ASCII);
        }
        return Integer.parseInt(text.substring(text.indexOf('/') + 1, text.indexOf(' ', text.indexOf('/'))));
    }

    private static void send(SocketChannel[] channels, byte[] bytes) throws IOException {
        for (SocketChannel channel : channels) {
            write(channel, ByteBuffer.wrap(bytes));
        }
    }

    private static void write(SocketChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private void waitUntil(long nanos) {
        long left = nanos - clock.nanos();
        while (left > 0) {
            LockSupport.parkNanos(left);
            left = nanos - clock.nanos();
        }
    }

    /** Breaks off what it is doing, too. */
    @Override
    public void close() throws IOException {
        listener.close();
        for (SocketChannel channel : accepted) {
            channel.close();
        }
    }
}
