package io.github.latencybudget.llama;

import ai.djl.engine.Engine;
import ai.djl.engine.EngineException;
import ai.djl.engine.StandardCapabilities;
import ai.djl.pytorch.jni.JniUtils;
import ai.djl.util.Platform;
import ai.djl.util.Utils;
import io.github.latencybudget.inference.MeasurementException;
import java.util.Locale;

/** DJL's PyTorch engine in this process: started quietly, once, with a known number of threads. */
final class TorchEngine {

    private static final String THREADS = "ai.djl.pytorch.num_threads";

    private final Engine engine;

    private TorchEngine(Engine engine) {
        this.engine = engine;
    }

    /** @throws MeasurementException where there is no native library for this machine, or no such device */
    static TorchEngine start(LlamaOptions options) {
        quieten();
        // As many threads as cores made steps of a busy machine stall now and then; one did not.
        setUnlessSet(THREADS, "1");
        TorchEngine engine = new TorchEngine(nativeEngine());
        options.threads().ifPresent(JniUtils::setNumThreads);
        if (options.onGpu()) {
            engine.requireCuda(options.device());
        }
        return engine;
    }

    /** Keeps DJL from calling home, and its tokenizers from looking for a CUDA build; to be called before either is used. */
    static void quieten() {
        setUnlessSet("OPT_OUT_TRACKING", "true");
        setUnlessSet("RUST_FLAVOR", "cpu");
    }

    private static void setUnlessSet(String property, String value) {
        if (Utils.getEnvOrSystemProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    private static Engine nativeEngine() {
        try {
            Engine engine = Engine.getEngine("PyTorch");
            if (engine == null) {
                throw new EngineException("DJL knows no engine PyTorch");
            }
            return engine;
        } catch (EngineException | LinkageError | AssertionError e) {
            throw new MeasurementException(
                    String.format(
                            Locale.ROOT,
                            "PyTorch's native library could not be loaded (%s): add the jars pytorch-jni and pytorch-native-cpu or pytorch-native-cu124"
                                    + " for this system to the test class path, or set PYTORCH_LIBRARY_PATH to a libtorch folder",
                            cause(e)),
                    e);
        }
    }

    private static String cause(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getClass().getSimpleName() + ": " + cause.getMessage();
    }

    /** {@return whether this build of PyTorch computes on GPUs and finds one} */
    boolean hasCuda() {
        return engine.hasCapability(StandardCapabilities.CUDA);
    }

    private void requireCuda(String device) {
        if (hasCuda()) {
            return;
        }
        throw new MeasurementException(
                flavor().startsWith("cu")
                        ? String.format(
                                Locale.ROOT,
                                "device %s was asked for, but PyTorch (%s) finds no CUDA device: check nvidia-smi and CUDA_VISIBLE_DEVICES",
                                device,
                                flavor())
                        : String.format(
                                Locale.ROOT,
                                "device %s was asked for, but this PyTorch (%s) has no CUDA: test with the jar pytorch-native-cu124 instead of pytorch-native-cpu, as docs/gpu.md says, or use the device cpu",
                                device,
                                flavor()));
    }

    /** {@return such as {@code DJL 0.36.0, PyTorch 2.7.1}} */
    String version() {
        return String.format(Locale.ROOT, "DJL %s, PyTorch %s", Engine.getDjlVersion(), engine.getVersion());
    }

    /** {@return which build of PyTorch this is, such as {@code cpu} or {@code cu124}} */
    String flavor() {
        String asked = Utils.getEnvOrSystemProperty("PYTORCH_FLAVOR");
        return asked != null && !asked.isEmpty()
                ? asked
                : Platform.detectPlatform("pytorch").getFlavor();
    }

    /** {@return how many threads one operation may use on the processor} */
    int threads() {
        return JniUtils.getNumThreads();
    }
}
