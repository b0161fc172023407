package io.github.latencybudget.target.llama;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.FloatByReference;
import java.util.Arrays;

/**
 * The device's times of one step after the other, by two pairs of CUDA events that take turns. The time of a step is read while
 * the device works on the next one, so that nobody waits for it.
 */
final class DeviceTimes implements AutoCloseable {

    private final CudaDriver driver;
    private final Pointer[] starts;
    private final Pointer[] stops;
    private final FloatByReference milliseconds = new FloatByReference();
    private long[] nanos = new long[256];
    private int read;
    private int turn;
    private boolean isPending;

    DeviceTimes(CudaDriver driver) {
        this.driver = driver;
        driver.enter();
        this.starts = new Pointer[] {driver.create("cuEventCreate", 0), driver.create("cuEventCreate", 0)};
        this.stops = new Pointer[] {driver.create("cuEventCreate", 0), driver.create("cuEventCreate", 0)};
    }

    /** The work of a step starts here on the stream. */
    void start(Pointer stream) {
        driver.call("cuEventRecord", starts[turn], stream);
    }

    /** The work of the step stops here on the stream. Reads the time of the step before. */
    void stop(Pointer stream) {
        driver.call("cuEventRecord", stops[turn], stream);
        read(1 - turn);
        turn = 1 - turn;
        isPending = true;
    }

    private void read(int pair) {
        if (isPending) {
            isPending = false;
            driver.call("cuEventSynchronize", stops[pair]);
            driver.call("cuEventElapsedTime", milliseconds, starts[pair], stops[pair]);
            if (read == nanos.length) {
                nanos = Arrays.copyOf(nanos, 2 * read);
            }
            nanos[read++] = Math.round(milliseconds.getValue() * 1e6);
        }
    }

    /** {@return the times of the steps since the last call, in nanoseconds; waits for the device} */
    long[] take() {
        driver.enter();
        read(1 - turn);
        long[] taken = Arrays.copyOf(nanos, read);
        read = 0;
        return taken;
    }

    @Override
    public void close() {
        driver.enter();
        for (int i = 0; i < 2; i++) {
            driver.call("cuEventDestroy_v2", starts[i]);
            driver.call("cuEventDestroy_v2", stops[i]);
        }
    }
}
