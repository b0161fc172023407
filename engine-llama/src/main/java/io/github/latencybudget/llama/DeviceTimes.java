package io.github.latencybudget.llama;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.FloatByReference;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The device's times of one step after the other, by pairs of CUDA events that take turns. The time of a step is read after two
 * more were started, of which the last may have been started ahead, so that nobody waits for it.
 */
final class DeviceTimes implements AutoCloseable {

    private static final int PAIRS = 3;

    private final CudaDriver driver;
    private final List<Pair> pairs;
    private final FloatByReference milliseconds = new FloatByReference();
    private long[] nanos = new long[256];
    private int read;
    private int oldest;
    private int open;

    private record Pair(Pointer start, Pointer stop) {}

    DeviceTimes(CudaDriver driver) {
        this.driver = driver;
        driver.enter();
        this.pairs = Stream.generate(
                        () -> new Pair(driver.create("cuEventCreate", 0), driver.create("cuEventCreate", 0)))
                .limit(PAIRS)
                .toList();
    }

    /** The work of a step starts here on the stream. */
    void start(Pointer stream) {
        driver.call("cuEventRecord", next().start, stream);
    }

    /** The work of the step stops here on the stream. */
    void stop(Pointer stream) {
        driver.call("cuEventRecord", next().stop, stream);
        open++;
        if (open == PAIRS) {
            read();
        }
    }

    private Pair next() {
        return pairs.get((oldest + open) % PAIRS);
    }

    private void read() {
        Pair pair = pairs.get(oldest);
        oldest = (oldest + 1) % PAIRS;
        open--;
        driver.call("cuEventSynchronize", pair.stop);
        driver.call("cuEventElapsedTime", milliseconds, pair.start, pair.stop);
        if (read == nanos.length) {
            nanos = Arrays.copyOf(nanos, 2 * read);
        }
        nanos[read++] = Math.round(milliseconds.getValue() * 1e6);
    }

    /** Forgets the step that was started last, where its time was not taken yet. */
    void forgetLast() {
        open = Math.max(0, open - 1);
    }

    /** {@return the times of the steps since the last call, in nanoseconds; waits for the device} */
    long[] take() {
        driver.enter();
        while (open > 0) {
            read();
        }
        long[] taken = Arrays.copyOf(nanos, read);
        read = 0;
        return taken;
    }

    @Override
    public void close() {
        driver.enter();
        for (Pair pair : pairs) {
            driver.call("cuEventDestroy_v2", pair.start);
            driver.call("cuEventDestroy_v2", pair.stop);
        }
    }
}
