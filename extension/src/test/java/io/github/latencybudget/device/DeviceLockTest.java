package io.github.latencybudget.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeviceLockTest {

    private final String device = "test:" + UUID.randomUUID();

    @Test
    void theWorkOfTwoThreadsOnOneDeviceNeverOverlaps() throws InterruptedException {
        CountDownLatch secondBegan = new CountDownLatch(1);

        CompletableFuture<Void> second = DeviceLock.whileAloneOn(device, () -> {
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> alone(device, secondBegan::countDown));
            assertThat(hasCome(secondBegan)).isFalse();
            return waiting;
        });

        second.join();
        assertThat(secondBegan.getCount()).isZero();
    }

    @Test
    void anotherDeviceIsNotWaitedFor() throws InterruptedException {
        CountDownLatch otherBegan = new CountDownLatch(1);

        DeviceLock.whileAloneOn(device, () -> {
            CompletableFuture.runAsync(() -> alone(device + "other", otherBegan::countDown))
                    .join();
            return null;
        });

        assertThat(otherBegan.getCount()).isZero();
    }

    @Test
    void theLockIsFreeAgainAfterWorkThatFailed() throws InterruptedException {
        assertThatThrownBy(() -> DeviceLock.whileAloneOn(device, () -> {
                    throw new IllegalStateException("the work's own");
                }))
                .hasMessage("the work's own");

        assertThat(DeviceLock.<String>whileAloneOn(device, () -> "done")).isEqualTo("done");
    }

    /** Case 30, in two JVMs. */
    @Test
    void anotherJvmIsWaitedFor() throws Exception {
        CountDownLatch began = new CountDownLatch(1);
        Process holder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Holder.class.getName(),
                        device)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            assertThat(holder.getInputStream().read()).as("it has the lock").isEqualTo('h');

            CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> alone(device, began::countDown));

            assertThat(hasCome(began)).isFalse();
            holder.getOutputStream().close();
            waiting.join();
            assertThat(began.getCount()).isZero();
        } finally {
            holder.destroyForcibly();
        }
    }

    /** Has the device until its input ends. */
    static final class Holder {
        public static void main(String[] arguments) throws InterruptedException {
            DeviceLock.whileAloneOn(arguments[0], () -> {
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
        Method other = new OwnCopy()
                .loadClass(DeviceLock.class.getName())
                .getMethod("whileAloneOn", String.class, Supplier.class);
        CountDownLatch otherBegan = new CountDownLatch(1);

        CompletableFuture<Void> second = DeviceLock.whileAloneOn(device, () -> {
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> call(other, device, () -> {
                otherBegan.countDown();
                return null;
            }));
            assertThat(hasCome(otherBegan)).isFalse();
            return waiting;
        });

        second.join();
        assertThat(otherBegan.getCount()).isZero();
    }

    @Test
    void whoIsInterruptedWhileWaitingNeverBegins() throws InterruptedException {
        CountDownLatch began = new CountDownLatch(1);
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread waiting = new Thread(() -> {
            try {
                DeviceLock.whileAloneOn(device, () -> {
                    began.countDown();
                    return null;
                });
            } catch (InterruptedException e) {
                thrown.complete(e);
            }
        });

        DeviceLock.whileAloneOn(device, () -> {
            waiting.start();
            waiting.interrupt();
            return thrown.join();
        });

        assertThat(thrown).isCompletedWithValueMatching(InterruptedException.class::isInstance);
        assertThat(began.getCount()).isOne();
    }

    private static void alone(String device, Runnable work) {
        try {
            DeviceLock.whileAloneOn(device, () -> {
                work.run();
                return null;
            });
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void call(Method whileAloneOn, String device, Supplier<?> work) {
        try {
            whileAloneOn.invoke(null, device, work);
        } catch (IllegalAccessException | InvocationTargetException e) {
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

    /** Defines the lock anew instead of asking its parent. */
    private static final class OwnCopy extends ClassLoader {

        private OwnCopy() {
            super(DeviceLockTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(DeviceLock.class.getName())) {
                return super.loadClass(name, resolve);
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
