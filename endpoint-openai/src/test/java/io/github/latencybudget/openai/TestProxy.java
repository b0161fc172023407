package io.github.latencybudget.openai;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A proxy that tunnels all that it is asked for to one server, or answers with a status. */
final class TestProxy implements AutoCloseable {

    private final ServerSocket listener;
    private final int behind;
    private final String answer;
    private final List<String> heads = new CopyOnWriteArrayList<>();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger stalling = new AtomicInteger();
    private final CountDownLatch released = new CountDownLatch(1);

    /**
     * @param behind the port that it tunnels to
     * @param answer its status line after {@code HTTP/1.1}; {@code 200 OK} to tunnel, empty to say nothing
     */
    TestProxy(int behind, String answer) throws IOException {
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.behind = behind;
        this.answer = answer;
        daemon(this::accept);
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "test proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                sockets.add(client);
                daemon(() -> serve(client));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        try {
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int read = client.getInputStream().read();
                if (read < 0) {
                    return;
                }
                head.append((char) read);
            }
            heads.add(head.toString());
            if (stalling.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                released.await();
            }
            if (answer.isEmpty()) {
                return;
            }
            String framing = answer.startsWith("200") ? "" : "content-length: 0\r\n";
            client.getOutputStream()
                    .write("HTTP/1.1 %s\r\n%s\r\n".formatted(answer, framing).getBytes(StandardCharsets.US_ASCII));
            if (answer.startsWith("200")) {
                Socket server = new Socket(InetAddress.getLoopbackAddress(), behind);
                sockets.add(server);
                daemon(() -> pass(client, server));
                pass(server, client);
            }
        } catch (IOException e) {
            // One of the two is gone.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void pass(Socket from, Socket to) {
        try (InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            byte[] bytes = new byte[8192];
            for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
                out.write(bytes, 0, n);
                out.flush();
            }
        } catch (IOException e) {
            // One of the two is gone.
        }
    }

    /** Has the next so many connections wait for {@link #release}. */
    void stallNext(int connections) {
        stalling.set(connections);
    }

    void release() {
        released.countDown();
    }

    String url() {
        return "http://localhost:" + listener.getLocalPort();
    }

    /** {@return what it was asked for, with all headers} */
    List<String> heads() {
        return heads;
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
