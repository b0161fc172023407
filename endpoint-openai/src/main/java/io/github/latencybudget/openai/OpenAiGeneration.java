package io.github.latencybudget.openai;

import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.TruncatedOutputException;
import io.github.latencybudget.trace.Exchange;
import io.github.latencybudget.trace.TokenSink;
import io.netty.handler.codec.http.FullHttpRequest;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A request that has its prompt, and has or will have its connection. */
final class OpenAiGeneration implements Generation {

    private final GenerationRequest request;
    private final FullHttpRequest httpRequest;
    private final CompletableFuture<Connections.Lease> lease;
    private final StreamedAnswer answer;
    private final Call call;
    private final Reading reading;
    private final Consumer<Optional<String>> answered;
    private final AtomicBoolean ran = new AtomicBoolean();

    /**
     * How answers are read.
     *
     * @param server which program answers
     * @param tokenizer counts the output where the server does not; empty for none
     * @param tellsCachedTokens whether what the server says of its cache is to be told
     * @param giveBack takes a connection that can be used again
     * @param another gives a connection in place of one that was closed while the request waited
     */
    record Reading(
            ServerKind server,
            Optional<Tokenizer> tokenizer,
            boolean tellsCachedTokens,
            Consumer<Connections.Lease> giveBack,
            Supplier<CompletableFuture<Connections.Lease>> another) {}

    /**
     * @param request with a prompt of 0 tokens where the server counts it
     * @param answered takes what was said in an answer that completed; empty where it was not kept, or cannot be known
     */
    OpenAiGeneration(
            GenerationRequest request,
            FullHttpRequest httpRequest,
            CompletableFuture<Connections.Lease> lease,
            StreamedAnswer answer,
            Call call,
            Reading reading,
            Consumer<Optional<String>> answered) {
        this.request = request;
        this.httpRequest = httpRequest;
        this.lease = lease;
        this.answer = answer;
        this.call = call;
        this.reading = reading;
        this.answered = answered;
    }

    @Override
    public int promptTokens() {
        return request.promptTokens();
    }

    @Override
    public CompletableFuture<@Nullable Void> ready() {
        return lease.handle((there, thrown) -> null);
    }

