package io.github.latencybudget.scripted;

import io.github.latencybudget.scripted.Answer.End;
import io.github.latencybudget.scripted.Answer.Framing;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** One connection: answers one request after the other. Writes bytes, not messages, so that it can break every rule. */
final class ScriptedConnection extends SimpleChannelInboundHandler<FullHttpRequest> {

    private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final ScriptedServer server;
    private final Function<ServedRequest, Answer> script;
    private volatile boolean isIdle = true;

    ScriptedConnection(ScriptedServer server, Function<ServedRequest, Answer> script) {
        this.server = server;
        this.script = script;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest message) {
        long arrivedNanos = System.nanoTime();
        isIdle = false;
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
        write(context, request, answer, 0, arrivedNanos);
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

    private void write(
            ChannelHandlerContext context, ServedRequest request, Answer answer, int from, long arrivedNanos) {
        List<Answer.Write> writes = answer.writes();
        int i = from;
        while (i < writes.size() && context.channel().isActive()) {
            int next = i;
            long waitNanos = writes.get(i).atNanos() - (System.nanoTime() - arrivedNanos);
            if (waitNanos > 0) {
                context.flush();
                context.executor()
                        .schedule(
                                () -> write(context, request, answer, next, arrivedNanos),
                                waitNanos,
                                TimeUnit.NANOSECONDS);
                return;
            }
            if (!context.channel().isWritable()) {
                // A client that reads slowly gets what it can take.
                context.flush();
                context.executor()
                        .schedule(() -> write(context, request, answer, next, arrivedNanos), 1, TimeUnit.MILLISECONDS);
                return;
            }
            if (writes.get(i).bytes().length > 0) {
                request.sentAt(System.nanoTime());
                context.writeAndFlush(framed(answer, writes.get(i).bytes()));
            }
            i++;
        }
        end(context, answer);
    }

    private static ByteBuf framed(Answer answer, byte[] bytes) {
        if (answer.framing() != Framing.CHUNKED) {
            return Unpooled.wrappedBuffer(bytes);
        }
        byte[] size = (Integer.toHexString(bytes.length) + "\r\n").getBytes(StandardCharsets.US_ASCII);
        return Unpooled.wrappedBuffer(size, bytes, new byte[] {'\r', '\n'});
    }

    boolean isIdle() {
        return isIdle;
    }

    private void end(ChannelHandlerContext context, Answer answer) {
        boolean isChunked = answer.framing() == Framing.CHUNKED;
        if (answer.end() == End.RESET) {
            context.flush();
            context.channel().config().setOption(ChannelOption.SO_LINGER, 0);
            context.close();
            return;
        }
        if (answer.end() == End.STALL) {
            context.flush();
            return;
        }
        ByteBuf last =
                isChunked && answer.end() != End.BREAK ? Unpooled.wrappedBuffer(LAST_CHUNK) : Unpooled.EMPTY_BUFFER;
        boolean isKept = answer.end() == End.KEEP_ALIVE && answer.framing() == Framing.CHUNKED;
        if (isKept) {
            isIdle = true;
            context.writeAndFlush(last);
        } else {
            context.writeAndFlush(last).addListener(ChannelFutureListener.CLOSE);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
