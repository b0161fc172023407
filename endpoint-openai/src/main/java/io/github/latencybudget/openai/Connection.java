package io.github.latencybudget.openai;

import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.util.Optional;

/**
 * One connection.
 *
 * @param channel what it is to Netty
 * @param connectNanos what it took to connect, once the name was known; 0 through a proxy
 * @param tlsNanos what the TLS handshake took; 0 without one
 * @param written how much of what was written has left for the socket
 * @param places how many requests it may carry at a time; empty for one of HTTP/1.1, which carries one
 */
record Connection(
        Channel channel, long connectNanos, long tlsNanos, WrittenBytes written, Optional<Http2Places> places) {

    private static final AttributeKey<Boolean> GIVEN_BACK = AttributeKey.valueOf(Connection.class, "given back");

    boolean isHttp2() {
        return places.isPresent();
    }

    /** {@return whether it can be given another request, be it now or later} */
    boolean isOpen() {
        return channel.isActive() && !places.map(Http2Places::isGoingAway).orElse(false);
    }

    /** {@return whether it has room for a request, which is now taken} Of HTTP/1.1 whoever has it has all of it. */
    boolean take() {
        return isOpen() && places.map(Http2Places::take).orElse(true);
    }

    /** The request of a stream is over. It is told once or more often: at the end of the answer, and when the stream is closed. */
    void giveBackPlace(Channel stream) {
        boolean isTold = stream.attr(GIVEN_BACK).getAndSet(true) != null;
        if (!isTold && places.map(Http2Places::giveBack).orElse(false)) {
            channel.close();
        }
    }
}
