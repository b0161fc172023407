package io.github.latencybudget.openai;

import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.scripted.ServedRequest;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.DefaultHttp2GoAwayFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Speaks HTTP/2 over TLS, and answers as a scripted server behind it does. */
final class Http2Server implements AutoCloseable {

    private static final int MOST_BYTES = 1 << 20;

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final HttpClient client = HttpClient.newHttpClient();
    private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger streams = new AtomicInteger();
    private final AtomicInteger mostStreams = new AtomicInteger();
    private final ScriptedServer behind;
    private final Channel channel;
    private volatile Channel lastStream;
    private volatile int heldUntil;
    private volatile CompletableFuture<Void> together = CompletableFuture.completedFuture(null);

    private Http2Server(SslContext tls, ScriptedServer behind, Http2Settings settings) {
        this.behind = behind;
        this.channel = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel accepted) {
                        connections.incrementAndGet();
                        open.add(accepted);
                        accepted.pipeline()
                                .addLast(tls.newHandler(accepted.alloc()))
                                .addLast(Http2FrameCodecBuilder.forServer()
                                        .initialSettings(settings)
                                        .build())
                                .addLast(new Http2MultiplexHandler(new ChannelInitializer<>() {
                                    @Override
                                    protected void initChannel(Channel stream) {
                                        stream.pipeline()
                                                .addLast(new Http2StreamFrameToHttpObjectCodec(true))
                                                .addLast(new HttpObjectAggregator(MOST_BYTES))
                                                .addLast(new Passing());
                                    }
                                }));
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .syncUninterruptibly()
                .channel();
    }

    static Http2Server start(TestCertificate certificate, OpenAiScript script) throws Exception {
        return start(certificate, script, Http2Settings.defaultSettings());
    }

    /** {@return one that lets a connection have so many requests at a time} */
    static Http2Server start(TestCertificate certificate, OpenAiScript script, int mostStreams) throws Exception {
        return start(certificate, script, Http2Settings.defaultSettings().maxConcurrentStreams(mostStreams));
    }

    private static Http2Server start(TestCertificate certificate, OpenAiScript script, Http2Settings settings)
            throws Exception {
        SslContext tls = SslContextBuilder.forServer(certificate.certificate(), certificate.key())
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        ApplicationProtocolConfig.Protocol.ALPN,
                        ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                        ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                        ApplicationProtocolNames.HTTP_2))
                .build();
        return new Http2Server(tls, ScriptedServer.start(script), settings);
    }

    private final class Passing extends SimpleChannelInboundHandler<FullHttpRequest> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            lastStream = context.channel();
            mostStreams.accumulateAndGet(streams.incrementAndGet(), Math::max);
            HttpRequest passed = HttpRequest.newBuilder(java.net.URI.create(behind.url() + request.uri()))
                    .method(
                            request.method().name(),
                            HttpRequest.BodyPublishers.ofString(
                                    request.content().toString(StandardCharsets.UTF_8)))
                    .build();
            CompletableFuture<HttpResponse<String>> answer =
                    client.sendAsync(passed, HttpResponse.BodyHandlers.ofString());
            together.thenCompose(nothing -> answer).thenAcceptAsync(a -> pass(context, a), context.executor());
            if (mostStreams.get() >= heldUntil) {
                together.complete(null);
            }
        }

        private void pass(ChannelHandlerContext context, HttpResponse<String> answer) {
            streams.decrementAndGet();
            DefaultHttpResponse head =
                    new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(answer.statusCode()));
            head.headers()
                    .set(
                            "content-type",
                            answer.headers().firstValue("content-type").orElse(""));
            context.write(head);
            context.write(new DefaultHttpContent(Unpooled.copiedBuffer(answer.body(), StandardCharsets.UTF_8)));
            context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
        }
    }

    /** Answers nothing until it has so many requests at a time. */
    void holdUntil(int requests) {
        heldUntil = requests;
        mostStreams.set(0);
        together = new CompletableFuture<>();
    }

    void awaitStreams(int most) throws InterruptedException {
        while (mostStreams.get() < most) {
            Thread.sleep(5);
        }
    }

    /** Answers what is held, and holds no more. */
    void release() {
        heldUntil = 0;
        together.complete(null);
    }

    /** Tells every connection that it takes no further request; those that it has are answered. */
    void goAway() {
        open.writeAndFlush(new DefaultHttp2GoAwayFrame(Http2Error.NO_ERROR)).syncUninterruptibly();
    }

    /** Ends the last request without an answer; the others of its connection go on. */
    void reset(long error) {
        lastStream.writeAndFlush(new DefaultHttp2ResetFrame(error)).syncUninterruptibly();
    }

    /** Lets every connection have another number of requests at a time from here on. */
    void allow(int streamsThen) {
        open.writeAndFlush(new io.netty.handler.codec.http2.DefaultHttp2SettingsFrame(
                        new Http2Settings().maxConcurrentStreams(streamsThen)))
                .syncUninterruptibly();
    }

    String url() {
        return "https://localhost:" + ((InetSocketAddress) channel.localAddress()).getPort();
    }

    int connections() {
        return connections.get();
    }

    /** {@return how many requests it had at a time at most, all connections together} */
    int mostStreams() {
        return mostStreams.get();
    }

    List<ServedRequest> requests() {
        return behind.requests();
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
        behind.close();
    }
}
