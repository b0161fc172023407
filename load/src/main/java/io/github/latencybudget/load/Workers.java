package io.github.latencybudget.load;

import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.trace.TokenRecorder;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Keeps as many requests in flight as there are workers: each runs one request after the other with a recorder of its own. A
 * single worker is the caller's thread, several have a thread each.
 */
final class Workers implements ClosedLoop {

    private final Sending sending;
    private final List<TokenRecorder> recorders;

    /** @param recorders one per worker */
    Workers(Sending sending, List<TokenRecorder> recorders) {
        this.sending = sending;
        this.recorders = List.copyOf(recorders);
    }

    @Override
    public void run(Supplier<Optional<Request>> next, EndedRequests ended) {
        Round round = new Round(sending, next, ended);
        if (recorders.size() == 1) {
            round.work(recorders.get(0));
        } else {
            round.workOnThreads(recorders);
        }
        round.requireUnbroken();
    }

    private static final class Round {

        private final Sending sending;
        private final Supplier<Optional<Request>> next;
        private final EndedRequests ended;
        private final AtomicReference<Throwable> broken = new AtomicReference<>();
        private final CountDownLatch stopped = new CountDownLatch(1);
        private volatile boolean isStopped;
        private volatile boolean isCallerInterrupted;

        private Round(Sending sending, Supplier<Optional<Request>> next, EndedRequests ended) {
            this.sending = sending;
            this.next = next;
            this.ended = ended;
        }

        private void work(TokenRecorder recorder) {
            try {
                Optional<Request> request = next.get();
                while (request.isPresent() && !isStopped && hasThought(request.get())) {
                    run(request.get(), recorder);
                    if (Thread.currentThread().isInterrupted()) {
                        stop();
                    }
                    request = isStopped ? Optional.empty() : next.get();
                }
            } catch (Throwable e) {
                stop();
                // Who is called off while it makes a request has broken nothing.
                if (!isCallerInterrupted) {
                    broken.compareAndSet(null, e);
                }
            }
        }

        private void stop() {
            isStopped = true;
            stopped.countDown();
        }

        /** {@return whether it was left to think for as long} */
        private boolean hasThought(Request request) {
            try {
                return request.thinkNanos() == 0 || !stopped.await(request.thinkNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                stop();
                return false;
            }
        }

        private void run(Request request, TokenRecorder recorder) {
            Generation generation = request.generation().get();
            awaitReady(generation);
            request.started().run();
            TokenTrace trace = sending.run(generation, request, recorder);
            // First of all: whoever is told may break the run, and what was measured stays.
            ended.add(trace);
            request.ended().accept(trace);
        }

        private static void awaitReady(Generation generation) {
            try {
                generation.ready().get();
            } catch (InterruptedException e) {
                generation.discard();
                Thread.currentThread().interrupt();
                throw new MeasurementException("interrupted while a request waited for its connection", e);
            } catch (ExecutionException e) {
                // What could not be had is for the request to tell.
            }
        }

        private void workOnThreads(List<TokenRecorder> recorders) {
            List<Thread> threads = new ArrayList<>();
            for (TokenRecorder recorder : recorders) {
                Thread thread = new Thread(() -> work(recorder), "latency-budget request " + (threads.size() + 1));
                thread.setDaemon(true);
                try {
                    thread.start();
                } catch (OutOfMemoryError e) {
                    stop();
                    broken.compareAndSet(null, tooManyThreads(threads.size(), recorders.size(), e));
                    break;
                }
                threads.add(thread);
            }
            threads.forEach(t -> await(t, threads));
            if (isCallerInterrupted) {
                Thread.currentThread().interrupt();
            }
        }

        private void await(Thread thread, List<Thread> threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    isCallerInterrupted = true;
                    stop();
                    threads.forEach(Thread::interrupt);
                }
            }
        }

        private static MeasurementException tooManyThreads(int started, int asked, OutOfMemoryError e) {
            return new MeasurementException(
                    String.format(
                            Locale.ROOT,
                            "concurrency = %d: only %d threads could be started (%s); ask for fewer requests in flight, or allow the JVM more threads",
                            asked,
                            started,
                            e.getMessage()),
                    e);
        }

        private void requireUnbroken() {
            Throwable thrown = broken.get();
            if (thrown != null) {
                throw Broken.unchecked(thrown);
            }
        }
    }
}
