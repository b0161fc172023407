package io.github.latencybudget.llama;

import com.sun.jna.Pointer;
import java.util.Locale;

/** One allocation on a device, given out in aligned pieces. It begins as zeros. */
final class DeviceBlock implements AutoCloseable {

    private static final long ALIGNMENT = 256;

    private final CudaDriver driver;
    private final Pointer memory;
    private final long bytes;
    private long used;

    DeviceBlock(CudaDriver driver, long bytes) {
        this.driver = driver;
        this.bytes = bytes;
        driver.enter();
        this.memory = driver.create("cuMemAlloc_v2", bytes);
        driver.call("cuMemsetD8_v2", memory, (byte) 0, bytes);
    }

    /** {@return how much of a block a piece takes} */
    static long aligned(long bytes) {
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    /** {@return the address of the next piece} */
    long take(long pieceBytes) {
        long address = Pointer.nativeValue(memory) + used;
        used += aligned(pieceBytes);
        if (used > bytes) {
            throw new IllegalStateException(String.format(Locale.ROOT, "%d bytes are taken of %d", used, bytes));
        }
        return address;
    }

    @Override
    public void close() {
        driver.enter();
        driver.call("cuMemFree_v2", memory);
    }
}
