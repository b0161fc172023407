package io.github.latencybudget.openai;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelProgressiveFuture;
import io.netty.channel.ChannelProgressiveFutureListener;
import io.netty.channel.ChannelProgressivePromise;
import io.netty.channel.ChannelPromise;

/**
 * Counts the bytes that the socket has taken: only where it took none of a request it is known that the server has seen nothing of
 * it. The handler next to the socket. For the connection's thread.
 */
final class WrittenBytes extends ChannelOutboundHandlerAdapter {

    private long bytes;

    long bytes() {
        return bytes;
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        ChannelProgressivePromise counted = context.newProgressivePromise();
        counted.addListener(new Counter(promise));
        context.write(message, counted);
    }

    private final class Counter implements ChannelProgressiveFutureListener {

        private final ChannelPromise promise;
        private long before;

        Counter(ChannelPromise promise) {
            this.promise = promise;
        }

        @Override
        public void operationProgressed(ChannelProgressiveFuture future, long progress, long total) {
            bytes += progress - before;
            before = progress;
        }

        @Override
        public void operationComplete(ChannelProgressiveFuture future) {
            told(future);
        }

        private void told(ChannelFuture future) {
            if (promise.isVoid()) {
                return;
            }
            if (future.isSuccess()) {
                promise.trySuccess();
            } else {
                promise.tryFailure(future.cause());
            }
        }
    }
}
