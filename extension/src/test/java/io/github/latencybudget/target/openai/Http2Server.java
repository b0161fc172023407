package io.github.latencybudget.target.openai;

import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Speaks HTTP/2 over TLS, and answers as a scripted server behind it does. */
final class Http2Server implements AutoCloseable {

    private static final int MOST_BYTES = 1 << 20;

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final AtomicInteger connections = new AtomicInteger();
    private final ScriptedServer behind;
    private final Channel channel;

    private Http2Server(SslContext tls, ScriptedServer behind) {
        this.behind = behind;
        this.channel = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel accepted) {
                        connections.incrementAndGet();
                        accepted.pipeline()
                                .addLast(tls.newHandler(accepted.alloc()))
                                .addLast(Http2FrameCodecBuilder.forServer().build())
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
        SslContext tls = SslContextBuilder.forServer(certificate.certificate(), certificate.key())
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        ApplicationProtocolConfig.Protocol.ALPN,
                        ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                        ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                        ApplicationProtocolNames.HTTP_2))
                .build();
        return new Http2Server(tls, ScriptedServer.start(script));
    }

    private final class Passing extends SimpleChannelInboundHandler<FullHttpRequest> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) throws Exception {
            HttpResponse<String> answer = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(java.net.URI.create(behind.url() + request.uri()))
                                    .method(
                                            request.method().name(),
                                            HttpRequest.BodyPublishers.ofString(
                                                    request.content().toString(StandardCharsets.UTF_8)))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
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

    String url() {
        return "https://localhost:" + ((InetSocketAddress) channel.localAddress()).getPort();
    }

    int connections() {
        return connections.get();
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
        behind.close();
    }
}
