package io.github.latencybudget.target.llama;

import ai.djl.Device;
import ai.djl.MalformedModelException;
import ai.djl.Model;
import ai.djl.engine.EngineException;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.engine.PtSymbolBlock;
import ai.djl.pytorch.jni.IValue;
import ai.djl.pytorch.jni.IValueUtils;
import ai.djl.pytorch.jni.JniUtils;
import io.github.latencybudget.target.MeasurementException;
import io.github.latencybudget.trace.Sampling;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

/**
 * The program {@code llama.torchscript} inside the engine. Its weights are given once, in the order of {@link Matrix#of};
 * then it generates. Not for two threads at once. It runs on whatever device its matrices were allocated on.
 */
final class LlamaProgram implements AutoCloseable {

    /** The engine has one random generator; whoever seeds it must not be disturbed until the numbers are drawn. */
    private static final Object RANDOM = new Object();

    private final Model model;
    private final PtSymbolBlock block;
    private final boolean jitOptimizer;

    private LlamaProgram(Model model, boolean jitOptimizer) {
        this.model = model;
        this.block = (PtSymbolBlock) model.getBlock();
        this.jitOptimizer = jitOptimizer;
    }

    /** @param jitOptimizer whether TorchScript may rewrite the program for the shapes that it sees, in its first runs */
    static LlamaProgram load(boolean jitOptimizer) {
        Model model = Model.newInstance("llama", Device.cpu(), "PyTorch");
        try (InputStream text = LlamaProgram.class.getResourceAsStream("llama.torchscript")) {
            if (text == null) {
                throw new IllegalStateException("llama.torchscript is missing beside its class");
            }
            String program = new String(text.readAllBytes(), StandardCharsets.UTF_8);
            model.load(new ByteArrayInputStream(TorchScriptArchive.pack(program)), Map.of());
            // the engine made it for nothing, and would remove it with the end of the JVM, if that ends in peace
            Files.deleteIfExists(model.getModelPath());
            return new LlamaProgram(model, jitOptimizer);
        } catch (IOException e) {
            model.close();
            throw new UncheckedIOException(e);
        } catch (MalformedModelException | RuntimeException e) {
            model.close();
            throw new MeasurementException(
                    "this PyTorch cannot load the Llama program: use the PyTorch version that the project names", e);
        }
    }

    /**
     * Adds a matrix without numbers.
     *
     * @param quantization how it is kept
     * @return the device that it is really on, such as {@code cuda:0}
     */
    String allocate(int rows, int columns, Dtype dtype, Quantization quantization, String device) {
        try (IValue matrix = call(
                        "allocate",
                        IValue.from((long) rows),
                        IValue.from((long) columns),
                        IValue.from((long) dtype.torch()),
                        IValue.from(device),
                        IValue.from((long) quantization.bits()),
                        IValue.from((long) quantization.groupOf(columns)));
                PtNDArray array = matrix.toTensor(manager())) {
            Device real = array.getDevice();
            return real.isGpu() ? "cuda:" + real.getDeviceId() : real.getDeviceType();
        }
    }

    void fill(int index, double value) {
        run("fill", IValue.from((long) index), IValue.from(value));
    }

