package io.github.latencybudget.device;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * Keeps measurements on one device apart: between the threads of this JVM by a lock, between the JVMs of this user by a lock on
 * a file. Where that file cannot be written, only this JVM's threads are kept apart.
 *
 * @param folder where the files are; made when it is needed
 * @param longest how long to wait for a device at most
 * @param gate what is measured, as those are told who wait for it
 * @param now the time of day, as they are told
 * @param console takes lines about the wait
 * @param unlocked told why no file can be locked; what it throws keeps the work from beginning
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public record DeviceLock(
        Path folder,
        Duration longest,
        String gate,
        Supplier<String> now,
        Consumer<String> console,
        Consumer<IOException> unlocked) {

    private static final Pattern CUDA = Pattern.compile("cuda:(\\d{1,3})");
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    // The one thing that all runs in this JVM have to share, whatever started them.
    private static final Map<String, InThisJvm> LOCKS = new ConcurrentHashMap<>();

    /** A device's lock between threads, and who has the device. */
    private static final class InThisJvm {
        private final ReentrantLock lock = new ReentrantLock(true);
        private volatile @Nullable LockHolder holder;
    }

    /**
     * Waits until no other measurement uses the device, then does the work.
     *
     * @param device which device: {@code cpu}, {@code cuda:0} as CUDA counts in this process, a server's host and port
     * @param work what to do with the device alone; it is given the nanoseconds that were waited
     * @return what the work returns
     * @throws InterruptedException where the thread is interrupted while it waits; the work was not begun
     * @throws DeviceLockException where the wait took too long, or others can reach into the folder; the work was not begun
     */
    public <T> T whileAloneOn(String device, LongFunction<T> work) throws InterruptedException, DeviceLockException {
        String key = key(device);
        Optional<LockFolder> files = files();
        Waiting waiting = new Waiting(device, longest, System::nanoTime, console);
        InThisJvm here = LOCKS.computeIfAbsent(key, k -> new InThisJvm());
        Supplier<Optional<LockHolder>> holder =
                () -> Optional.ofNullable(here.holder).or(() -> files.flatMap(f -> LockHolder.read(f.note(key))));
        long nanos = 0;
        while (!here.lock.tryLock(nanos, TimeUnit.NANOSECONDS)) {
            nanos = waiting.check(holder);
        }
        try {
            FileChannel locked = files.isPresent() ? lock(files.get(), key, waiting, holder) : null;
            Optional<Path> note = files.filter(f -> locked != null).map(f -> f.note(key));
            try {
                long waitedNanos = waiting.nanos();
                LockHolder self = LockHolder.here(now.get(), gate);
                here.holder = self;
                note.ifPresent(n -> quietly(() -> self.leave(n)));
                return work.apply(waitedNanos);
            } finally {
                here.holder = null;
                note.ifPresent(n -> quietly(() -> Files.deleteIfExists(n)));
                close(locked);
            }
        } finally {
            here.lock.unlock();
        }
    }

    /** One GPU has other numbers in JVMs with other {@code CUDA_VISIBLE_DEVICES}, and two GPUs can have the same. */
    private static String key(String device) {
        Matcher cuda = CUDA.matcher(device);
        return cuda.matches() ? Nvml.pciAddress(Integer.parseInt(cuda.group(1))).orElse(device) : device;
    }

    private Optional<LockFolder> files() throws DeviceLockException {
        LockFolder files = new LockFolder(folder);
        try {
            files.prepare();
            return Optional.of(files);
        } catch (IOException e) {
            unlocked.accept(e);
            return Optional.empty();
        }
    }

    private @Nullable FileChannel lock(
            LockFolder files, String key, Waiting waiting, Supplier<Optional<LockHolder>> holder)
            throws InterruptedException, DeviceLockException {
        FileChannel channel = null;
        boolean isLocked = false;
        try {
            channel = files.open(key);
            while (!(isLocked = isLocked(channel))) {
                TimeUnit.NANOSECONDS.sleep(Math.min(POLL_NANOS, waiting.check(holder)));
            }
            return channel;
        } catch (IOException e) {
            unlocked.accept(e);
            return null;
        } finally {
            if (!isLocked) {
                close(channel);
            }
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

    /** Something that may fail. */
    private interface Attempt {
        void run() throws IOException;
    }

    /** The lock holds without a note, which is only for people. */
    private static void quietly(Attempt attempt) {
        try {
            attempt.run();
        } catch (IOException e) {
            // Those who wait are told that another process has the device.
        }
    }

    private static void close(@Nullable FileChannel channel) {
        if (channel != null) {
            // The lock is gone with the channel in any case.
            quietly(channel::close);
        }
    }
}
