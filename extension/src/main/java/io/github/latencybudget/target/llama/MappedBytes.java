package io.github.latencybudget.target.llama;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * Some bytes of a file, mapped into memory until this is closed. Java alone would keep them mapped until its garbage is
 * collected: with them a whole model stays resident while it is loaded, and its files stay in use after the model was closed.
 */
final class MappedBytes implements AutoCloseable {

    /** As {@code Arena} is not there before Java 22, and is preview in 21. */
    private static final Optional<Unmapping> UNMAPPING = Unmapping.find();

    private final ByteBuffer bytes;

    private MappedBytes(ByteBuffer bytes) {
        this.bytes = bytes;
    }

    private record Unmapping(Object unsafe, Method invokeCleaner) {

        static Optional<Unmapping> find() {
            try {
                Class<?> type = Class.forName("sun.misc.Unsafe");
                Field unsafe = type.getDeclaredField("theUnsafe");
                unsafe.setAccessible(true);
                return Optional.of(new Unmapping(unsafe.get(null), type.getMethod("invokeCleaner", ByteBuffer.class)));
            } catch (ReflectiveOperationException | RuntimeException e) {
                return Optional.empty();
            }
        }

        void unmap(ByteBuffer bytes) {
            try {
                invokeCleaner.invoke(unsafe, bytes);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("a mapped buffer can be unmapped", e);
            }
        }
    }

    /** Maps at most 2 GiB. */
    static MappedBytes of(Path file, long offset, long bytes) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return new MappedBytes(channel.map(FileChannel.MapMode.READ_ONLY, offset, bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the bytes, which nobody may touch once this is closed} */
    ByteBuffer buffer() {
        return bytes;
    }

    /** Where the Java in use has no way to unmap, its garbage collector does it later. */
    @Override
    public void close() {
        UNMAPPING.ifPresent(u -> u.unmap(bytes));
    }
}
