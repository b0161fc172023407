package io.github.latencybudget.llama;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.TargetSpec;
import io.github.latencybudget.trace.Guarded;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A spec's settings, checked before anything is loaded.
 *
 * @param device {@code cpu} or {@code cuda:N}
 * @param dtype the type to compute in
 * @param quantization how the matrices of the layers are kept
 * @param kvMode which sequences have a KV cache
 * @param jitOptimizer whether TorchScript may rewrite the program for the shapes that it sees
 * @param decode how to decode on a GPU
 * @param hashFiles whether every file of the model is digested
 * @param threads how many threads the engine shall use on the processor; empty for the default
 */
record LlamaOptions(
        String device,
        Dtype dtype,
        Quantization quantization,
        KvMode kvMode,
        boolean jitOptimizer,
        Decode decode,
        boolean hashFiles,
        OptionalInt threads) {

    // One name for one device: the lock that keeps gates apart, and the sessions that they share, go by it.
    private static final Pattern CUDA = Pattern.compile("cuda:(?:0|[1-9]\\d{0,2})");
    private static final List<String> KEYS =
            List.of("decode", "hash", "jitOptimizer", "threads", "useCache", "useCacheFrom");

    /** The first article that this follows found no gain from a KV cache below it. */
    private static final int ADAPTIVE_FROM = 32;

    /** With own kernels, by PyTorch, or {@code AUTO}: with own kernels where they work. */
    enum Decode {
        KERNELS,
        PLAIN,
        AUTO
    }

    /** @throws MeasurementException for a setting that does not exist or has a value that is not allowed */
    static LlamaOptions of(TargetSpec spec) {
        for (String key : spec.options().keySet()) {
            if (!KEYS.contains(key)) {
                throw new MeasurementException(String.format(
                        Locale.ROOT,
                        "%s is not known to the Llama target: its options are %s",
                        Guarded.option(key),
                        String.join(", ", KEYS)));
            }
        }
        String device = device(spec.device());
        return new LlamaOptions(
                device,
                dtype(spec.dtype(), device),
                quantization(spec.dtype()),
                kvMode(spec),
                jitOptimizer(spec),
                decode(spec, device),
                hashFiles(spec),
                threads(spec.options().get("threads")));
    }

    /** {@return whether the device is a GPU} */
    boolean onGpu() {
        return !device.equals("cpu");
    }

    /** {@return the N of {@code cuda:N}} */
    int ordinal() {
        return Integer.parseInt(device.substring(device.indexOf(':') + 1));
    }

    private static String device(String device) {
        if (!device.equals("cpu") && !CUDA.matcher(device).matches()) {
            throw new MeasurementException(String.format(
                    Locale.ROOT, "device = \"%s\" is not known: use cpu, or cuda:0 for the first GPU", device));
        }
        return device;
    }

    private static Dtype dtype(String dtype, String device) {
        boolean cpu = device.equals("cpu");
        return switch (dtype) {
            case "" -> cpu ? Dtype.FP32 : Dtype.FP16;
            case "fp32" -> Dtype.FP32;
            case "fp16" -> {
                if (cpu) {
                    throw new MeasurementException(
                            "dtype = fp16 is not computed on the device cpu: use fp32, bf16, int8 or int4, or a device such as cuda:0");
                }
                yield Dtype.FP16;
            }
            case "bf16" -> Dtype.BF16;
            case "int8", "int4" -> cpu ? Dtype.FP32 : Dtype.FP16;
            default ->
                throw new MeasurementException(String.format(
                        Locale.ROOT,
                        "dtype = %s is not computed on the device %s: use %s",
                        dtype,
                        device,
                        cpu ? "fp32, bf16, int8 or int4" : "fp16, bf16, fp32, int8 or int4"));
        };
    }

    private static Quantization quantization(String dtype) {
        return switch (dtype) {
            case "int8" -> Quantization.INT8;
            case "int4" -> Quantization.INT4;
            default -> Quantization.NONE;
        };
    }

    /** {@return what results call the type} */
    String typeLabel() {
        return quantization == Quantization.NONE ? dtype.label() : quantization.label();
    }

    /** {@return what the numbers depend on beside the type, where it is not as by default} */
    SortedMap<String, String> settings() {
        SortedMap<String, String> settings = new TreeMap<>();
        if (!kvMode.equals(KvMode.ON)) {
            settings.put("use_cache", kvMode.toString());
        }
        return settings;
    }

    private static KvMode kvMode(TargetSpec spec) {
        String value = spec.options().getOrDefault("useCache", "on");
        String from = spec.options().get("useCacheFrom");
        if (from != null && !value.equals("adaptive")) {
            throw new MeasurementException(String.format(
                    Locale.ROOT, "option useCacheFrom = %s needs useCache = adaptive, and that is %s", from, value));
        }
        return switch (value) {
            case "on" -> KvMode.ON;
            case "off" -> KvMode.OFF;
            case "adaptive" -> KvMode.from(from == null ? ADAPTIVE_FROM : tokens(from));
            default ->
                throw new MeasurementException(String.format(
                        Locale.ROOT, "option useCache = %s is not allowed: use on, off or adaptive", value));
        };
    }

    private static int tokens(String from) {
        if (!from.matches("[1-9]\\d{0,6}")) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "option useCacheFrom = %s is not allowed: use a prompt length from 1 to 9999999",
                    from));
        }
        return Integer.parseInt(from);
    }

    private static boolean jitOptimizer(TargetSpec spec) {
        // With it on, the first two runs of every shape are slow, and nothing was gained on a processor.
        String value = spec.options().getOrDefault("jitOptimizer", "off");
        return switch (value) {
            case "on" -> true;
            case "off" -> false;
            default ->
                throw new MeasurementException(
                        String.format(Locale.ROOT, "option jitOptimizer = %s is not allowed: use on or off", value));
        };
    }

    private static Decode decode(TargetSpec spec, String device) {
        String value = spec.options().getOrDefault("decode", "auto");
        Decode decode = switch (value) {
            case "kernels" -> Decode.KERNELS;
            case "plain" -> Decode.PLAIN;
            case "auto" -> Decode.AUTO;
            default ->
                throw new MeasurementException(String.format(
                        Locale.ROOT, "option decode = %s is not allowed: use kernels, plain or auto", value));
        };
        if (decode == Decode.KERNELS && device.equals("cpu")) {
            throw new MeasurementException(
                    "option decode = kernels is not possible on the device cpu: use auto, or a device such as cuda:0");
        }
        return decode;
    }

    private static boolean hashFiles(TargetSpec spec) {
        String value = spec.options().getOrDefault("hash", "layout");
        return switch (value) {
            case "layout" -> false;
            case "files" -> {
                if (spec.model().startsWith(LlamaTarget.SYNTHETIC)) {
                    throw new MeasurementException(String.format(
                            Locale.ROOT,
                            "option hash = files is not possible for model = \"%s\", which has no files: leave it out, or name a folder",
                            TargetSpec.withoutSecrets(spec.model())));
                }
                yield true;
            }
            default ->
                throw new MeasurementException(
                        String.format(Locale.ROOT, "option hash = %s is not allowed: use layout or files", value));
        };
    }

    private static OptionalInt threads(@Nullable String value) {
        if (value == null) {
            return OptionalInt.empty();
        }
        if (!value.matches("[1-9]\\d{0,3}")) {
            throw new MeasurementException(String.format(
                    Locale.ROOT, "option threads = %s is not allowed: use a whole number from 1 to 9999", value));
        }
        return OptionalInt.of(Integer.parseInt(value));
    }
}
