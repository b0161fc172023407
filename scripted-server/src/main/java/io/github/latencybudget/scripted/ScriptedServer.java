package io.github.latencybudget.scripted;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import org.apiguardian.api.API;

/** A server on this machine's loopback that answers by a script, and keeps what it was sent and when it answered. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class ScriptedServer implements AutoCloseable {

    private static final int MOST_REQUEST_BYTES = 16 << 20;
    private static final int BACKLOG = 4096;

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(
            1,
            new DefaultThreadFactory("scripted server", true),
            Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    private final ExecutorService scripts =
            Executors.newSingleThreadExecutor(new DefaultThreadFactory("scripted answers", true));
    private final ChannelGroup accepted = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final List<ServedRequest> requests = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger numbers = new AtomicInteger();
    private final Channel channel;
    private final boolean isTls;

    private ScriptedServer(int port, Function<ServedRequest, Answer> script, Optional<SslContext> tls) {
        this.isTls = tls.isPresent();
        this.channel = new ServerBootstrap()
                .group(group)
                .channel(Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel client) {
                        connections.incrementAndGet();
                        accepted.add(client);
                        ScriptedConnection connection = new ScriptedConnection(ScriptedServer.this, script, scripts);
                        client.pipeline().addLast(connection.clock());
                        tls.ifPresent(context -> client.pipeline().addLast(context.newHandler(client.alloc())));
                        client.pipeline()
                                .addLast(
                                        new HttpRequestDecoder(),
                                        new HttpObjectAggregator(MOST_REQUEST_BYTES),
                                        connection);
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .syncUninterruptibly()
                .channel();
    }

    /** {@return a server on a free port} */
    public static ScriptedServer start(Function<ServedRequest, Answer> script) {
        return start(0, script);
    }

    /** {@return a server on a port; 0 for a free one} */
    public static ScriptedServer start(int port, Function<ServedRequest, Answer> script) {
        return new ScriptedServer(port, script, Optional.empty());
    }

    /**
     * {@return a server over TLS on a free port}
     *
     * @param certificate PEM file of its certificate
     * @param key PEM file of its private key
     * @throws IllegalArgumentException where they are none
     */
    public static ScriptedServer startTls(File certificate, File key, Function<ServedRequest, Answer> script) {
        try {
            SslContext context = SslContextBuilder.forServer(certificate, key).build();
            return new ScriptedServer(0, script, Optional.of(context));
        } catch (SSLException e) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "%s and %s are no certificate and key", certificate, key), e);
        }
    }

    ServedRequest served(
            String method, String path, java.util.Map<String, String> headers, String body, long arrivedNanos) {
        ServedRequest request = new ServedRequest(numbers.getAndIncrement(), method, path, headers, body, arrivedNanos);
        requests.add(request);
        return request;
    }

    /** {@return the port that it listens on} */
    public int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    /** {@return its address, such as {@code http://localhost:34567}} */
    public String url() {
        return (isTls ? "https" : "http") + "://localhost:" + port();
    }

    /** {@return what it was sent until now, in that order} */
    public List<ServedRequest> requests() {
        return List.copyOf(requests);
    }

    /** {@return how many connections were made to it} */
    public int connections() {
        return connections.get();
    }

    /** Closes the connections that wait for a request, as a server does with what was idle for too long. */
    public void closeIdle() {
        accepted.close(client -> Optional.ofNullable(client.pipeline().get(ScriptedConnection.class))
                .filter(ScriptedConnection::isIdle)
                .isPresent());
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        scripts.shutdownNow();
        // The end of a group's thread does not close all of its connections for certain, and a killed server's are
        // closed.
        accepted.close().awaitUninterruptibly(5, TimeUnit.SECONDS);
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
    }
}
