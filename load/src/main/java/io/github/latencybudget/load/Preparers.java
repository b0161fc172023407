package io.github.latencybudget.load;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The few threads that make requests ready while others are in flight: a prompt takes time to make, a connection a round trip. */
final class Preparers implements Executor, AutoCloseable {

    private static final int MOST_THREADS = 16;
    private static final long MOST_SECONDS_TO_END = 5;

    private final ExecutorService threads;

    /** @param most how many requests may be made ready at a time */
    Preparers(int most) {
        int size = Math.min(MOST_THREADS, most);
        threads = new ThreadPoolExecutor(
                size,
                size,
                0,
                TimeUnit.NANOSECONDS,
                new LinkedBlockingQueue<>(),
                Preparers::thread,
                (work, pool) -> work.run());
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "latency-budget preparing");
        thread.setDaemon(true);
        return thread;
    }

    /** After {@link #callOff} by whoever asks, for it to find that it is called off: nobody may wait for what is never done. */
    @Override
    public void execute(Runnable work) {
        threads.execute(work);
    }

    /** Interrupts whoever still prepares, and does the work that has not begun here, for it to find that it is called off. */
    void callOff() {
        threads.shutdownNow().forEach(Runnable::run);
    }

    @Override
    public void close() {
        boolean isInterrupted = Thread.interrupted();
        callOff();
        try {
            threads.awaitTermination(MOST_SECONDS_TO_END, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            isInterrupted = true;
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
