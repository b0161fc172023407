package io.github.latencybudget.llama;

import ai.djl.Device;
import ai.djl.MalformedModelException;
import ai.djl.Model;
import ai.djl.engine.EngineException;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.engine.PtSymbolBlock;
import ai.djl.pytorch.jni.IValue;
import ai.djl.pytorch.jni.IValueUtils;
import ai.djl.pytorch.jni.JniUtils;
import io.github.latencybudget.inference.MeasurementException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A TorchScript module inside the engine, and how its methods are called. Not for two threads at once. */
final class Script implements AutoCloseable {

    private final Model model;
    private final PtSymbolBlock block;
    private final boolean jitOptimizer;

    private Script(Model model, boolean jitOptimizer) {
        this.model = model;
        this.block = (PtSymbolBlock) model.getBlock();
        this.jitOptimizer = jitOptimizer;
    }

    /**
     * @param texts the files that have the text of the module's class, one behind the other
     * @param jitOptimizer whether TorchScript may rewrite the methods for the shapes that it sees, in their first runs
     */
    static Script load(List<String> texts, boolean jitOptimizer) {
        Model model = Model.newInstance("llama", Device.cpu(), "PyTorch");
        try {
            StringBuilder text = new StringBuilder();
            for (String name : texts) {
                text.append(text(name));
            }
            model.load(new ByteArrayInputStream(TorchScriptArchive.pack(text.toString())), Map.of());
            // the engine made it for nothing, and would remove it with the end of the JVM, if that ends in peace
            Files.deleteIfExists(model.getModelPath());
            return new Script(model, jitOptimizer);
        } catch (IOException e) {
            model.close();
            throw new UncheckedIOException(e);
        } catch (MalformedModelException | RuntimeException e) {
            model.close();
            throw new MeasurementException(
                    "this PyTorch cannot load the Llama program: use the PyTorch version that the project names", e);
        }
    }

    private static String text(String name) throws IOException {
        try (InputStream text = Script.class.getResourceAsStream(name)) {
            if (text == null) {
                throw new IllegalStateException(name + " is missing beside its class");
            }
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** {@return where the tensor is that a method returns} */
    long address(String method, IValue... arguments) {
        try (IValue tensor = call(method, arguments);
                PtNDArray array = tensor.toTensor(manager())) {
            return TensorAddress.of(array);
        }
    }

    /** {@return the numbers of a tensor of the type int64 on the host} */
    long[] longs(IValue value) {
        try (value;
                PtNDArray array = value.toTensor(manager())) {
            return array.toLongArray();
        }
    }

    /** {@return the numbers of a tensor of the type float32 on the host} */
    float[] floats(IValue value) {
        try (value;
                PtNDArray array = value.toTensor(manager())) {
            return array.toFloatArray();
        }
    }

    /** Calls a method that returns a whole number. */
    long run(String method, IValue... arguments) {
        try (IValue result = call(method, arguments)) {
            return result.toLong();
        }
    }

    /** Calls a method; closes the arguments. {@return its result, to be closed by the caller} */
    IValue call(String method, IValue... arguments) {
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

    PtNDManager manager() {
        return (PtNDManager) model.getNDManager();
    }

    @Override
    public void close() {
        model.close();
    }
}
