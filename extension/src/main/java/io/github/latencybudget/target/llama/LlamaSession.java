package io.github.latencybudget.target.llama;

import io.github.latencybudget.device.Host;
import io.github.latencybudget.device.Nvml;
import io.github.latencybudget.target.Generation;
import io.github.latencybudget.target.GenerationRequest;
import io.github.latencybudget.target.MeasurementException;
import io.github.latencybudget.target.TargetDescription;
import io.github.latencybudget.target.TargetSession;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenSink;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * An open Llama model. The KV cache has room for prompt and output of the largest request prepared so far, so that one that
 * was prepared before stays valid, and gates of one length allocate once.
 */
final class LlamaSession implements TargetSession {

    private final ReentrantLock exclusive = new ReentrantLock();
    private final LlamaProgram program;
    private final LlamaConfig config;
    private final TargetDescription description;
    private final Prompts prompts;
    private final MemoryNeed memory;
    private Decoding decoding;
    private final OutputEnd end;
    private Optional<Draws> ready = Optional.empty();
    private boolean closed;

    LlamaSession(
            LlamaProgram program,
            Decoding decoding,
            LlamaConfig config,
            TargetDescription description,
            Prompts prompts,
            MemoryNeed memory,
            OutputEnd end) {
        this.program = program;
        this.decoding = decoding;
        this.config = config;
        this.description = description;
        this.prompts = prompts;
        this.memory = memory;
        this.end = end;
    }

    @Override
    public TargetDescription description() {
        return description;
    }

    @Override
    public Generation prepare(GenerationRequest request) {
        int prompt = request.promptTokens();
        int output = request.outputTokens();
        if (prompt < 1) {
            throw new MeasurementException(
                    "a prompt of %d tokens cannot be made: it has at least 1, the BOS token".formatted(prompt));
        }
        if (output < 1) {
            throw new MeasurementException(
                    "an output of %d tokens cannot be generated: ask for at least 1".formatted(output));
        }
        if ((long) prompt + output > config.context()) {
            throw new MeasurementException(
                    "a prompt of %d and an output of %d tokens exceed the context of %s, %d tokens: ask for less"
                            .formatted(prompt, output, config.name(), config.context()));
        }
        long[] ids = prompts.prompt(prompt, request.promptNumber());
        makeRoom(prompt + output);
        exclusively(prompt + output, () -> {
            decoding.prepare(prompt, output);
            return output;
        });
        DecodeLoop loop = end.of(request, ids);
        if (request.sampling().equals(Sampling.GREEDY)) {
            return new LlamaGeneration(this, ids, loop);
        }
        return new DrawnGeneration(this, draws(request.sampling(), ids, output, request.promptNumber()), loop);
    }

    /** Makes the KV cache large enough. On failure there is none, and the next request starts from nothing. */
    void makeRoom(int tokens) {
        exclusively(tokens, () -> {
            if (tokens > program.cacheTokens()) {
                giveUpCache();
                memory.checkCache(tokens);
                program.reserve(tokens);
            }
            return tokens;
        });
    }

    private void giveUpCache() {
        decoding.forget();
        program.release();
    }

    /** Generates from a prompt of ids that {@link #prepare} has made room for, and tells of every output id. */
    void generate(long[] ids, DecodeLoop loop, LongConsumer token) {
        int tokens = ids.length + loop.outputTokens();
        exclusively(tokens, () -> {
            requireRoom(tokens);
            decoding.begin(ids, loop.outputTokens());
            loop.run(decoding, token);
            return tokens;
        });
    }

    /** {@return how long the device worked for each token of the latest request, see {@link Decoding#deviceMs}} */
    double[] deviceMs() {
        return exclusively(0, decoding::deviceMs);
    }

    /** Decodes in another way from now on. */
    void decodeBy(Function<LlamaProgram, Decoding> way) {
        exclusively(0, () -> {
            giveUpCache();
            Decoding next = way.apply(program);
            decoding.close();
            decoding = next;
            return decoding;
        });
    }

