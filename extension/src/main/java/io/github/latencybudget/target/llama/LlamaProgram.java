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
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
    private int cacheTokens;

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

    /** Adds a matrix without numbers. {@return the device that it is really on, such as {@code cuda:0}} */
    String allocate(int rows, int columns, Dtype dtype, String device) {
        try (IValue matrix = call(
                        "allocate",
                        IValue.from((long) rows),
                        IValue.from((long) columns),
                        IValue.from((long) dtype.torch()),
                        IValue.from(device));
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

    private static double[] doubles(float[] values) {
        return IntStream.range(0, values.length).mapToDouble(i -> values[i]).toArray();
    }

    /** Allocates the KV cache for so many tokens of prompt and output; the one before is given back first. */
    void reserve(int tokens) {
        cacheTokens = 0;
        run("release");
        run("reserve", IValue.from((long) tokens));
        cacheTokens = tokens;
    }

    /** {@return how many tokens the KV cache holds, 0 where there is none} */
    int cacheTokens() {
        return cacheTokens;
    }

    /** Gives the KV cache back, and whatever memory of the device the engine keeps for later. */
    void release() {
        cacheTokens = 0;
        run("release");
        JniUtils.emptyCudaCache();
    }

    /** Takes a whole prompt and chooses the next token; on a GPU it returns before the device is done. */
    void prefill(long[] ids) {
        run("prefill", IValue.listFrom(ids));
    }

    /** Takes the token that was chosen last and chooses the next; on a GPU it returns before the device is done. */
    void decode() {
        run("decode");
    }

    /** Waits for the device. {@return the token that was chosen last} */
    long latest() {
        return run("latest");
    }

    /** {@return where a matrix is on its device, row by row} */
    long address(int index) {
        return address("matrix", index);
    }

    /** {@return where the KV cache of a layer is, [tokens][2 * kvHeads][headDim], keys before values; until it is given up} */
    long cacheAddress(int layer) {
        return address("cache_of", layer);
    }

    private long address(String method, int index) {
        try (IValue tensor = call(method, IValue.from((long) index));
                PtNDArray array = tensor.toTensor(manager())) {
            return TensorAddress.of(array);
        }
    }

    /**
     * Says how the tokens of the next request are drawn, and brings what it needs to the device.
     *
     * @param draws one number for each output token, from 0 to 2^30 - 1
     * @param ids the prompt
     */
    void sampling(Sampling sampling, long[] draws, long[] ids) {
        // The most probable token after a repetition penalty is what is drawn from the first one alone.
        run(
                "sampling",
                IValue.from(sampling.isDrawn() ? sampling.temperature() : 1),
                IValue.from(sampling.isDrawn() ? (long) sampling.topK() : 1L),
                IValue.from(sampling.topP()),
                IValue.from(sampling.repetitionPenalty()),
                IValue.listFrom(draws),
                IValue.listFrom(ids));
    }

    /** Takes a whole prompt. {@return the first token that was drawn} */
    long prefillDrawn(long[] ids) {
        return run("prefill_drawn", IValue.listFrom(ids));
    }

    /** Takes the token that came last. {@return the next one that was drawn} */
    long decodeDrawn() {
        return run("decode_drawn");
    }

    /** {@return the probability of each id for given logits, under the {@link #sampling} that was told last} */
    float[] probabilities(double[] logits) {
        return floats(call("probabilities", IValue.listFrom(logits)));
    }

    /** {@return the id that each of the draws gives for given logits, under the {@link #sampling} that was told last} */
    long[] drawnIds(double[] logits) {
        try (IValue value = call("drawn_ids", IValue.listFrom(logits));
                PtNDArray array = value.toTensor(manager())) {
            return array.toLongArray();
        }
    }

    /** {@return the logits after each token of a prompt, row by row: {@code ids.length} times the vocabulary} */
    float[] logits(long[] ids) {
        return floats(call("logits", IValue.listFrom(ids)));
    }

    /** {@return the logits after one token at the place {@code position}, counted from 0, of a sequence fed token by token} */
    float[] stepLogits(long id, int position) {
        return floats(call("step_logits", IValue.from(id), IValue.from((long) position)));
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
