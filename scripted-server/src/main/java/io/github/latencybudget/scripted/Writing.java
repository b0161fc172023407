package io.github.latencybudget.scripted;

import io.github.latencybudget.scripted.Answer.End;
import io.github.latencybudget.scripted.Answer.Framing;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Writes one answer by its schedule. A write makes nearly no garbage, and takes nearly no time after its time was noted: with thousands
 * of streams this server shares a machine with the client that is tried on it.
 */
final class Writing implements Runnable {

    private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] LINE_END = {'\r', '\n'};

    private final ChannelHandlerContext context;
    private final ServedRequest request;
    private final Answer answer;
    private final Runnable kept;
    private int next;
    private byte[] framedBytes = {};
    private ByteBuf framed = Unpooled.EMPTY_BUFFER;

    /** @param kept told before the end of an answer that leaves the connection open for a next request */
    Writing(ChannelHandlerContext context, ServedRequest request, Answer answer, Runnable kept) {
        this.context = context;
        this.request = request;
        this.answer = answer;
        this.kept = kept;
    }

    /** Writes what is due, and comes back for the rest. */
    @Override
    public void run() {
        while (next < answer.writes().size() && context.channel().isActive()) {
            Answer.Write write = answer.writes().get(next);
            long waitNanos = write.atNanos() - (System.nanoTime() - request.arrivedNanos());
            if (waitNanos > 0) {
                comeBackIn(waitNanos);
                return;
            }
            if (!context.channel().isWritable()) {
                // A client that reads slowly gets what it can take.
                comeBackIn(TimeUnit.MILLISECONDS.toNanos(1));
                return;
            }
            if (write.bytes().length > 0) {
                ByteBuf bytes = framed(write.bytes());
                request.sentAt(System.nanoTime());
                context.writeAndFlush(bytes, context.voidPromise());
            }
            next++;
        }
        framed.release();
        end();
    }

    private void comeBackIn(long nanos) {
        context.flush();
        context.executor().schedule(this, nanos, TimeUnit.NANOSECONDS);
    }

    /** {@return the bytes as they are sent; those of one token after the other are mostly the same} */
    private ByteBuf framed(byte[] bytes) {
        if (bytes != framedBytes) {
            framed.release();
            framed = context.alloc().directBuffer(bytes.length + 2 * LINE_END.length + Integer.BYTES * 2);
            if (answer.framing() == Framing.CHUNKED) {
                framed.writeCharSequence(Integer.toHexString(bytes.length), StandardCharsets.US_ASCII);
                framed.writeBytes(LINE_END).writeBytes(bytes).writeBytes(LINE_END);
            } else {
                framed.writeBytes(bytes);
            }
            framedBytes = bytes;
        }
        return framed.retainedDuplicate();
    }

    private void end() {
        boolean isChunked = answer.framing() == Framing.CHUNKED;
        if (answer.end() == End.RESET) {
            context.flush();
            context.channel().config().setOption(ChannelOption.SO_LINGER, 0);
            context.close();
            return;
        }
        if (answer.end() == End.STALL) {
            context.flush();
            return;
        }
        ByteBuf last =
                isChunked && answer.end() != End.BREAK ? Unpooled.wrappedBuffer(LAST_CHUNK) : Unpooled.EMPTY_BUFFER;
        if (answer.end() == End.KEEP_ALIVE && isChunked) {
            kept.run();
            context.writeAndFlush(last);
        } else {
            context.writeAndFlush(last).addListener(ChannelFutureListener.CLOSE);
        }
    }
}
