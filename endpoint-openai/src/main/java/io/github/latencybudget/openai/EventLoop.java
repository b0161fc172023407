package io.github.latencybudget.openai;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.kqueue.KQueue;
import io.netty.channel.kqueue.KQueueIoHandler;
import io.netty.channel.kqueue.KQueueSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The one thread that all connections of a session are read by, on what the system has for that. */
final class EventLoop implements AutoCloseable {

    private static final long MOST_SECONDS_TO_END = 5;

    private final MultiThreadIoEventLoopGroup group;
    private final Class<? extends SocketChannel> channelType;
    private final String name;
    private final ExecutorService lookUps =
            Executors.newSingleThreadExecutor(new DefaultThreadFactory("latency-budget names", true));

    private EventLoop(IoHandlerFactory handlers, Class<? extends SocketChannel> channelType, String name) {
        this.group =
                new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("latency-budget endpoint", true), handlers);
        this.channelType = channelType;
        this.name = name;
    }

    static EventLoop start() {
        if (Epoll.isAvailable()) {
            return new EventLoop(EpollIoHandler.newFactory(), EpollSocketChannel.class, "epoll");
        }
        if (KQueue.isAvailable()) {
            return new EventLoop(KQueueIoHandler.newFactory(), KQueueSocketChannel.class, "kqueue");
        }
        return new EventLoop(NioIoHandler.newFactory(), NioSocketChannel.class, "NIO");
    }

    MultiThreadIoEventLoopGroup group() {
        return group;
    }

    Class<? extends SocketChannel> channelType() {
        return channelType;
    }

    /** {@return another thread, for what blocks: the look-up of a name} */
    Executor lookUps() {
        return lookUps;
    }

    /** {@return what it waits with, for records} */
    String name() {
        return name;
    }

    @Override
    public void close() {
        lookUps.shutdown();
        group.shutdownGracefully(0, MOST_SECONDS_TO_END, TimeUnit.SECONDS)
                .awaitUninterruptibly(MOST_SECONDS_TO_END, TimeUnit.SECONDS);
    }
}
