package io.github.latencybudget.openai;

import io.netty.handler.codec.http.FullHttpRequest;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The way of one request to its server: over another connection where one was closed before the first byte was written. That is no
 * second try, for the server has seen nothing of it.
 */
final class Delivery {

    /** Each of them was open a moment before. */
    private static final int MOST_BROKEN = 16;

    private final Call call;
    private final FullHttpRequest request;
    private final Supplier<CompletableFuture<Connections.Lease>> another;
    private volatile Connections.@Nullable Lease lease;
    private Optional<ResponseHandler> reader = Optional.empty();
    private long writtenBefore;
    private int broken;

    Delivery(Call call, FullHttpRequest request, Supplier<CompletableFuture<Connections.Lease>> another) {
        this.call = call;
        this.request = request;
        this.another = another;
    }

    /** Sends the request once there is a connection. */
    void over(CompletableFuture<Connections.Lease> first) {
        first.thenAccept(this::write).exceptionally(thrown -> {
            call.notConnected(thrown);
            return null;
        });
    }

    private void write(Connections.Lease over) {
        lease = over;
        over.channel().eventLoop().execute(() -> {
            int before = broken;
            // It may be late by what its connection took.
            call.checkDeadlines();
            if (call.isOver()) {
                over.channel().close();
                return;
            }
            writtenBefore = over.connection().written().bytes();
            reader = over.handler();
            if (reader.isEmpty()) {
                call.broken(null);
                return;
            }
            reader.get().expect(call);
            over.channel().writeAndFlush(request.retainedDuplicate()).addListener(written -> {
                // Where it goes over another connection by now, that this one broke is old news.
                if (before == broken) {
                    if (written.isSuccess()) {
                        call.sent();
                    } else {
                        call.broken(written.cause());
                    }
                }
            });
        });
    }

    /** {@return whether a connection that broke had nothing of the request yet, so that it is now to go over another} */
    boolean isRerouted() {
        Connections.Lease closed = lease;
        if (closed == null || !closed.isUnsent(writtenBefore) || !isWorthAnother(closed)) {
            return false;
        }
        broken++;
        // It may hear that it is closed only after the write did, and nobody is to hear of it twice.
        reader.ifPresent(handler -> handler.expect(null));
        closed.channel().close();
        // What it throws is an end of the request too.
        over(CompletableFuture.completedFuture(closed).thenCompose(nothing -> another.get()));
        return true;
    }

    /** One that was made for this request and is closed at once says that the next would be too. */
    private boolean isWorthAnother(Connections.Lease closed) {
        return broken == 0 || closed.isReused() && broken < MOST_BROKEN;
    }

    /** {@return over which connection it goes; empty before there is one} */
    Optional<Connections.Lease> lease() {
        return Optional.ofNullable(lease);
    }

    /** It is over, and nothing is sent any more. */
    void end() {
        request.release();
    }
}
