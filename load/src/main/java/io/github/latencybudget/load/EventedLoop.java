package io.github.latencybudget.load;

import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.trace.TokenTrace;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A closed loop on a target that needs no thread per request. The caller's thread takes what came of each request; the target's own
 * thread, which reads for all others, only hands it over.
 */
final class EventedLoop implements ClosedLoop {

    private final Sending sending;
    private final int concurrency;

    EventedLoop(Sending sending, int concurrency) {
        this.sending = sending;
        this.concurrency = concurrency;
    }

    @Override
    public void run(Supplier<Optional<Request>> next, EndedRequests ended) {
        try (Preparers preparers = new Preparers(concurrency)) {
            new Round(next, preparers, ended).run();
        }
    }

    /** The end of a request: with a trace, or with what broke when it was prepared. */
    private record End(
            Request request,
            @Nullable TokenTrace trace,
            @Nullable Throwable thrown) {}

    private final class Round {

        private final Supplier<Optional<Request>> next;
        private final Preparers preparers;
        private final BlockingQueue<End> ends = new LinkedBlockingQueue<>();
        private final Set<Sending.Sent> inFlight = ConcurrentHashMap.newKeySet();
        private final Set<Request> thinking = ConcurrentHashMap.newKeySet();
        private final Map<Request, Generation> waiting = new ConcurrentHashMap<>();
        private final EndedRequests ended;
        private @Nullable Throwable broken;
        private boolean isInterrupted;
        private volatile boolean isStopped;
        private int open;

        Round(Supplier<Optional<Request>> next, Preparers preparers, EndedRequests ended) {
            this.next = next;
            this.preparers = preparers;
            this.ended = ended;
        }

        void run() {
            boolean isMore = true;
            while (isMore && open < concurrency) {
                isMore = begin();
            }
            while (open > 0) {
                take();
            }
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
            if (broken != null) {
                throw Broken.unchecked(broken);
            }
        }

        private boolean begin() {
            try {
                Optional<Request> request = isStopped ? Optional.empty() : next.get();
                request.ifPresent(this::begin);
                return request.isPresent();
            } catch (RuntimeException | Error e) {
                breakOff(e);
                return false;
            }
        }

        private void begin(Request request) {
            if (request.thinkNanos() == 0) {
                preparers.execute(() -> send(request));
            } else {
                think(request);
            }
            // Only now, for an end is waited for.
            open++;
        }

        private void think(Request request) {
            thinking.add(request);
            CompletableFuture.delayedExecutor(request.thinkNanos(), TimeUnit.NANOSECONDS)
                    .execute(() -> {
                        if (thinking.remove(request)) {
                            preparers.execute(() -> send(request));
                        }
                    });
        }

        private void send(Request request) {
            try {
                if (isStopped) {
                    ends.add(new End(request, null, null));
                    return;
                }
                Generation generation = request.generation().get();
                CompletableFuture<@Nullable Void> ready = generation.ready();
                if (ready.isDone()) {
                    send(request, generation);
                    return;
                }
                waiting.put(request, generation);
                ready.whenComplete((nothing, thrown) -> {
                    // The thread that reads has to tell the arrivals of others.
                    if (waiting.remove(request) != null) {
                        preparers.execute(() -> send(request, generation));
                    }
                });
                if (isStopped) {
                    callOffWaiting();
                }
            } catch (Throwable e) {
                ends.add(new End(request, null, e));
            }
        }

        private void send(Request request, Generation generation) {
            try {
                if (isStopped) {
                    generation.discard();
                    ends.add(new End(request, null, null));
                    return;
                }
                request.started().run();
                Sending.Sent sent = sending.start(generation, request, OptionalLong.empty());
                inFlight.add(sent);
                sent.trace().thenAccept(trace -> {
                    inFlight.remove(sent);
                    ended.add(trace);
                    ends.add(new End(request, trace, null));
                });
                if (isStopped) {
                    sent.done().cancel(true);
                }
            } catch (Throwable e) {
                ends.add(new End(request, null, e));
            }
        }

        private void take() {
            try {
                End end = ends.take();
                open--;
                if (end.trace() != null) {
                    tell(end.request(), end.trace());
                } else if (end.thrown() != null && !isStopped) {
                    // Who is called off while it makes a request has broken nothing.
                    breakOff(end.thrown());
                }
                begin();
            } catch (InterruptedException e) {
                isInterrupted = true;
                stop();
            }
        }

        private void tell(Request request, TokenTrace trace) {
            try {
                request.ended().accept(trace);
            } catch (RuntimeException | Error e) {
                breakOff(e);
            }
        }

        /** Nothing begins any more, and what has begun is waited for. */
        private void breakOff(Throwable thrown) {
            broken = broken == null ? thrown : broken;
            stop();
        }

        private void stop() {
            isStopped = true;
            preparers.callOff();
            for (Request request : thinking) {
                if (thinking.remove(request)) {
                    ends.add(new End(request, null, null));
                }
            }
            callOffWaiting();
            inFlight.forEach(sent -> sent.done().cancel(true));
        }

        private void callOffWaiting() {
            waiting.forEach((request, generation) -> {
                if (waiting.remove(request, generation)) {
                    generation.discard();
                    ends.add(new End(request, null, null));
                }
            });
        }
    }
}
