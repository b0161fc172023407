package io.github.latencybudget.scripted;

import io.github.latencybudget.scripted.Answer.Framing;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** One connection: answers one request after the other. Writes bytes, not messages, so that it can break every rule. */
final class ScriptedConnection extends SimpleChannelInboundHandler<FullHttpRequest> {

    private final ScriptedServer server;
    private final Function<ServedRequest, Answer> script;

    ScriptedConnection(ScriptedServer server, Function<ServedRequest, Answer> script) {
        this.server = server;
        this.script = script;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest message) {
        long arrivedNanos = System.nanoTime();
        Map<String, String> headers = new TreeMap<>();
        message.headers().forEach(h -> headers.put(h.getKey(), h.getValue()));
        ServedRequest request = server.served(
                message.method().name(),
                message.uri(),
                headers,
                message.content().toString(StandardCharsets.UTF_8),
                arrivedNanos);
        Answer answer = script.apply(request);
        if (answer.framing() != Framing.RAW) {
            context.write(head(answer));
        }
        new Writing(context, request, answer).run();
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

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
