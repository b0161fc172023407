package io.github.latencybudget.target.llama;

import com.sun.jna.Pointer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A number of 64 bits on the host that the device writes a token to. */
final class Answer implements AutoCloseable {

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final int MAPPED = 2;
    private static final long NONE = -1;

    /** Looks at the stream between so many looks at the number, for a device that failed writes none. */
    private static final int LOOKS = 1 << 14;

    private final CudaDriver driver;
    private final Pointer memory;
    private final ByteBuffer number;

    Answer(CudaDriver driver) {
        this.driver = driver;
        driver.enter();
        this.memory = driver.create("cuMemHostAlloc", (long) Long.BYTES, MAPPED);
        this.number = memory.getByteBuffer(0, Long.BYTES);
    }

    /** {@return the address that the device writes to} */
    long address() {
        return Pointer.nativeValue(driver.create("cuMemHostGetDevicePointer_v2", memory, 0));
    }

    /** Forgets the number that was written last. */
    void clear() {
        LONG.setVolatile(number, 0, NONE);
    }

    /**
     * Waits for a number.
     *
     * @param stream where the device works on it
     * @param spin whether to watch the memory, else to wait for all of the stream
     */
    long await(Pointer stream, boolean spin) {
        if (!spin) {
            driver.call("cuStreamSynchronize", stream);
        }
        for (int looks = 1; ; looks++) {
            long value = (long) LONG.getVolatile(number, 0);
            if (value != NONE) {
                return value;
            }
            // whatever was written before the stream was done is seen by a look after it
            if ((!spin || looks % LOOKS == 0) && driver.isDone(stream)) {
                value = (long) LONG.getVolatile(number, 0);
                if (value == NONE) {
                    throw new EngineFailure("the device is done and chose no token", null);
                }
                return value;
            }
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        driver.enter();
        driver.call("cuMemFreeHost", memory);
    }
}
