package io.github.latencybudget.scripted;

import io.github.latencybudget.scripted.Answer.Framing;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * One connection: answers one request after the other. Writes bytes, not messages, so that it can break every rule. Answers are made by
 * another thread, so that of many requests that come together none waits to be read.
 */
final class ScriptedConnection extends SimpleChannelInboundHandler<FullHttpRequest> {

    private final ScriptedServer server;
    private final Function<ServedRequest, Answer> script;
    private final Executor scripts;
    private long readNanos;
    private volatile boolean isIdle = true;

    ScriptedConnection(ScriptedServer server, Function<ServedRequest, Answer> script, Executor scripts) {
        this.server = server;
        this.script = script;
        this.scripts = scripts;
    }

    /** {@return the first handler, which notes when bytes were read, before they are decrypted or parsed} */
    ChannelHandler clock() {
        return new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                readNanos = System.nanoTime();
                context.fireChannelRead(message);
            }
        };
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest message) {
        isIdle = false;
        Map<String, String> headers = new TreeMap<>();
        message.headers().forEach(h -> headers.put(h.getKey(), h.getValue()));
        ServedRequest request = server.served(
                message.method().name(),
                message.uri(),
                headers,
                message.content().toString(StandardCharsets.UTF_8),
                readNanos);
        scripts.execute(() -> answer(context, request));
    }

    private void answer(ChannelHandlerContext context, ServedRequest request) {
        Answer answer;
        try {
            answer = script.apply(request);
        } catch (RuntimeException | Error e) {
            context.close();
            throw e;
        }
        context.executor().execute(() -> {
            if (answer.framing() != Framing.RAW) {
                context.write(head(answer));
            }
            new Writing(context, request, answer, () -> isIdle = true).run();
        });
    }

    private static ByteBuf head(Answer answer) {
        StringBuilder head = new StringBuilder("HTTP/1.1 ")
                .append(HttpResponseStatus.valueOf(answer.status()))
                .append("\r\n");
        answer.headers()
                .forEach((name, value) ->
                        head.append(name).append(": ").append(value).append("\r\n"));
        head.append(answer.framing() == Framing.CHUNKED ? "transfer-encoding: chunked\r\n" : "connection: close\r\n");
        return Unpooled.copiedBuffer(head.append("\r\n"), StandardCharsets.ISO_8859_1);
    }

    boolean isIdle() {
        return isIdle;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
