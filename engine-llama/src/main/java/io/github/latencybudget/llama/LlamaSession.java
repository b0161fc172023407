package io.github.latencybudget.llama;

import io.github.latencybudget.device.Host;
import io.github.latencybudget.device.Nvml;
import io.github.latencybudget.inference.Conversation;
import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.TargetDescription;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.inference.Turn;
import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.Sampling;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/** An open Llama model. Whatever threads use it, its scheduler's thread alone works with the engine. */
final class LlamaSession implements TargetSession {

    private final LlamaProgram program;
    private final LlamaConfig config;
    private final TargetDescription description;
    private final Prompts prompts;
    private final MemoryNeed memory;
    private final OutputEnd end;
    private final KvMode kvMode;
    private final KvCaches caches;
    private final Scheduler scheduler;

    LlamaSession(
            LlamaProgram program,
            Decoding decoding,
            LlamaConfig config,
            TargetDescription description,
            Prompts prompts,
            MemoryNeed memory,
            OutputEnd end) {
        this.program = program;
        this.config = config;
        this.description = description;
        this.prompts = prompts;
        this.memory = memory;
        this.end = end;
        this.kvMode = memory.options().kvMode();
        this.caches = new KvCaches(program, memory);
        this.scheduler = new Scheduler(config.name(), decoding, caches::taken);
    }

    LlamaConfig config() {
        return config;
    }

    /** With what is known of the KV caches by now. */
    @Override
    public TargetDescription description() {
        SortedMap<String, String> details = new TreeMap<>(description.details());
        details.put("kv cache", kvMode.toString());
        details.put("kv cache" + TargetDescription.SO_FAR, caches.description());
        return new TargetDescription(
                description.model(),
                description.weights(),
                description.dtype(),
                description.device(),
                description.deviceKey(),
                description.contextTokens(),
                description.settings(),
                details);
    }

    @Override
    public int maxConcurrency() {
        return KvCaches.MOST;
    }

    @Override
    public List<EngineStep> takeSteps() {
        return onEngine(0, scheduler::takeSteps);
    }

    @Override
    public Generation prepare(GenerationRequest request) {
        return new LlamaGeneration(this, sequence(request, false), request.promptNumber(), id -> {});
    }

    @Override
    public Conversation converse() {
        return new LlamaConversation(this::prepare, prompts, end.texts(config.bos()));
    }

    private Generation prepare(long[] prompt, Turn turn, LongConsumer token) {
        GenerationRequest request = new GenerationRequest(
                prompt.length, turn.outputTokens(), turn.ignoreEos(), turn.sampling(), turn.promptNumber());
        Optional<String> tooLong = tooLong(request);
        return tooLong.isPresent()
                ? new TooLong(prompt.length, tooLong.get())
                : new LlamaGeneration(this, sequence(request, prompt, false), turn.promptNumber(), token);
    }

    /** @param watched whether what the program holds is looked at after every token */
    private Sequence sequence(GenerationRequest request, boolean watched) {
        requireRoom(request);
        return sequence(request, prompts.prompt(request.promptTokens(), request.promptNumber()), watched);
    }

    private void requireRoom(GenerationRequest request) {
        int prompt = request.promptTokens();
        int output = request.outputTokens();
        if (prompt < 1) {
            throw new MeasurementException(String.format(
                    Locale.ROOT, "a prompt of %d tokens cannot be made: it has at least 1, the BOS token", prompt));
        }
        if (output < 1) {
            throw new MeasurementException(String.format(
                    Locale.ROOT, "an output of %d tokens cannot be generated: ask for at least 1", output));
        }
        tooLong(request).ifPresent(why -> {
            throw new MeasurementException(why);
        });
    }

    private Optional<String> tooLong(GenerationRequest request) {
        int prompt = request.promptTokens();
        int output = request.outputTokens();
        return (long) prompt + output > config.context()
                ? Optional.of(String.format(
                        Locale.ROOT,
                        "a prompt of %d and an output of %d tokens exceed the context of %s, %d tokens: ask for less",
                        prompt,
                        output,
                        config.name(),
                        config.context()))
                : Optional.empty();
    }

    private Sequence sequence(GenerationRequest request, long[] ids, boolean watched) {
        requireRoom(request);
        StopCondition stop = end.of(request, ids);
        return open(
                ids,
                watched ? stop.lookingAtTokens() : stop,
                Draws.of(request.sampling(), request.outputTokens(), request.promptNumber()));
    }

