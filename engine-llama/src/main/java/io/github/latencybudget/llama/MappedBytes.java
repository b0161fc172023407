package io.github.latencybudget.llama;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Some bytes of a file, mapped into memory until this is closed. Java alone would keep them mapped until its garbage is
 * collected: with them a whole model stays resident while it is loaded, and its files stay in use after the model was closed.
 *
 * <p>From Java 22 on an {@code Arena} unmaps them, which this source level does not know by name; before, {@code Unsafe} does,
 * which later versions warn of.
 */
final class MappedBytes implements AutoCloseable {

    private static final int FIRST_WITH_ARENAS = 22;

    private final ByteBuffer bytes;
    private final Unmapping unmapping;

    private MappedBytes(ByteBuffer bytes, Unmapping unmapping) {
        this.bytes = bytes;
        this.unmapping = unmapping;
    }

    private interface Unmapping {
        void unmap() throws ReflectiveOperationException;
    }

    /** Maps at most 2 GiB. */
    static MappedBytes of(Path file, long offset, long bytes) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return Runtime.version().feature() < FIRST_WITH_ARENAS
                    ? unmappedByUnsafe(channel, offset, bytes)
                    : unmappedByArena(channel, offset, bytes);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof IOException cause) {
                throw new UncheckedIOException(cause);
            }
            throw new IllegalStateException("this Java maps no files", e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this Java maps no files", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static MappedBytes unmappedByUnsafe(FileChannel channel, long offset, long bytes)
            throws IOException, ReflectiveOperationException {
        Class<?> type = Class.forName("sun.misc.Unsafe");
        Field unsafe = type.getDeclaredField("theUnsafe");
        unsafe.setAccessible(true);
        Method invokeCleaner = type.getMethod("invokeCleaner", ByteBuffer.class);
        ByteBuffer mapped = channel.map(FileChannel.MapMode.READ_ONLY, offset, bytes);
        return new MappedBytes(mapped, () -> invokeCleaner.invoke(unsafe.get(null), mapped));
    }

    private static MappedBytes unmappedByArena(FileChannel channel, long offset, long bytes)
            throws ReflectiveOperationException {
        Class<?> type = Class.forName("java.lang.foreign.Arena");
        Method close = type.getMethod("close");
        Method asByteBuffer = Class.forName("java.lang.foreign.MemorySegment").getMethod("asByteBuffer");
        Object arena = type.getMethod("ofConfined").invoke(null);
        Object segment = FileChannel.class
                .getMethod("map", FileChannel.MapMode.class, long.class, long.class, type)
                .invoke(channel, FileChannel.MapMode.READ_ONLY, offset, bytes, arena);
        return new MappedBytes((ByteBuffer) asByteBuffer.invoke(segment), () -> close.invoke(arena));
    }

    /** {@return the bytes, which nobody may touch once this is closed} */
    ByteBuffer buffer() {
        return bytes;
    }

    @Override
    public void close() {
        try {
            unmapping.unmap();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this Java unmaps no files", e);
        }
    }
}
