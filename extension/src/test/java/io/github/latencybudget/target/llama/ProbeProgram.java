package io.github.latencybudget.target.llama;

import ai.djl.Device;
import ai.djl.Model;
import ai.djl.pytorch.engine.PtSymbolBlock;
import ai.djl.pytorch.jni.IValue;
import ai.djl.pytorch.jni.IValueUtils;
import ai.djl.pytorch.jni.JniUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/** The program {@code probe.torchscript} in the engine. */
final class ProbeProgram implements AutoCloseable {

    private final Model model;

    private ProbeProgram(Model model) {
        this.model = model;
    }

    static ProbeProgram load() throws Exception {
        Model model = Model.newInstance("probe", Device.cpu(), "PyTorch");
        model.load(new ByteArrayInputStream(TorchScriptArchive.pack(text("probe.torchscript"))), Map.of());
        return new ProbeProgram(model);
    }

    static String text(String resource) {
        try (InputStream text = ProbeProgram.class.getResourceAsStream(resource)) {
            if (text == null) {
                throw new IllegalStateException(resource + " is missing");
            }
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void run(String method, long... arguments) {
        JniUtils.setGraphExecutorOptimize(false);
        IValue[] values = Arrays.stream(arguments).mapToObj(IValue::from).toArray(IValue[]::new);
        IValue result = IValueUtils.runMethod((PtSymbolBlock) model.getBlock(), method, values);
        result.close();
        for (IValue value : values) {
            value.close();
        }
    }

    @Override
    public void close() {
        model.close();
    }
}