    private Sequence open(long[] prompt, StopCondition stop, Draws draws) {
        int tokens = prompt.length + stop.outputTokens();
        boolean cached = kvMode.isCached(prompt.length);
        return onEngine(
                tokens,
                () -> scheduler.call(() -> {
                    int slot = caches.take(cached ? tokens : 0, scheduler.isIdle());
                    boolean opened = false;
                    try {
                        scheduler.decoding().prepare(caches.taken());
                        if (draws.sampling().repetitionPenalty() != 1) {
                            program.penalise(slot, prompt);
                        }
                        opened = true;
                        return new Sequence(slot, cached, prompt, stop, draws);
                    } finally {
                        if (!opened) {
                            caches.giveBack(slot);
                        }
                    }
                }));
    }

    void run(Sequence sequence, long number, LongConsumer token) throws InterruptedException {
        int tokens = sequence.size();
        try {
            scheduler.run(sequence, Math.toIntExact(number), token);
        } catch (OutOfMemoryFailure | EngineFailure e) {
            throw explained(tokens, e);
        } finally {
            giveBack(sequence);
        }
    }

    void giveBack(Sequence sequence) {
        scheduler.later(() -> caches.giveBack(sequence.slot()));
    }

    /** Generates from a prompt of ids and tells of every output id. */
    void generate(long[] prompt, StopCondition stop, Draws draws, LongConsumer token) {
        try {
            run(open(prompt, stop, draws), 0, token);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MeasurementException(
                    String.format(Locale.ROOT, "interrupted while %s generated", config.name()), e);
        }
    }

    /** The same, greedily. */
    void generate(long[] prompt, StopCondition stop, LongConsumer token) {
        generate(prompt, stop, Draws.of(Sampling.GREEDY, stop.outputTokens(), 0), token);
    }

    /**
     * Generates with a new KV cache, or without one where the options say so.
     *
     * @param state told what the program holds before the first step and after every one
     */
    void watch(GenerationRequest request, Consumer<KvCacheState> state) throws InterruptedException {
        onEngine(
                0,
                () -> scheduler.call(() -> {
                    caches.forget();
                    return caches;
                }));
        Sequence sequence = sequence(request, true);
        int slot = sequence.slot();
        state.accept(onEngine(0, () -> scheduler.call(() -> program.cacheState(slot))));
        run(sequence, request.promptNumber(), id -> state.accept(program.cacheState(slot)));
    }

    /** Decodes in another way from now on. */
    void decodeBy(Function<LlamaProgram, Decoding> way) {
        onEngine(
                0,
                () -> scheduler.call(() -> {
                    scheduler.decodeBy(way.apply(program));
                    return way;
                }));
    }

    /** {@return the logits after every token of a prompt, row by row, {@code ids.length} times the vocabulary} */
    float[] logits(long[] ids) {
        return withCache(0, slot -> program.logits(ids, slot, 0));
    }

    /** {@return the logits after the last token of a prompt that is fed token by token, as decoding does} */
    float[] logitsStepByStep(long[] ids) {
        return withCache(ids.length, slot -> {
            scheduler.decoding().prepare(1);
            float[] logits = {};
            for (int i = 0; i < ids.length; i++) {
                logits = scheduler.decoding().logits(slot, ids[i], i);
            }
            return logits;
        });
    }

    private <T> T withCache(int tokens, Function<Integer, T> work) {
        return onEngine(
                tokens,
                () -> scheduler.call(() -> {
                    int slot = caches.take(tokens, scheduler.isIdle());
                    try {
                        return work.apply(slot);
                    } finally {
                        caches.giveBack(slot);
                    }
                }));
    }

    private <T> T onEngine(int tokens, Supplier<T> work) {
        try {
            return work.get();
        } catch (OutOfMemoryFailure | EngineFailure e) {
            throw explained(tokens, e);
        }
    }

    private MeasurementException explained(int tokens, RuntimeException e) {
        if (e instanceof OutOfMemoryFailure) {
            MeasurementException failure = memory.tooLittle(tokens, e);
            scheduler.later(caches::trim);
            return failure;
        }
        return new MeasurementException(
                String.format(
                        Locale.ROOT,
                        "the engine failed on %s (%s): run again, and report it if it stays",
                        description.deviceKey(),
                        e.getMessage()),
                e);
    }

    @Override
    public OptionalLong deviceMemoryBytes() {
        return description.deviceKey().equals("cpu")
                ? Host.residentBytes()
                : memory.gpu().map(Nvml::usedBytes).orElse(OptionalLong.empty());
    }

    @Override
    public void close() {
        if (scheduler.end()) {
            program.close();
            end.close();
        }
    }
}
