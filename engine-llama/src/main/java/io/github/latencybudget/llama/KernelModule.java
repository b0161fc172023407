package io.github.latencybudget.llama;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A set of kernels, compiled and loaded on one device. */
final class KernelModule implements AutoCloseable {

    /** Older devices lack instructions that the text has. */
    private static final int OLDEST = 80;

    /** Newer devices take what is compiled for this one. */
    private static final int NEWEST_KNOWN = 90;

    private static final int DYNAMIC_SHARED_BYTES = 8;
    private static final int SHARED_CARVEOUT = 9;

    /** By options and text: a model that is opened again is not compiled again. */
    private static final Map<List<String>, Memory> COMPILED = new ConcurrentHashMap<>();

    private final CudaDriver driver;
    private final Pointer module;
    private final Map<String, Function> functions = new HashMap<>();

    /**
     * A kernel on the device.
     *
     * @param handle the driver's
     */
    record Function(Pointer handle, Kernel kernel) {}

    /** @throws EngineFailure where the kernels do not work on this device: says why */
    KernelModule(CudaDriver driver, KernelSet set) {
        this.driver = driver;
        for (Kernel kernel : set.kernels()) {
            if (kernel.sharedBytes() > driver.sharedBytesOfBlock()) {
                throw new EngineFailure(
                        String.format(
                                Locale.ROOT,
                                "the own kernel %s wants %d bytes of shared memory, the device gives %d",
                                kernel.name(),
                                kernel.sharedBytes(),
                                driver.sharedBytesOfBlock()),
                        null);
            }
        }
        Memory ptx = compile(Nvrtc.open(), set, driver.capability());
        driver.enter();
        this.module = driver.create("cuModuleLoadData", ptx);
        for (Kernel kernel : set.kernels()) {
            Pointer function = driver.create("cuModuleGetFunction", module, kernel.name());
            driver.call("cuFuncSetAttribute", function, DYNAMIC_SHARED_BYTES, kernel.sharedBytes());
            // all alike, for a multiprocessor divides its memory anew only when it is empty
            driver.call("cuFuncSetAttribute", function, SHARED_CARVEOUT, 100);
            functions.put(kernel.name(), new Function(function, kernel));
        }
    }

    /** {@return PTX} */
    static Memory compile(Nvrtc nvrtc, KernelSet set, int capability) {
        if (capability < OLDEST) {
            throw new EngineFailure(
                    String.format(
                            Locale.ROOT,
                            "own kernels want compute capability 8.0, the device has %d.%d",
                            capability / 10,
                            capability % 10),
                    null);
        }
        List<String> options = new ArrayList<>(set.macros());
        options.add("--gpu-architecture=compute_" + Math.min(capability, NEWEST_KNOWN));
        String text = set.texts().stream().map(KernelModule::text).collect(Collectors.joining());
        List<String> key = Stream.concat(options.stream(), Stream.of(text)).toList();
        return COMPILED.computeIfAbsent(key, k -> nvrtc.compile(text, options));
    }

    private static String text(String resource) {
        try (InputStream text = KernelModule.class.getResourceAsStream(resource)) {
            if (text == null) {
                throw new IllegalStateException(resource + " is missing beside its class");
            }
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Function function(String kernel) {
        Function function = functions.get(kernel);
        if (function == null) {
            throw new IllegalArgumentException("no kernel " + kernel);
        }
        return function;
    }

    @Override
    public void close() {
        driver.enter();
        driver.call("cuModuleUnload", module);
    }
}
