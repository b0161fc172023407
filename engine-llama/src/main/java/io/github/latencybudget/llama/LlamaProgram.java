package io.github.latencybudget.llama;

import ai.djl.Device;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.jni.IValue;
import ai.djl.pytorch.jni.JniUtils;
import io.github.latencybudget.trace.Sampling;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

/**
 * The program of the {@code .torchscript} files inside the engine. Its weights are given once, in the order of {@link Matrix#of};
 * then it generates. Not for two threads at once. It runs on whatever device its matrices were allocated on.
 */
final class LlamaProgram implements AutoCloseable {

    /** The engine has one random generator; whoever seeds it must not be disturbed until the numbers are drawn. */
    private static final Object RANDOM = new Object();

    private static final List<String> TEXTS = List.of(
            "llama.torchscript", "llama-steps.torchscript", "llama-rows.torchscript", "llama-sampling.torchscript");

    private final Script script;

    private LlamaProgram(Script script) {
        this.script = script;
    }

    /** @param jitOptimizer whether TorchScript may rewrite the program for the shapes that it sees, in its first runs */
    static LlamaProgram load(boolean jitOptimizer) {
        return new LlamaProgram(Script.load(TEXTS, jitOptimizer));
    }

    /** {@return the parts of a step of prompts} */
    PromptRows promptRows() {
        return new PromptRows(script);
    }

    /**
     * Adds a matrix without numbers.
     *
     * @param quantization how it is kept
     * @return the device that it is really on, such as {@code cuda:0}
     */
    String allocate(int rows, int columns, Dtype dtype, Quantization quantization, String device) {
        try (IValue matrix = script.call(
                        "allocate",
                        IValue.from((long) rows),
                        IValue.from((long) columns),
                        IValue.from((long) dtype.torch()),
                        IValue.from(device),
                        IValue.from((long) quantization.bits()),
                        IValue.from((long) quantization.groupOf(columns)));
                PtNDArray array = matrix.toTensor(script.manager())) {
            Device real = array.getDevice();
            return real.isGpu() ? "cuda:" + real.getDeviceId() : real.getDeviceType();
        }
    }

    void fill(int index, double value) {
        script.run("fill", IValue.from((long) index), IValue.from(value));
    }

    void randomize(int index, double deviation, long seed) {
        synchronized (RANDOM) {
            JniUtils.setSeed(seed);
            script.run("randomize", IValue.from((long) index), IValue.from(deviation));
        }
    }

    /**
     * Copies rows into a matrix and converts them to its type.
     *
     * @param raw a direct buffer with whole rows of numbers of the type {@code dtype}; not used after the call
     */
    void put(int index, int row, ByteBuffer raw, Dtype dtype) {
        // the engine ignores a buffer's position
        ByteBuffer bytes = raw.slice();
        try (PtNDArray array = script.manager().create(bytes, new Shape(bytes.remaining()), DataType.UINT8)) {
            script.run("put", IValue.from((long) index), IValue.from((long) row), IValue.from(array), IValue.from((long)
                    dtype.torch()));
        }
        Reference.reachabilityFence(raw);
    }

    /** Ends the giving of weights. */
    void arrange(LlamaConfig config) {
        script.run(
                "arrange",
                IValue.from((long) config.layers()),
                IValue.from((long) config.heads()),
                IValue.from((long) config.kvHeads()),
                IValue.from((long) config.headDim()),
                IValue.from(config.epsilon()),
                IValue.listFrom(doubles(config.ropeFrequencies())),
                IValue.from((long) config.context()));
    }

    /** {@return the root mean square of what quantising lost, over that of the weights; 0 where nothing is quantised} */
    double quantizationError() {
        try (IValue error = script.call("quantization_error")) {
            return error.toDouble();
        }
    }

    private static double[] doubles(float[] values) {
        return IntStream.range(0, values.length).mapToDouble(i -> values[i]).toArray();
    }

    /** Gives a sequence a slot, with zeros as a KV cache for so many tokens, or without one for 0. */
    void open(int slot, int tokens) {
        script.run("open", IValue.from((long) slot), IValue.from((long) tokens));
    }

    /** Gives up what belongs to a slot. */
    void close(int slot) {
        script.run("close", IValue.from((long) slot));
    }

    /** Gives back whatever memory of the device the engine keeps for later. */
    void trim() {
        JniUtils.emptyCudaCache();
    }

