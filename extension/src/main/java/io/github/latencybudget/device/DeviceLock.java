package io.github.latencybudget.device;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * Keeps measurements on one device apart: between the threads of this JVM by a lock, between the JVMs of this user by a lock on
 * a file in the temporary folder. Where that file cannot be locked, only this JVM's threads are kept apart.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class DeviceLock {

    // The one thing that all runs in this JVM have to share, whatever started them.
    private static final Map<String, ReentrantLock> LOCKS = new ConcurrentHashMap<>();

    private DeviceLock() {}

    /**
     * Waits until no other measurement uses the device, then does the work.
     *
     * @param deviceKey which device, such as {@code cuda:0}
     * @param work what to do with the device alone
     * @return what the work returns
     */
    public static <T> T whileAloneOn(String deviceKey, Supplier<T> work) {
        ReentrantLock inThisJvm = LOCKS.computeIfAbsent(deviceKey, k -> new ReentrantLock(true));
        inThisJvm.lock();
        FileChannel acrossJvms = lockFile(deviceKey);
        try {
            return work.get();
        } finally {
            close(acrossJvms);
            inThisJvm.unlock();
        }
    }

    private static @Nullable FileChannel lockFile(String deviceKey) {
        Path folder = Path.of(
                System.getProperty("java.io.tmpdir"), "latency-budget-" + System.getProperty("user.name", "user"));
        FileChannel channel = null;
        try {
            Files.createDirectories(folder);
            channel = FileChannel.open(
                    folder.resolve(deviceKey.replaceAll("[^A-Za-z0-9]", "_") + ".lock"),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE);
            channel.lock();
            return channel;
        } catch (IOException e) {
            close(channel);
            return null;
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