    void randomize(int index, double deviation, long seed) {
        synchronized (RANDOM) {
            JniUtils.setSeed(seed);
            run("randomize", IValue.from((long) index), IValue.from(deviation));
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
        try (PtNDArray array = manager().create(bytes, new Shape(bytes.remaining()), DataType.UINT8)) {
            run("put", IValue.from((long) index), IValue.from((long) row), IValue.from(array), IValue.from((long)
                    dtype.torch()));
        }
        Reference.reachabilityFence(raw);
    }

    /** Ends the giving of weights. */
    void arrange(LlamaConfig config) {
        run(
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
        try (IValue error = call("quantization_error")) {
            return error.toDouble();
        }
    }

    private static double[] doubles(float[] values) {
        return IntStream.range(0, values.length).mapToDouble(i -> values[i]).toArray();
    }

    /** Gives a sequence a slot, with zeros as a KV cache for so many tokens, or without one for 0. */
    void open(int slot, int tokens) {
        run("open", IValue.from((long) slot), IValue.from((long) tokens));
    }

    /** Gives up what belongs to a slot. */
    void close(int slot) {
        run("close", IValue.from((long) slot));
    }

    /** Gives back whatever memory of the device the engine keeps for later. */
    void trim() {
        JniUtils.emptyCudaCache();
    }

    /**
     * The rows of a step, one sequence after the other.
     *
     * @param ids the new tokens of all sequences
     * @param slots of the sequences
     * @param starts the place of the first new token of each, counted from 0
     * @param counts how many new tokens each has
     */
    record Rows(long[] ids, long[] slots, long[] starts, long[] counts) {

        static Rows of(List<Sequence> sequences) {
            long[][] next = sequences.stream().map(Sequence::next).toArray(long[][]::new);
            return new Rows(
                    next.length == 1
                            ? next[0]
                            : Arrays.stream(next).flatMapToLong(Arrays::stream).toArray(),
                    sequences.stream().mapToLong(Sequence::slot).toArray(),
                    sequences.stream().mapToLong(Sequence::start).toArray(),
                    Arrays.stream(next).mapToLong(ids -> ids.length).toArray());
        }

        private IValue[] places(IValue... before) {
            IValue[] arguments = Arrays.copyOf(before, before.length + 3);
            arguments[before.length] = IValue.listFrom(slots);
            arguments[before.length + 1] = IValue.listFrom(starts);
            arguments[before.length + 2] = IValue.listFrom(counts);
            return arguments;
        }
    }

    /** Runs one step of some sequences; on a GPU it returns before the device is done. */
    void forward(Rows rows) {
        run("forward", rows.places(IValue.listFrom(rows.ids())));
    }

    /** Makes memory for so many rows of a step that is run in parts, and for a matrix of so many numbers, 0 for none. */
    void roomForRows(int rows, long largest) {
        run("room_for_rows", IValue.from((long) rows), IValue.from(largest));
    }

    /** {@return where a part of it is, in the order of the program's text} */
    long roomAddress(int index) {
        return address("room", IValue.from((long) index));
    }

    /** The rows enter the residual stream. */
    void enterRows(Rows rows) {
        run("enter_rows", IValue.listFrom(rows.ids()));
    }

    /** Queries, keys and values of the normed rows. */
    void projectRows(int layer, int n) {
        run("project_rows", IValue.from((long) layer), IValue.from((long) n));
    }

    /** Adds to the residual stream what attention gives. */
    void attendRows(int layer, Rows rows) {
        IValue[] arguments = Arrays.copyOf(rows.places(IValue.from((long) layer)), 5);
        arguments[4] = IValue.from((long) rows.ids().length);
        run("attend_rows", arguments);
    }

    /** The gate of the normed rows, and what it gates. */
    void gateRows(int layer, int n) {
        run("gate_rows", IValue.from((long) layer), IValue.from((long) n));
    }

    /** Adds to the residual stream what the feed-forward block gives. */
    void downRows(int layer, int n) {
        run("down_rows", IValue.from((long) layer), IValue.from((long) n));
    }

    /** What is left of the last layer once its keys and values are in the caches. */
    void leaveRows(Rows rows) {
        run("leave_rows", rows.places());
    }

    /** Waits for the device. {@return the most probable next token of the only sequence of the latest step} */
    long best() {
        return run("best");
    }

    /** Waits for the device. {@return the most probable next token of every sequence of the latest step} */
    long[] bests() {
        return longs(call("bests"));
    }

    /** The tokens of a prompt count for the repetition penalty of a sequence. */
    void penalise(int slot, long[] ids) {
        run("penalise", IValue.from((long) slot), IValue.listFrom(ids));
    }

    /**
     * Draws the next tokens of some of the sequences of the latest step. Waits for the device.
     *
     * @param outside whether the logits are those of {@link #roomForLogits}
     * @param rows which of the sequences
     * @param sampling how their tokens are drawn
     */
    long[] drawNext(boolean outside, List<Integer> rows, List<Sequence> sequences, Sampling sampling) {
        return longs(call(
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
        return address("room_for_logits", IValue.from((long) slots));
    }

    /** {@return where a matrix is on its device, row by row} */
    long address(int index) {
        return address("matrix", IValue.from((long) index));
    }

    /** {@return where the scales of a quantised matrix are on its device, [rows][groups]} */
    long scaleAddress(int index) {
        return address("scale", IValue.from((long) index));
    }

    /**
     * {@return where the KV cache of a slot has a layer, [tokens][2 * kvHeads][headDim], keys before values, the next layer right
     * behind; until it is given up}
     */
    long cacheAddress(int slot, int layer) {
        return address("cache_of", IValue.from((long) slot), IValue.from((long) layer));
    }

    /** Waits for the device. {@return what the program really holds of the KV cache of a slot} */
    KvCacheState cacheState(int slot) {
        return KvCacheState.of(longs(call("cache_state", IValue.from((long) slot))));
    }

    private long address(String method, IValue... arguments) {
        try (IValue tensor = call(method, arguments);
                PtNDArray array = tensor.toTensor(manager())) {
            return TensorAddress.of(array);
        }
    }

    /** {@return the probability of each id for given logits, after the given ids} */
    float[] probabilities(Sampling sampling, double[] logits, long[] ids) {
        return floats(call("probabilities", sampled(sampling, IValue.listFrom(logits), IValue.listFrom(ids))));
    }

    /** {@return the id that each of the numbers draws for given logits, after the given ids} */
    long[] drawnIds(Draws draws, double[] logits, long[] ids) {
        return longs(call(
                "drawn_ids",
                sampled(
                        draws.sampling(),
                        IValue.listFrom(logits),
                        IValue.listFrom(ids),
                        IValue.listFrom(draws.numbers()))));
    }

    /** {@return the logits after each of some tokens from the place {@code start} on, row by row: {@code ids.length} times the vocabulary} */
    float[] logits(long[] ids, int slot, int start) {
        return floats(call("logits", IValue.listFrom(ids), IValue.from((long) slot), IValue.from((long) start)));
    }

    private long[] longs(IValue value) {
        try (value;
                PtNDArray array = value.toTensor(manager())) {
            return array.toLongArray();
        }
    }

    private float[] floats(IValue value) {
        try (value;
                PtNDArray array = value.toTensor(manager())) {
            return array.toFloatArray();
        }
    }

    private long run(String method, IValue... arguments) {
        try (IValue result = call(method, arguments)) {
            return result.toLong();
        }
    }

    private IValue call(String method, IValue... arguments) {
        try {
            // a property of the thread, and any thread may come
            JniUtils.setGraphExecutorOptimize(jitOptimizer);
            return IValueUtils.runMethod(block, method, arguments);
        } catch (EngineException e) {
            throw isOutOfMemory(e) ? new OutOfMemoryFailure(e) : new EngineFailure(e);
        } finally {
            for (IValue argument : arguments) {
                argument.close();
            }
        }
    }

    private static boolean isOutOfMemory(EngineException e) {
        String message = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
        return List.of("out of memory", "can't allocate memory", "not enough memory", "alloc_failed").stream()
                .anyMatch(message::contains);
    }

    private PtNDManager manager() {
        return (PtNDManager) model.getNDManager();
    }

    @Override
    public void close() {
        model.close();
    }
}