    /** Runs one step of some sequences; on a GPU it returns before the device is done. */
    void forward(StepRows rows) {
        script.run("forward", rows.places(IValue.listFrom(rows.ids())));
    }

    /** Waits for the device. {@return the most probable next token of the only sequence of the latest step} */
    long best() {
        return script.run("best");
    }

    /** Waits for the device. {@return the most probable next token of every sequence of the latest step} */
    long[] bests() {
        return script.longs(script.call("bests"));
    }

    /** The tokens of a prompt count for the repetition penalty of a sequence. */
    void penalise(int slot, long[] ids) {
        script.run("penalise", IValue.from((long) slot), IValue.listFrom(ids));
    }

    /**
     * Draws the next tokens of some of the sequences of the latest step. Waits for the device.
     *
     * @param outside whether the logits are those of {@link #roomForLogits}
     * @param rows which of the sequences
     * @param sampling how their tokens are drawn
     */
    long[] drawNext(boolean outside, List<Integer> rows, List<Sequence> sequences, Sampling sampling) {
        return script.longs(script.call(
                "draw_next",
                sampled(
                        sampling,
                        IValue.from(outside),
                        IValue.listFrom(rows.stream().mapToLong(r -> r).toArray()),
                        list(rows, r -> sequences.get(r).slot()),
                        list(rows, r -> sequences.get(r).number()))));
    }

    private static IValue list(List<Integer> rows, IntToLongFunction value) {
        return IValue.listFrom(rows.stream().mapToLong(value::applyAsLong).toArray());
    }

    /** Adds to the arguments of a method how it draws. */
    private static IValue[] sampled(Sampling sampling, IValue... before) {
        IValue[] arguments = Arrays.copyOf(before, before.length + 4);
        // The most probable token after a repetition penalty is what is drawn from the first one alone.
        arguments[before.length] = IValue.from(sampling.isDrawn() ? sampling.temperature() : 1);
        arguments[before.length + 1] = IValue.from(sampling.isDrawn() ? (long) sampling.topK() : 1L);
        arguments[before.length + 2] = IValue.from(sampling.topP());
        arguments[before.length + 3] = IValue.from(sampling.repetitionPenalty());
        return arguments;
    }

    /** {@return where float32 logits, [slots, vocabulary], can be written for {@link #drawNext}} */
    long roomForLogits(int slots) {
        return script.address("room_for_logits", IValue.from((long) slots));
    }

    /** {@return where a matrix is on its device, row by row} */
    long address(int index) {
        return script.address("matrix", IValue.from((long) index));
    }

    /** {@return where the scales of a quantised matrix are on its device, [rows][groups]} */
    long scaleAddress(int index) {
        return script.address("scale", IValue.from((long) index));
    }

    /**
     * {@return where the KV cache of a slot has a layer, [tokens][2 * kvHeads][headDim], keys before values, the next layer right
     * behind; until it is given up}
     */
    long cacheAddress(int slot, int layer) {
        return script.address("cache_of", IValue.from((long) slot), IValue.from((long) layer));
    }

    /** Waits for the device. {@return what the program really holds of the KV cache of a slot} */
    KvCacheState cacheState(int slot) {
        return KvCacheState.of(script.longs(script.call("cache_state", IValue.from((long) slot))));
    }

    /** {@return the probability of each id for given logits, after the given ids} */
    float[] probabilities(Sampling sampling, double[] logits, long[] ids) {
        return script.floats(
                script.call("probabilities", sampled(sampling, IValue.listFrom(logits), IValue.listFrom(ids))));
    }

    /** {@return the id that each of the numbers draws for given logits, after the given ids} */
    long[] drawnIds(Draws draws, double[] logits, long[] ids) {
        return script.longs(script.call(
                "drawn_ids",
                sampled(
                        draws.sampling(),
                        IValue.listFrom(logits),
                        IValue.listFrom(ids),
                        IValue.listFrom(draws.numbers()))));
    }

    /** {@return the logits after each of some tokens from the place {@code start} on, row by row: {@code ids.length} times the vocabulary} */
    float[] logits(long[] ids, int slot, int start) {
        return script.floats(
                script.call("logits", IValue.listFrom(ids), IValue.from((long) slot), IValue.from((long) start)));
    }

    @Override
    public void close() {
        script.close();
    }
}
