package io.github.latencybudget.openai;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Brings what a connection reads to the request that it is for. The last handler of HTTP/1.1, and of a stream of HTTP/2. */
final class ResponseHandler extends ChannelInboundHandlerAdapter {

    private static final int CONTINUE_BELOW = 200;

    private byte[] bytes = new byte[4096];
    private @Nullable Response response;
    private boolean isKeptAlive = true;

    /** Who takes a response. All calls are made by the connection's thread; the last one is the end or the break. */
    interface Response {

        void head(HttpResponse head, long atNanos);

        void body(byte[] bytes, int from, int to, long atNanos);

        /** The response is complete, as HTTP sees it. */
        void end(long atNanos);

        /** @param cause why; null for a connection that was closed */
        void broken(@Nullable Throwable cause);
    }

    /** The next response is for this one; null for nobody. */
    void expect(@Nullable Response next) {
        response = next;
    }

    /** {@return whether the server left the connection open for another request} */
    boolean isKeptAlive() {
        return isKeptAlive;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (message instanceof HttpObject object) {
                read(context, object);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void read(ChannelHandlerContext context, HttpObject object) {
        Response to = response;
        if (to == null) {
            // Nobody asked.
            context.close();
            return;
        }
        if (object.decoderResult().isFailure()) {
            fail(context, object.decoderResult().cause());
            return;
        }
        long nanos = readNanos(context);
        if (object instanceof HttpResponse head && head.status().code() >= CONTINUE_BELOW) {
            isKeptAlive = HttpUtil.isKeepAlive(head);
            to.head(head, nanos);
        }
        if (object instanceof HttpContent content) {
            body(to, content.content(), nanos);
        }
        if (object instanceof LastHttpContent && response == to && !isInterim(object)) {
            response = null;
            to.end(nanos);
        }
    }

    private static boolean isInterim(HttpObject object) {
        return object instanceof HttpResponse head && head.status().code() < CONTINUE_BELOW;
    }

    private void body(Response to, ByteBuf content, long nanos) {
        int length = content.readableBytes();
        if (length == 0) {
            return;
        }
        if (content.hasArray()) {
            int from = content.arrayOffset() + content.readerIndex();
            to.body(content.array(), from, from + length, nanos);
            return;
        }
        if (bytes.length < length) {
            bytes = new byte[Integer.highestOneBit(length - 1) << 1];
        }
        content.readBytes(bytes, 0, length);
        to.body(bytes, 0, length, nanos);
    }

    private static long readNanos(ChannelHandlerContext context) {
        ReadClock clock = context.pipeline().get(ReadClock.class);
        return (clock == null ? context.channel().parent().pipeline().get(ReadClock.class) : clock).lastReadNanos();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        fail(context, null);
        context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        fail(context, cause);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownReadComplete) {
            fail(context, null);
        } else if (event instanceof Http2ResetFrame reset) {
            String error = Objects.toString(Http2Error.valueOf(reset.errorCode()), "error " + reset.errorCode());
            fail(context, new IOException("the server ended its stream with " + error));
        } else if (event instanceof Http2GoAwayFrame) {
            // Only what the server says it did not take hears of one.
            fail(
                    context,
                    new IOException("the server took no more requests over it, by a GOAWAY while it was under way"));
        }
        context.fireUserEventTriggered(event);
    }

    private void fail(ChannelHandlerContext context, @Nullable Throwable cause) {
        Response to = response;
        response = null;
        context.close();
        if (to != null) {
            to.broken(cause);
        }
    }
}
