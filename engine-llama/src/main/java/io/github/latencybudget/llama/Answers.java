package io.github.latencybudget.llama;

import com.sun.jna.Pointer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Numbers of 64 bits on the host that the device writes tokens to: one for each slot, in two rows, for steps that take turns. */
final class Answers implements AutoCloseable {

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final int MAPPED = 2;
    private static final long NONE = -1;

    static final int ROWS = 2;

    /** Looks at the stream between so many looks at a number, for a device that failed writes none. */
    private static final int LOOKS = 1 << 14;

    private final CudaDriver driver;
    private final Pointer memory;
    private final ByteBuffer numbers;
    private final int rowBytes;

    Answers(CudaDriver driver, int slots) {
        this.driver = driver;
        driver.enter();
        this.rowBytes = Long.BYTES * slots;
        this.memory = driver.create("cuMemHostAlloc", (long) ROWS * rowBytes, MAPPED);
        this.numbers = memory.getByteBuffer(0, (long) ROWS * rowBytes);
    }

    /** {@return the address of a row for the device to write to} */
    long address(int row) {
        return Pointer.nativeValue(driver.create("cuMemHostGetDevicePointer_v2", memory, 0)) + (long) row * rowBytes;
    }

    /** Forgets the numbers of the first slots of a row. */
    void clear(int row, int slots) {
        for (int slot = 0; slot < slots; slot++) {
            LONG.setVolatile(numbers, offset(row, slot), NONE);
        }
    }

    private int offset(int row, int slot) {
        return row * rowBytes + slot * Long.BYTES;
    }

    /**
     * Waits for the numbers of the first slots of a row.
     *
     * @param stream where the device works on them
     * @param spin whether to watch the memory, else to wait for all of the stream
     */
    long[] await(int row, int slots, Pointer stream, boolean spin) {
        if (!spin) {
            driver.call("cuStreamSynchronize", stream);
        }
        long[] values = new long[slots];
        for (int slot = 0; slot < slots; slot++) {
            values[slot] = awaitOne(slot, offset(row, slot), stream, spin);
        }
        return values;
    }

    private long awaitOne(int slot, int offset, Pointer stream, boolean spin) {
        for (int looks = 1; ; looks++) {
            long value = (long) LONG.getVolatile(numbers, offset);
            if (value != NONE) {
                return value;
            }
            // whatever was written before the stream was done is seen by a look after it
            if ((!spin || looks % LOOKS == 0) && driver.isDone(stream)) {
                value = (long) LONG.getVolatile(numbers, offset);
                if (value == NONE) {
                    throw new EngineFailure("the device is done and chose no token for slot " + slot, null);
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
