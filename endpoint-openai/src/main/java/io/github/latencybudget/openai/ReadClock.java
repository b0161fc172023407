package io.github.latencybudget.openai;

import io.github.latencybudget.trace.NanoClock;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Notes when bytes were read from the socket: before TLS decrypts them, HTTP unwraps them, or anything is parsed. The first handler
 * of a connection. An event takes the time of the read that completed it.
 */
final class ReadClock extends ChannelInboundHandlerAdapter {

    private final NanoClock clock;
    private long lastReadNanos;

    ReadClock(NanoClock clock) {
        this.clock = clock;
        this.lastReadNanos = clock.nanos();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        lastReadNanos = clock.nanos();
        context.fireChannelRead(message);
    }

    long lastReadNanos() {
        return lastReadNanos;
    }
}
