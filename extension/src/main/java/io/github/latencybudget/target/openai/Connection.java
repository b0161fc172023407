package io.github.latencybudget.target.openai;

import io.netty.channel.Channel;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One connection.
 *
 * @param channel what it is to Netty
 * @param connectNanos what it took to connect, once the name was known; 0 through a proxy
 * @param tlsNanos what the TLS handshake took; 0 without one
 * @param isHttp2 whether it carries several requests at a time
 * @param requests how many were sent over it
 */
record Connection(Channel channel, long connectNanos, long tlsNanos, boolean isHttp2, AtomicInteger requests) {

    boolean isOpen() {
        return channel.isActive();
    }
}