    private void requireRoom(int tokens) {
        if (tokens > program.cacheTokens()) {
            throw new MeasurementException(
                    "the KV cache of this request was given up when memory ran out: prepare the request again");
        }
    }

    /** Makes the random numbers of a request and brings them to the device, so that its time does not contain that. */
    Draws draws(Sampling sampling, long[] ids, int outputTokens, long promptNumber) {
        Draws draws = new Draws(program, sampling, ids, outputTokens, promptNumber);
        return exclusively(draws.tokens(), () -> {
            draws.bring();
            ready = Optional.of(draws);
            return draws;
        });
    }

    /** Generates with tokens that are drawn, as {@link #generate(long[], DecodeLoop, LongConsumer)} does without; on every device by the program's own operations, one after the other. */
    void generate(Draws draws, DecodeLoop loop, LongConsumer token) {
        exclusively(draws.tokens(), () -> {
            requireRoom(draws.tokens());
            // Another request may have been prepared since, and a run uses up what was brought for it.
            if (!ready.equals(Optional.of(draws))) {
                draws.bring();
            }
            ready = Optional.empty();
            loop.run(draws, token);
            return draws;
        });
    }

    /** {@return the logits after every token of a prompt, row by row, {@code ids.length} times the vocabulary} */
    float[] logits(long[] ids) {
        makeRoom(ids.length);
        return exclusively(ids.length, () -> program.logits(ids));
    }

    /** {@return the logits after the last token of a prompt that is fed token by token, as decoding does} */
    float[] logitsStepByStep(long[] ids) {
        makeRoom(ids.length);
        return exclusively(ids.length, () -> {
            float[] logits = {};
            for (int i = 0; i < ids.length; i++) {
                logits = decoding.logits(ids[i], i);
            }
            return logits;
        });
    }

    /** The engine's state belongs to one request at a time; a second one is refused, for waiting would be measured. */
    private <T> T exclusively(int tokens, Supplier<T> work) {
        if (!exclusive.tryLock()) {
            throw new MeasurementException(
                    "%s is generating for another request: this target takes one at a time, so use a concurrency of 1"
                            .formatted(config.name()));
        }
        try {
            if (closed) {
                throw new MeasurementException("the session of %s is closed: open it again".formatted(config.name()));
            }
            return work.get();
        } catch (OutOfMemoryFailure e) {
            MeasurementException failure = memory.tooLittle(tokens, e);
            giveUpCache();
            throw failure;
        } catch (EngineFailure e) {
            throw new MeasurementException(
                    "the engine failed on %s (%s): run again, and report it if it stays"
                            .formatted(description.deviceKey(), e.getMessage()),
                    e);
        } finally {
            exclusive.unlock();
        }
    }

    @Override
    public OptionalLong deviceMemoryBytes() {
        return description.deviceKey().equals("cpu")
                ? Host.residentBytes()
                : memory.gpu().map(Nvml::usedBytes).orElse(OptionalLong.empty());
    }

    @Override
    public void close() {
        exclusive.lock();
        try {
            if (!closed) {
                closed = true;
                decoding.close();
                program.close();
                end.close();
            }
        } finally {
            exclusive.unlock();
        }
    }

    /** A prompt and when its output ends. */
    private record LlamaGeneration(LlamaSession session, long[] ids, DecodeLoop loop) implements Generation {

        @Override
        public int promptTokens() {
            return ids.length;
        }

        @Override
        public void run(TokenSink sink) {
            session.generate(ids, loop, id -> sink.token());
        }
    }

    /** A prompt, how its tokens are drawn, and when its output ends. */
    private record DrawnGeneration(LlamaSession session, Draws draws, DecodeLoop loop) implements Generation {

        @Override
        public int promptTokens() {
            return draws.promptTokens();
        }

        @Override
        public void run(TokenSink sink) {
            session.generate(draws, loop, id -> sink.token());
        }
    }
}
