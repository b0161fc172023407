package io.github.latencybudget.openai;

import io.github.latencybudget.trace.NanoClock;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.proxy.HttpProxyHandler;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.resolver.NoopAddressResolverGroup;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** Opens connections to one endpoint. */
final class Connector {

    private static final String UNTIL_CONNECTED = "until connected";
    private static final int MOST_LINE_BYTES = 8192;
    private static final int MOST_HEADER_BYTES = 65_536;

    private final EventLoop loop;
    private final Endpoint endpoint;
    private final Optional<Proxy> proxy;
    private final Optional<SslContext> tls;
    private final NanoClock clock;
    private final long connectNanos;
    private final Names names;
    private final Bootstrap bootstrap;

    /** Looks names up. */
    interface Names {
        InetAddress byName(String host) throws UnknownHostException;
    }

    Connector(
            EventLoop loop,
            Endpoint endpoint,
            Optional<Proxy> proxy,
            Optional<SslContext> tls,
            NanoClock clock,
            long connectNanos) {
        this(loop, endpoint, proxy, tls, clock, connectNanos, InetAddress::getByName);
    }

    Connector(
            EventLoop loop,
            Endpoint endpoint,
            Optional<Proxy> proxy,
            Optional<SslContext> tls,
            NanoClock clock,
            long connectNanos,
            Names names) {
        this.loop = loop;
        this.names = names;
        this.endpoint = endpoint;
        this.proxy = proxy;
        this.tls = tls;
        this.clock = clock;
        this.connectNanos = connectNanos;
        this.bootstrap = new Bootstrap()
                .group(loop.group())
                .channel(loop.channelType())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) connectMillis());
        if (proxy.isPresent()) {
            bootstrap.resolver(NoopAddressResolverGroup.INSTANCE);
        }
    }

    /** {@return for Netty, to which 0 is no limit} */
    private long connectMillis() {
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(connectNanos));
    }

    /** {@return a connection that is ready; fails with what Netty, TLS or the look-up of a name says} */
    CompletableFuture<Connection> connect() {
        CompletableFuture<Connection> connection = new CompletableFuture<>();
        address().whenComplete((found, thrown) -> {
            try {
                if (thrown == null) {
                    open(found, connection);
                } else {
                    connection.completeExceptionally(thrown);
                }
            } catch (RuntimeException e) {
                connection.completeExceptionally(e);
            }
        });
        return connection;
    }

    /** {@return the address of who is connected to: the proxy where there is one, which may know names that this machine does not} */
    private CompletableFuture<InetAddress> address() {
        String host = proxy.map(Proxy::host).orElse(endpoint.host());
        CompletableFuture<InetAddress> address = new CompletableFuture<>();
        try {
            // A look-up blocks, and the thread that reads has to tell arrivals meanwhile.
            loop.lookUps().execute(() -> {
                try {
                    address.complete(names.byName(host));
                } catch (UnknownHostException | RuntimeException e) {
                    address.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            address.completeExceptionally(e);
        }
        // A resolver that does not answer is asked for longer than anybody wants to wait.
        return address.orTimeout(connectNanos, TimeUnit.NANOSECONDS);
    }

    private void open(InetAddress address, CompletableFuture<Connection> connection) {
        InetSocketAddress server = proxy.isPresent()
                ? InetSocketAddress.createUnresolved(endpoint.host(), endpoint.port())
                : new InetSocketAddress(address, endpoint.port());
        Optional<HttpProxyHandler> tunnel = proxy.map(through -> tunnel(through, address));
        long startNanos = clock.nanos();
        bootstrap
                .clone()
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline()
                                .addLast("written", new WrittenBytes())
                                .addLast("clock", new ReadClock(clock));
                        tunnel.ifPresent(handler -> channel.pipeline().addLast("proxy", handler));
                        tls.ifPresent(context -> channel.pipeline().addLast("tls", tls(context, channel)));
                        channel.pipeline().addLast(UNTIL_CONNECTED, new FailureTaker());
                    }
                })
                .connect(server)
                .addListener((io.netty.channel.ChannelFuture connected) -> {
                    if (!connected.isSuccess()) {
                        connection.completeExceptionally(connected.cause());
                        return;
                    }
                    tunnelled(connected.channel(), startNanos, connection);
                });
    }

    private HttpProxyHandler tunnel(Proxy through, InetAddress address) {
        InetSocketAddress at = new InetSocketAddress(address, through.port());
        HttpProxyHandler handler = through.login()
                .map(login -> new HttpProxyHandler(at, login.user(), login.password()))
                .orElseGet(() -> new HttpProxyHandler(at));
        handler.setConnectTimeoutMillis(connectMillis());
        return handler;
    }

    private void tunnelled(Channel channel, long startNanos, CompletableFuture<Connection> connection) {
        HttpProxyHandler handler = channel.pipeline().get(HttpProxyHandler.class);
        if (handler == null) {
            connected(channel, startNanos, connection);
            return;
        }
        handler.connectFuture().addListener((Future<Channel> through) -> {
            if (through.isSuccess()) {
                connected(channel, startNanos, connection);
            } else {
                channel.close();
                connection.completeExceptionally(through.cause());
            }
        });
    }

    private SslHandler tls(SslContext context, SocketChannel channel) {
        SslHandler handler = context.newHandler(channel.alloc(), endpoint.host(), endpoint.port());
        handler.setHandshakeTimeoutMillis(connectMillis());
        return handler;
    }

    private void connected(Channel channel, long startNanos, CompletableFuture<Connection> connection) {
        long connectedNanos = clock.nanos();
        // Through a tunnel it is the proxy's round trip, and what the proxy takes to connect.
        long tookNanos = proxy.isPresent() ? 0 : connectedNanos - startNanos;
        SslHandler handler = channel.pipeline().get(SslHandler.class);
        if (handler == null) {
            connection.complete(http1(channel, tookNanos, 0));
            return;
        }
        handler.handshakeFuture().addListener((Future<Channel> shaken) -> {
            if (!shaken.isSuccess()) {
                channel.close();
                connection.completeExceptionally(new TlsFault(shaken.cause()));
                return;
            }
            long tlsNanos = clock.nanos() - connectedNanos;
            if (ApplicationProtocolNames.HTTP_2.equals(handler.applicationProtocol())) {
                http2(channel, tookNanos, tlsNanos, connection);
            } else {
                connection.complete(http1(channel, tookNanos, tlsNanos));
            }
        });
    }

    private static Connection http1(Channel channel, long tookNanos, long tlsNanos) {
        channel.pipeline().remove(UNTIL_CONNECTED);
        addHttp1(channel);
        return new Connection(
                channel, tookNanos, tlsNanos, channel.pipeline().get(WrittenBytes.class), Optional.empty());
    }

    /** Ready once the server has said how many requests it may have: a server begins with that. */
    private void http2(Channel channel, long tookNanos, long tlsNanos, CompletableFuture<Connection> connection) {
        WrittenBytes written = channel.pipeline().get(WrittenBytes.class);
        Http2Places places = new Http2Places();
        channel.pipeline().remove(UNTIL_CONNECTED);
        channel.pipeline()
                .addLast(Http2FrameCodecBuilder.forClient().build())
                .addLast(new Http2MultiplexHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel pushed) {
                        pushed.close();
                    }
                }))
                .addLast(places);
        Future<?> late = channel.eventLoop()
                .schedule(
                        () -> {
                            connection.completeExceptionally(new ConnectTimeoutException("no SETTINGS frame came"));
                            channel.close();
                        },
                        connectNanos,
                        TimeUnit.NANOSECONDS);
        places.known().whenComplete((known, thrown) -> {
            late.cancel(false);
            if (thrown == null) {
                connection.complete(new Connection(channel, tookNanos, tlsNanos, written, Optional.of(places)));
            } else {
                connection.completeExceptionally(thrown);
            }
        });
    }

    /** Adds what makes HTTP/1.1 of a connection. */
    static void addHttp1(Channel channel) {
        channel.pipeline()
                .addLast(
                        "http",
                        new HttpClientCodec(
                                new HttpDecoderConfig()
                                        .setMaxInitialLineLength(MOST_LINE_BYTES)
                                        .setMaxHeaderSize(MOST_HEADER_BYTES),
                                false,
                                false))
                .addLast("response", new ResponseHandler());
    }

    /** What goes wrong until then is told by the futures, and need not be logged by Netty too. */
    private static final class FailureTaker extends ChannelInboundHandlerAdapter {

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    /** The TLS handshake failed. */
    static final class TlsFault extends Exception {

        private static final long serialVersionUID = 1L;

        TlsFault(Throwable cause) {
            super(String.valueOf(cause.getMessage()), cause);
        }
    }
}
