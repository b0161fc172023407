package io.github.latencybudget.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeviceLockTest {

    private static final String SINCE = "2026-03-01 14:03:21 UTC";

    private final String device = "test:" + UUID.randomUUID();
    private final List<String> console = new CopyOnWriteArrayList<>();

    @TempDir
    Path folder;

    private DeviceLock lock(Duration longest) {
        return new DeviceLock(
                folder.resolve("locks"), longest, "ChatTest.answers", () -> SINCE, console::add, DeviceLockTest::fail);
    }

    private static void fail(IOException e) {
        throw new UncheckedIOException(e);
    }

    private <T> T alone(String on, LongFunction<T> work) {
        try {
            return lock(Duration.ofDays(1)).whileAloneOn(on, work);
        } catch (InterruptedException | DeviceLockException e) {
            throw new AssertionError(e);
        }
    }

    private void assertTakenBy(String holder) {
        assertThatThrownBy(() -> lock(Duration.ZERO).whileAloneOn(device, waited -> "done"))
                .isInstanceOf(DeviceLockException.class)
                .hasMessage("waited 0 s for " + device + ", which " + holder
                        + " if it hangs, or allow more time with latencybudget.device.wait-seconds");
    }

    private Path note() {
        return new LockFolder(folder.resolve("locks")).note(device);
    }

    @Test
    void theWorkOfTwoThreadsOnOneDeviceNeverOverlaps() {
        CountDownLatch secondBegan = new CountDownLatch(1);

        CompletableFuture<Void> second = alone(device, waited -> {
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> alone(device, w -> began(secondBegan)));
            assertThat(hasCome(secondBegan)).isFalse();
            return waiting;
        });

        second.join();
        assertThat(secondBegan.getCount()).isZero();
    }

    @Test
    void anotherDeviceIsNotWaitedFor() {
        CountDownLatch otherBegan = new CountDownLatch(1);

        alone(device, waited -> {
            CompletableFuture.runAsync(() -> alone(device + "other", w -> began(otherBegan)))
                    .join();
            return null;
        });

        assertThat(otherBegan.getCount()).isZero();
    }

    @Test
    void theLockIsFreeAgainAfterWorkThatFailed() {
        assertThatThrownBy(() -> alone(device, waited -> {
                    throw new IllegalStateException("the work's own");
                }))
                .hasMessage("the work's own");

        assertThat(this.<String>alone(device, waited -> "done")).isEqualTo("done");
    }

    @Test
    void theWorkIsToldHowLongItsDeviceWasWaitedFor() throws InterruptedException {
        CompletableFuture<Long> waitedNanos = new CompletableFuture<>();
        Thread second = new Thread(() -> alone(device, waitedNanos::complete));

        long heldNanos = alone(device, waited -> {
            second.start();
            while (second.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            long start = System.nanoTime();
            assertThat(hasCome(new CountDownLatch(1))).isFalse();
            return System.nanoTime() - start;
        });

        second.join();
        assertThat(waitedNanos.join()).isGreaterThanOrEqualTo(heldNanos);
    }

    @Test
    void whoWaitsForThisJvmIsToldTheGate() {
        alone(device, waited -> {
            assertTakenBy("this JVM has used since " + SINCE + " for ChatTest.answers: end that gate");
            return null;
        });
        assertThat(this.<String>alone(device, waited -> "done")).isEqualTo("done");
    }

    /** Case 30, in two JVMs. */
    @Test
    void anotherJvmIsWaitedFor() throws Exception {
        CountDownLatch began = new CountDownLatch(1);
        try (Holder holder = new Holder()) {
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> alone(device, w -> began(began)));

            assertThat(hasCome(began)).isFalse();
            holder.process.getOutputStream().close();
            waiting.join();
            assertThat(began.getCount()).isZero();
        }
    }

    @Test
    void whoWaitsForAnotherJvmIsToldItsProcessAndGate() throws Exception {
        try (Holder holder = new Holder()) {
            assertTakenBy("process " + holder.process.pid() + " has used since " + SINCE
                    + " for PolicyTest.x: end that process");

            Files.writeString(note(), "7\npid:[1]\n14:03:21 UTC\nPolicyTest.x");
            assertTakenBy(
                    "process 7 of another container has used since 14:03:21 UTC for PolicyTest.x: end that process");
        }
    }

    @Test
    void theNoteOfAProcessThatHasEndedIsNotBelieved() throws Exception {
        String stale;
        try (Holder killed = new Holder()) {
            stale = Files.readString(note());
            killed.process.destroyForcibly().waitFor();
            assertThat(note()).as("it could not clean up").hasContent(stale);
        }

        try (Holder holder = new Holder()) {
            assertThat(note()).content().startsWith(holder.process.pid() + "\n");

            Files.writeString(note(), stale);
            assertTakenBy("another process uses: end that process");
        }
    }

    @Test
    void theLockOfAProcessThatWasKilledIsFree() throws Exception {
        try (Holder killed = new Holder()) {
            killed.process.destroyForcibly().waitFor();
        }

        assertThat(lock(Duration.ZERO).<String>whileAloneOn(device, waited -> "done"))
                .isEqualTo("done");
        assertThat(note()).doesNotExist();
    }

    @Test
    void whereNoLockCanBeWrittenThatIsToldAndTheWorkIsDone() throws Exception {
        List<IOException> told = new ArrayList<>();
        Path inTheWay = Files.createFile(folder.resolve("locks in a file"));
        DeviceLock lock = new DeviceLock(
                inTheWay.resolve("locks"), Duration.ZERO, "ChatTest.answers", () -> SINCE, console::add, told::add);

        assertThat(lock.<String>whileAloneOn(device, waited -> "done")).isEqualTo("done");

        assertThat(told).hasSize(1);
        assertThat(console).isEmpty();
    }

    @Test
    void whoIsToldMayKeepTheWorkFromBeginning() throws IOException {
        Path inTheWay = Files.createFile(folder.resolve("locks in a file"));
        CountDownLatch began = new CountDownLatch(1);
        DeviceLock lock = new DeviceLock(
                inTheWay.resolve("locks"),
                Duration.ZERO,
                "ChatTest.answers",
                () -> SINCE,
                console::add,
                DeviceLockTest::fail);

        assertThatThrownBy(() -> lock.whileAloneOn(device, waited -> began(began)))
                .isInstanceOf(UncheckedIOException.class);

        assertThat(began.getCount()).isOne();
    }

    /** Has the device in a JVM of its own until its input ends. */
    private final class Holder implements AutoCloseable {

        private final Process process;

        private Holder() throws IOException {
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            Main.class.getName(),
                            folder.resolve("locks").toString(),
                            device)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            assertThat(process.getInputStream().read()).as("it has the lock").isEqualTo('h');
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    static final class Main {
        public static void main(String[] arguments) throws InterruptedException, DeviceLockException {
            new DeviceLock(
                            Path.of(arguments[0]),
                            Duration.ZERO,
                            "PolicyTest.x",
                            () -> SINCE,
                            System.err::println,
                            DeviceLockTest::fail)
                    .whileAloneOn(arguments[1], waited -> {
                        System.out.print('h');
                        System.out.flush();
                        try {
                            return System.in.read();
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
        }
    }

    /** The file is locked by this JVM already, through a class that is not this one. */
    @Test
    void aCopyOfTheClassInAnotherClassLoaderIsWaitedForToo() throws Exception {
        Class<?> copy = new OwnCopy().loadClass(DeviceLock.class.getName());
        Object other = copy.getConstructor(
                        Path.class, Duration.class, String.class, Supplier.class, Consumer.class, Consumer.class)
                .newInstance(
                        folder.resolve("locks"),
                        Duration.ofDays(1),
                        "Copied.gate",
                        (Supplier<String>) () -> SINCE,
                        (Consumer<String>) console::add,
                        (Consumer<IOException>) DeviceLockTest::fail);
        CountDownLatch otherBegan = new CountDownLatch(1);

        CompletableFuture<Void> second = alone(device, waited -> {
            CompletableFuture<Void> waiting =
                    CompletableFuture.runAsync(() -> call(other, device, w -> began(otherBegan)));
            assertThat(hasCome(otherBegan)).isFalse();
            return waiting;
        });

        second.join();
        assertThat(otherBegan.getCount()).isZero();
    }

    @Test
    void whoIsInterruptedWhileWaitingNeverBegins() {
        CountDownLatch began = new CountDownLatch(1);
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread waiting = new Thread(() -> {
            try {
                lock(Duration.ofDays(1)).whileAloneOn(device, waited -> began(began));
            } catch (InterruptedException | DeviceLockException e) {
                thrown.complete(e);
            }
        });

        alone(device, waited -> {
            waiting.start();
            waiting.interrupt();
            return thrown.join();
        });

        assertThat(thrown).isCompletedWithValueMatching(InterruptedException.class::isInstance);
        assertThat(began.getCount()).isOne();
    }

    private static Void began(CountDownLatch latch) {
        latch.countDown();
        return null;
    }

    private static void call(Object lock, String device, LongFunction<?> work) {
        try {
            lock.getClass()
                    .getMethod("whileAloneOn", String.class, LongFunction.class)
                    .invoke(lock, device, work);
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
            throw new AssertionError(e);
        }
    }

    /** Long enough for one that does not wait; one that waits never comes, however long this is. */
    private static boolean hasCome(CountDownLatch latch) {
        try {
            return latch.await(300, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Defines the package of the lock anew instead of asking its parent. */
    private static final class OwnCopy extends ClassLoader {

        private OwnCopy() {
            super(DeviceLockTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(DeviceLock.class.getPackageName() + ".")) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            try (InputStream bytes = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] code = bytes.readAllBytes();
                return defineClass(name, code, 0, code.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