    @Override
    public void run(TokenSink sink) throws Exception {
        CompletableFuture<@Nullable Void> done = start(sink);
        try {
            done.get();
        } catch (InterruptedException e) {
            done.cancel(true);
            throw e;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    @Override
    public CompletableFuture<@Nullable Void> start(TokenSink sink) {
        if (ran.getAndSet(true)) {
            throw new IllegalStateException("a generation runs once: prepare the request again");
        }
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        CompletableFuture<Call.Ending> ending = call.send(lease, httpRequest, reading.another());
        ending.whenComplete((how, thrown) -> {
            if (how != null && how.isAtEnd()) {
                call.lease().ifPresent(reading.giveBack());
            }
            if (done.isDone()) {
                return;
            }
            try {
                tell(sink, how);
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        done.whenComplete((nothing, thrown) -> {
            if (done.isCancelled()) {
                call.cancel();
            }
        });
        return done;
    }

    @Override
    public void discard() {
        if (ran.getAndSet(true)) {
            throw new IllegalStateException("what has run cannot be discarded: its place is given back already");
        }
        httpRequest.release();
        lease.thenAccept(unused -> {
            reading.giveBack().accept(unused);
            if (unused.connection().isHttp2()) {
                unused.channel().close();
            }
        });
    }

    private void tell(TokenSink sink, Call.Ending how) throws Exception {
        if (call.lease().isEmpty()) {
            throw new RequestFailure(String.valueOf(how.reason()));
        }
        call.sentNanos().ifPresent(sink::sent);
        if (call.whole().isPresent()) {
            tellWhole(sink, call.whole().get());
            return;
        }
        TokenCounts counts = counts();
        StreamedAnswer.ChunkTimes chunks = answer.chunks();
        for (int i = 0; i < chunks.count(); i++) {
            int tokens = counts.isPerChunk() ? counts.perChunk()[i] : 1;
            if (tokens > 0) {
                sink.arrived(chunks.nanos(i), tokens, !chunks.isVisible(i));
            }
        }
        if (!counts.isPerChunk() && counts.total() > 0) {
            sink.allTokens(counts.total());
        }
        sink.exchange(exchange(counts.source(), answer.reasoningTokens()));
        if (how.reason() != null) {
            throw how.isTruncated() ? new TruncatedOutputException(how.reason()) : new RequestFailure(how.reason());
        }
        requireWholeOutput(counts);
        tellPrompt(sink, answer.promptTokens(), cachedTokens());
        answered.accept(answer.said());
    }

    /** What the model ended has a finish reason; [DONE] alone comes where the server ended it. */
    private void requireWholeOutput(TokenCounts counts) throws TruncatedOutputException {
        int came = counts.isPerChunk() ? Arrays.stream(counts.perChunk()).sum() : counts.total();
        if (request.ignoreEos() && !answer.isFinished() && came < request.outputTokens()) {
            throw new TruncatedOutputException(String.format(
                    Locale.ROOT,
                    "%s, for the server ended the stream with [DONE] and no finish reason; %s",
                    came == 0
                            ? "no token came"
                            : String.format(Locale.ROOT, "%d of %d output tokens came", came, request.outputTokens()),
                    reading.server().whyAStreamEndsEarly()));
        }
    }

    private void tellWhole(TokenSink sink, WholeAnswer whole) throws RequestFailure {
        OptionalInt counted =
                whole.completionTokens().isPresent() || reading.tokenizer().isEmpty()
                        ? whole.completionTokens()
                        : OptionalInt.of(reading.tokenizer().get().countOutput(whole.text()));
        if (counted.orElse(0) > 0) {
            sink.whole(call.endNanos().getAsLong(), counted.getAsInt());
        }
        sink.exchange(exchange(
                whole.completionTokens().isPresent() ? TokenSource.USAGE : TokenSource.RETOKENISED,
                whole.reasoningTokens()));
        if (counted.isEmpty()) {
            throw new RequestFailure(
                    "the answer was not streamed and has no usage.completion_tokens, so how many tokens came is not known; name the model's tokenizer.json by the option tokenizer");
        }
        tellPrompt(sink, whole.promptTokens(), whole.cachedTokens());
        answered.accept(whole.said());
    }

    private void tellPrompt(TokenSink sink, OptionalInt prompt, OptionalInt cached) throws RequestFailure {
        boolean isDeclared = request.promptTokens() > 0;
        if (!isDeclared && prompt.orElse(0) < 1) {
            throw new RequestFailure(
                    "the server does not say how many tokens its prompt has (no usage.prompt_tokens), and no limit could be bound to its length; have it send usage, or measure prompts of declared lengths");
        }
        if (isDeclared && prompt.isPresent() && prompt.getAsInt() != request.promptTokens()) {
            throw new RequestFailure(String.format(
                    Locale.ROOT,
                    "the server counts %d prompt tokens where %d are declared; name the model's tokenizer.json by the option tokenizer, or another prompt length",
                    prompt.getAsInt(),
                    request.promptTokens()));
        }
        if (!isDeclared) {
            sink.promptTokens(prompt.getAsInt());
        }
        if (reading.tellsCachedTokens() && cached.isPresent()) {
            sink.cachedPromptTokens(
                    Math.min(cached.getAsInt(), isDeclared ? request.promptTokens() : prompt.getAsInt()));
        }
    }

    private TokenCounts counts() {
        TokenCounts counts = answer.tokens();
        if (counts.source() != TokenSource.CHUNKS || counts.total() == 0) {
            return counts;
        }
        return reading.tokenizer()
                .flatMap(t -> answer.text().map(text -> t.countOutput(text)))
                .filter(total -> total > 0)
                .map(total -> TokenCounts.ofTotal(
                        TokenSource.RETOKENISED, answer.chunks().count(), total))
                .orElse(counts);
    }

    private OptionalInt cachedTokens() {
        if (answer.cachedTokens().isPresent()) {
            return answer.cachedTokens();
        }
        return answer.timings().get(Field.SERVER_CACHED_TOKENS).isPresent()
                ? OptionalInt.of(
                        (int) answer.timings().get(Field.SERVER_CACHED_TOKENS).getAsDouble())
                : OptionalInt.empty();
    }

    private Exchange exchange(TokenSource source, OptionalInt reasoning) {
        Connections.Lease over = call.lease().orElseThrow();
        return new Exchange(
                source.label(),
                reasoning.isPresent() ? reasoning.getAsInt() : null,
                answer.chunks().coalesced(),
                over.isReused(),
                over.connection().connectNanos() > 0 ? over.connection().connectNanos() : null,
                over.connection().tlsNanos() > 0 ? over.connection().tlsNanos() : null,
                call.sentNanos().isPresent() ? call.sentNanos().getAsLong() - call.startNanos() : null,
                since(call.headNanos()),
                since(answer.usageNanos()),
                since(answer.doneNanos()),
                since(call.endNanos()),
                ServerWords.of(reading.server(), answer.timings(), call.response()));
    }

    private @Nullable Long since(OptionalLong nanos) {
        return nanos.isPresent() ? nanos.getAsLong() - call.sentNanos().orElse(call.startNanos()) : null;
    }
}
