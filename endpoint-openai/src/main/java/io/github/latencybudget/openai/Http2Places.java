package io.github.latencybudget.openai;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2SettingsFrame;
import io.netty.util.ReferenceCountUtil;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletableFuture;

/** The requests that a connection of HTTP/2 may have at a time, as its server says. The last handler of such a connection. */
final class Http2Places extends ChannelInboundHandlerAdapter {

    private final CompletableFuture<Http2Places> known = new CompletableFuture<>();
    private long most = Integer.MAX_VALUE;
    private long taken;
    private boolean isGoingAway;

    /** {@return itself, once the server has said how many there are; fails where the connection breaks before} */
    CompletableFuture<Http2Places> known() {
        return known;
    }

    /** {@return whether there was one, which is now taken} */
    synchronized boolean take() {
        if (isGoingAway || taken >= most) {
            return false;
        }
        taken++;
        return true;
    }

    /** {@return whether that was the last one of a connection that takes no more} */
    synchronized boolean giveBack() {
        taken--;
        return isGoingAway && taken == 0;
    }

    synchronized long most() {
        return most;
    }

    /** {@return whether the server takes no further request over it} */
    synchronized boolean isGoingAway() {
        return isGoingAway;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (message instanceof Http2SettingsFrame frame) {
                allow(frame.settings().maxConcurrentStreams());
                known.complete(this);
            } else if (message instanceof Http2GoAwayFrame && goAway()) {
                context.close();
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    /** @param streams null where the server does not say, or leaves it as it was */
    private synchronized void allow(Long streams) {
        most = streams == null ? most : streams;
    }

    private synchronized boolean goAway() {
        isGoingAway = true;
        return taken == 0;
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        known.completeExceptionally(new ClosedChannelException());
        context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        known.completeExceptionally(cause);
        context.close();
    }
}
