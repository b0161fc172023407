package io.github.latencybudget.openai;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a session. One is used again once its request is over; one of HTTP/2 by as many requests at a time as its
 * server lets it have, and what it has no room for goes over another.
 */
final class Connections {

    static final String HTTP_1 = "HTTP/1.1";

    private final Supplier<CompletableFuture<Connection>> connector;
    private final Deque<Connection> idle = new ArrayDeque<>();
    private final List<Connection> shared = new ArrayList<>();
    private final List<Awaited> awaited = new ArrayList<>();
    private boolean isHttp2;
    private long placesOfOne;

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

        /**
         * {@return whether the server has seen nothing of the request}
         *
         * @param writtenBefore how many bytes the connection had written before the request was handed to it
         */
        boolean isUnsent(long writtenBefore) {
            // Over HTTP/2 other requests write too, and a stream begins with its first frame.
            return channel instanceof Http2StreamChannel stream
                    ? stream.stream().state() == Http2Stream.State.IDLE
                    : connection.written().bytes() == writtenBefore;
        }
    }

    /** A connection that is being made, and for how many more requests it is expected to have room. */
    private static final class Awaited {

        private final CompletableFuture<@Nullable Void> made = new CompletableFuture<>();
        private long places;

        Awaited(long places) {
            this.places = places;
        }
    }

    Connections(Supplier<CompletableFuture<Connection>> connector) {
        this.connector = connector;
    }

    /** {@return a place for one request; fails as {@link Connector#connect} does} */
    CompletableFuture<Lease> lease() {
        return lease(true);
    }

    /** @param isReused whether a connection that is there now was there before */
    private CompletableFuture<Lease> lease(boolean isReused) {
        Optional<Connection> known;
        Awaited connecting;
        synchronized (this) {
            known = known();
            if (known.isEmpty()) {
                Optional<Awaited> soon =
                        awaited.stream().filter(a -> a.places > 0).findFirst();
                if (soon.isPresent()) {
                    soon.get().places--;
                    return soon.get().made.thenCompose(nothing -> lease(false));
                }
            }
            connecting = new Awaited(placesOfOne - 1);
            if (known.isEmpty() && isHttp2) {
                awaited.add(connecting);
            }
        }
        return known.map(connection -> onKnown(connection, isReused)).orElseGet(() -> connect(connecting));
    }

    /** The thread that reads may hear that it is closed before the stream is there: nothing was sent, so another does as well. */
    private CompletableFuture<Lease> onKnown(Connection connection, boolean isReused) {
        return on(connection, isReused).exceptionallyCompose(thrown -> {
            drop(connection);
            return lease(isReused);
        });
    }

    private synchronized void drop(Connection connection) {
        shared.remove(connection);
        connection.channel().close();
    }

    private CompletableFuture<Lease> connect(Awaited connecting) {
        CompletableFuture<Lease> lease = connector
                .get()
                .whenComplete((connection, thrown) -> forget(connecting))
                .thenCompose(this::onNew);
        lease.whenComplete((first, thrown) -> {
            if (thrown == null) {
                connecting.made.complete(null);
            } else {
                connecting.made.completeExceptionally(thrown);
            }
        });
        return lease;
    }

    private synchronized void forget(Awaited connecting) {
        awaited.remove(connecting);
    }

    private CompletableFuture<Lease> onNew(Connection connection) {
        if (!connection.take()) {
            connection.channel().close();
            return CompletableFuture.failedFuture(
                    new IOException("it was closed at once, or its server lets no request be sent over HTTP/2"));
        }
        remember(connection);
        return on(connection, false);
    }

    private synchronized void remember(Connection connection) {
        connection.places().ifPresent(places -> {
            isHttp2 = true;
            placesOfOne = places.most();
            shared.add(connection);
        });
    }

    private synchronized Optional<Connection> known() {
        shared.removeIf(connection -> !connection.isOpen());
        Optional<Connection> withRoom = shared.stream().filter(Connection::take).findFirst();
        while (withRoom.isEmpty() && !idle.isEmpty()) {
            // The one that was used last is the least likely to be closed by the server.
            withRoom = Optional.of(idle.removeLast()).filter(Connection::take);
        }
        return withRoom;
    }

    private CompletableFuture<Lease> on(Connection connection, boolean isReused) {
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
                        Channel stream = opened.getNow();
                        stream.closeFuture().addListener(closed -> connection.giveBackPlace(stream));
                        lease.complete(new Lease(connection, stream, isReused));
                    } else {
                        // There is no stream, for the connection is closed, and its places with it.
                        lease.completeExceptionally(opened.cause());
                    }
                });
        return lease;
    }

    /** Its request is over, and the response was read to its end. */
    synchronized void giveBack(Lease lease) {
        if (lease.connection().isHttp2()) {
            // The stream is closed a little later, and whoever is told of the end may want the place at once.
            lease.connection().giveBackPlace(lease.channel());
            return;
        }
        if (lease.handler().filter(ResponseHandler::isKeptAlive).isPresent()) {
            idle.addLast(lease.connection());
        } else {
            // A request that comes between this answer and the server's close would be lost.
            lease.channel().close();
        }
    }

    /** {@return what the last connection spoke} Whether it was over TLS is for whoever knows the endpoint to say. */
    synchronized String protocol() {
        return isHttp2 ? "HTTP/2" : HTTP_1;
    }

    /** Closes what nobody uses: the first connection of a JVM also took the time to load its classes. */
    synchronized void closeIdle() {
        idle.forEach(connection -> connection.channel().close());
        idle.clear();
        shared.forEach(connection -> connection.channel().close());
        shared.clear();
    }
}
