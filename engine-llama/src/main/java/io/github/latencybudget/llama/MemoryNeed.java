package io.github.latencybudget.llama;

import io.github.latencybudget.device.Host;
import io.github.latencybudget.device.Nvml;
import io.github.latencybudget.inference.MeasurementException;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** How much memory a model needs where it runs, and how much there is. */
record MemoryNeed(LlamaConfig config, LlamaOptions options, Optional<Nvml> gpu) {

    private static final double GIB = 1 << 30;

    /** Refuses a model whose weights, or tables of positions, cannot fit, before the machine is driven into its limits. */
    void checkWeights() {
        OptionalLong free = freeBytes();
        long needed = weightBytes() + config.positionBytes(options.dtype());
        if (free.isPresent() && needed > free.getAsLong()) {
            throw tooLittle(0, null);
        }
    }

    /** Refuses a KV cache that cannot fit; on a GPU the engine itself says so, for it knows what it keeps in reserve. */
    void checkCache(int tokens) {
        OptionalLong free = freeBytes();
        if (!options.onGpu() && free.isPresent() && cacheBytes(tokens) > free.getAsLong()) {
            throw tooLittle(tokens, null);
        }
    }

    /**
     * {@return the error that says what was needed and what was free}
     *
     * @param tokens how many tokens the KV cache was to hold; 0 while the weights were loaded
     */
    MeasurementException tooLittle(int tokens, @Nullable Throwable cause) {
        OptionalLong free = freeBytes();
        return new MeasurementException(
                String.format(
                        Locale.ROOT,
                        "out of memory on %s: %s in %s needs %s for weights%s, and %s were free; use a smaller model, prompt or output, or a larger device",
                        options.device(),
                        config.name(),
                        options.typeLabel(),
                        gib(weightBytes()),
                        tokens == 0
                                ? String.format(
                                        Locale.ROOT,
                                        " and %s for the positions of a context of %d tokens",
                                        gib(config.positionBytes(options.dtype())),
                                        config.context())
                                : String.format(
                                        Locale.ROOT,
                                        " (loaded) and %s for the KV cache of %d tokens",
                                        gib(cacheBytes(tokens)),
                                        tokens),
                        free.isPresent() ? gib(free.getAsLong()) : "an unknown number of bytes"),
                cause);
    }

    /** {@return the bytes of all weights as they are kept} */
    long weightBytes() {
        return Matrix.of(config).stream()
                .mapToLong(matrix ->
                        matrix.quantization(options).bytes(matrix.storedRows(), matrix.columns(), options.dtype()))
                .sum();
    }

    /** {@return the bytes that the keys and values of one token take} */
    long cacheBytesPerToken() {
        return config.cacheBytesPerToken(options.dtype());
    }

    private long cacheBytes(int tokens) {
        return tokens * cacheBytesPerToken();
    }

    private OptionalLong freeBytes() {
        return options.onGpu() ? gpu.map(Nvml::freeBytes).orElse(OptionalLong.empty()) : Host.availableBytes();
    }

    private static String gib(long bytes) {
        return String.format(Locale.ROOT, "%.2f GiB", bytes / GIB);
    }
}
