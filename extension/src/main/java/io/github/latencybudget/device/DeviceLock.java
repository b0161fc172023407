package io.github.latencybudget.device;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * Keeps measurements on one device apart: between the threads of this JVM by a lock, between the JVMs of this user by a lock on
 * a file in the temporary folder. Where that file cannot be written, only this JVM's threads are kept apart.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class DeviceLock {

    private static final Pattern CUDA = Pattern.compile("cuda:(\\d{1,3})");
    private static final String NO_DESCRIPTOR = "Too many open files";
    private static final long POLL_MILLIS = 50;

    // The one thing that all runs in this JVM have to share, whatever started them.
    private static final Map<String, ReentrantLock> LOCKS = new ConcurrentHashMap<>();

    private DeviceLock() {}

    /**
     * Waits until no other measurement uses the device, then does the work.
     *
     * @param device which device: {@code cpu}, {@code cuda:0} as CUDA counts in this process, a server's address
     * @param work what to do with the device alone
     * @return what the work returns
     * @throws UncheckedIOException where this process has too many files open
     * @throws InterruptedException where the thread is interrupted while it waits; the work was not begun
     */
    public static <T> T whileAloneOn(String device, Supplier<T> work) throws InterruptedException {
        String key = key(device);
        ReentrantLock inThisJvm = LOCKS.computeIfAbsent(key, k -> new ReentrantLock(true));
        inThisJvm.lockInterruptibly();
        try {
            FileChannel acrossJvms = lockFile(key);
            try {
                return work.get();
            } finally {
                close(acrossJvms);
            }
        } finally {
            inThisJvm.unlock();
        }
    }

    /** One GPU has other numbers in JVMs with other {@code CUDA_VISIBLE_DEVICES}, and two GPUs can have the same. */
    private static String key(String device) {
        Matcher cuda = CUDA.matcher(device);
        return cuda.matches() ? Nvml.pciAddress(Integer.parseInt(cuda.group(1))).orElse(device) : device;
    }

    private static @Nullable FileChannel lockFile(String key) throws InterruptedException {
        Path folder = Path.of(
                System.getProperty("java.io.tmpdir"), "latency-budget-" + System.getProperty("user.name", "user"));
        Path file = folder.resolve(key.replaceAll("[^A-Za-z0-9]", "_") + ".lock");
        FileChannel channel = null;
        try {
            Files.createDirectories(folder);
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            while (!isLocked(channel)) {
                Thread.sleep(POLL_MILLIS);
            }
            return channel;
        } catch (IOException e) {
            close(channel);
            if (String.valueOf(e.getMessage()).contains(NO_DESCRIPTOR)) {
                // Nothing can be measured then, and to go on unlocked would disturb whoever measures.
                throw new UncheckedIOException("cannot write the lock " + file, e);
            }
            return null;
        } catch (InterruptedException e) {
            close(channel);
            throw e;
        }
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            // Held in this JVM all the same, by this class in another class loader.
            return false;
        }
    }

    private static void close(@Nullable FileChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                // The lock is gone with the channel in any case.
            }
        }
    }
}
