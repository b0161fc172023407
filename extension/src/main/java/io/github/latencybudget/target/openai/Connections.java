package io.github.latencybudget.target.openai;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** The connections of a session. One is used again once its request is over; one of HTTP/2 by many requests at a time. */
final class Connections {

    private final Supplier<CompletableFuture<Connection>> connector;
    private final Deque<Connection> idle = new ArrayDeque<>();
    private final List<CompletableFuture<Connection>> shared = new ArrayList<>();
    private boolean isHttp2;

    /**
     * A place for one request.
     *
     * @param connection on which connection
     * @param channel where to write to, and where {@link ResponseHandler} is
     * @param isReused whether the connection was there before
     */
    record Lease(Connection connection, Channel channel, boolean isReused) {

        /** {@return who reads its answer; empty once the connection is closed, which can be before the request is sent} */
        Optional<ResponseHandler> handler() {
            return Optional.ofNullable(channel.pipeline().get(ResponseHandler.class))
                    .filter(handler -> channel.isActive());
        }
    }

    Connections(Supplier<CompletableFuture<Connection>> connector) {
        this.connector = connector;
    }

    /** {@return a place for one request; fails as {@link Connector#connect} does} */
    CompletableFuture<Lease> lease() {
        Optional<Connection> known = known();
        CompletableFuture<Connection> connection =
                known.map(CompletableFuture::completedFuture).orElseGet(this::connect);
        return connection.thenCompose(c -> on(c, known.isPresent()));
    }

    private synchronized CompletableFuture<Connection> connect() {
        if (isHttp2 && !shared.isEmpty() && !shared.get(0).isDone()) {
            return shared.get(0);
        }
        CompletableFuture<Connection> made = connector.get();
        made.thenAccept(this::remember);
        if (isHttp2) {
            shared.clear();
            shared.add(made);
        }
        return made;
    }

    private synchronized void remember(Connection connection) {
        if (connection.isHttp2()) {
            isHttp2 = true;
            shared.clear();
            shared.add(CompletableFuture.completedFuture(connection));
        }
    }

    private synchronized Optional<Connection> known() {
        if (isHttp2) {
            return shared.stream()
                    .filter(f -> f.isDone()
                            && !f.isCompletedExceptionally()
                            && f.join().isOpen())
                    .map(CompletableFuture::join)
                    .findFirst();
        }
        while (!idle.isEmpty()) {
            // The one that was used last is the least likely to be closed by the server.
            Connection connection = idle.removeLast();
            if (connection.isOpen()) {
                return Optional.of(connection);
            }
        }
        return Optional.empty();
    }

    private static CompletableFuture<Lease> on(Connection connection, boolean isReused) {
        if (!connection.isHttp2()) {
            return CompletableFuture.completedFuture(new Lease(connection, connection.channel(), isReused));
        }
        CompletableFuture<Lease> lease = new CompletableFuture<>();
        new Http2StreamChannelBootstrap(connection.channel())
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel stream) {
                        stream.pipeline()
                                .addLast(new Http2StreamFrameToHttpObjectCodec(false))
                                .addLast(new ResponseHandler());
                    }
                })
                .open()
                .addListener((Future<Channel> opened) -> {
                    if (opened.isSuccess()) {
                        lease.complete(new Lease(connection, opened.getNow(), isReused));
                    } else {
                        lease.completeExceptionally(opened.cause());
                    }
                });
        return lease;
    }

    /** Its request is over, and the response was read to its end. */
    synchronized void giveBack(Lease lease) {
        if (!lease.connection().isHttp2() && lease.connection().isOpen()) {
            idle.addLast(lease.connection());
        }
    }

    /** Closes what nobody uses: the first connection of a JVM also took the time to load its classes. */
    synchronized void closeIdle() {
        idle.forEach(connection -> connection.channel().close());
        idle.clear();
        shared.forEach(
                made -> made.thenAccept(connection -> connection.channel().close()));
        shared.clear();
    }
}
