package io.github.latencybudget.llama;

import java.util.ArrayList;
import java.util.List;

/**
 * The sizes that the kernels for several sequences, or with quantised weights, are compiled for, and how they are launched.
 *
 * @param processors how many multiprocessors the device has
 * @param slots for how many sequences products are made: 8, 16, 32 or 64
 * @param sequences how many there are at most: as many, or 1
 */
record BatchShape(
        LlamaConfig config,
        Dtype dtype,
        Quantization quantization,
        int processors,
        int slots,
        int sequences,
        BatchTuning tuning)
        implements StepSet {

    private static final int LOAD_BITS = 128;
    private static final int WARP = 32;
    private static final int NORM_WARPS = 16;

    /** As many columns as an instruction of the tensor cores takes. */
    private static final int LEAST_SLOTS = 8;

    /** @throws EngineFailure where the kernels cannot compute such a model: names the limit */
    BatchShape {
        if (dtype == Dtype.FP32) {
            throw new EngineFailure("own kernels compute fp32 for one sequence only", null);
        }
        if (quantization != Quantization.NONE && dtype != Dtype.FP16) {
            throw new EngineFailure("own kernels want fp16 beside quantised weights, not " + dtype.label(), null);
        }
        // a copy brings two scales
        int multiple =
                quantization == Quantization.INT4 ? 2 * Quantization.GROUP : LOAD_BITS / quantization.bits(dtype);
        KernelShape.multiple("hidden_size", config.hidden(), multiple);
        KernelShape.multiple("intermediate_size", config.intermediate(), multiple);
        KernelShape.multiple("num_attention_heads * head_dim", config.heads() * config.headDim(), multiple);
    }

    static BatchShape standard(
            CudaDriver driver, LlamaConfig config, Dtype dtype, Quantization quantization, int sequences) {
        int slots = Math.max(sequences, LEAST_SLOTS);
        BatchTuning tuning =
                BatchTuning.of(config, quantization.bits(dtype), slots, sequences, driver.sharedBytesOfBlock());
        return new BatchShape(config, dtype, quantization, driver.multiprocessors(), slots, sequences, tuning);
    }

    @Override
    public List<String> products() {
        return List.of("batch.cu", "batch_kernels.cu");
    }

    @Override
    public boolean normalizesBefore(String product) {
        int bits = quantization.bits(dtype);
        return switch (product) {
            case "qkv" -> !tuning.qkv().normalizes(config.hidden(), bits, slots);
            case "gate_up" -> !tuning.gateUp().normalizes(config.hidden(), bits, slots);
            case "choose" -> !tuning.head().normalizes(config.hidden(), Byte.SIZE * dtype.bytes(), slots);
            default -> false;
        };
    }

    @Override
    public AttentionShape attention() {
        return new AttentionShape(config, processors, slots, sequences);
    }

    @Override
    public List<Kernel> kernels() {
        int bits = quantization.bits(dtype);
        int width = config.heads() * config.headDim();
        int keys = config.kvHeads() * config.headDim();
        return List.of(
                attention().enter(),
                new Kernel("normalize", sequences, NORM_WARPS * WARP, 0),
                product("qkv", tuning.qkv(), bits, config.hidden(), width / 2 + keys),
                attention().attention(),
                product("attention_out", tuning.attentionOut(), bits, width, config.hidden() / 2),
                product("gate_up", tuning.gateUp(), bits, config.hidden(), config.intermediate()),
                product("down", tuning.down(), bits, config.intermediate(), config.hidden() / 2),
                product(
                        "choose",
                        tuning.head(),
                        Byte.SIZE * dtype.bytes(),
                        config.hidden(),
                        (config.vocabulary() + 1) / 2));
    }

    private Kernel product(String name, BatchTile tile, int bits, int columns, int pairs) {
        return new Kernel(name, tile.grid(pairs, processors), tile.threads(), tile.sharedBytes(columns, bits, slots));
    }

    @Override
    public List<String> macros() {
        List<String> macros = new ArrayList<>();
        attention().addMacros(macros, dtype);
        macros.add("-DLAYER_BITS=" + quantization.bits(dtype));
        macros.add("-DGROUP=" + Quantization.GROUP);
        macros.add("-DOTHER_REGISTERS=" + BatchTile.OTHER_REGISTERS);
        macros.add("-DNORM_WARPS=" + NORM_WARPS);
        macros.add("-DQKV=" + tuning.qkv().macro());
        macros.add("-DOUT=" + tuning.attentionOut().macro());
        macros.add("-DGATE_UP=" + tuning.gateUp().macro());
        macros.add("-DDOWN=" + tuning.down().macro());
        macros.add("-DHEAD=" + tuning.head().macro());
        return macros;
    }
}
