package io.github.latencybudget.llama;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The sizes that the kernels for one sequence are compiled for, and how they are launched.
 *
 * @param processors how many multiprocessors the device has
 */
record KernelShape(LlamaConfig config, Dtype dtype, int processors, Tuning tuning) implements StepSet {

    private static final int LOAD_BYTES = 16;
    private static final int WARP = 32;

    /** @throws EngineFailure where the kernels cannot compute such a model: names the limit */
    KernelShape {
        int perLoad = LOAD_BYTES / dtype.bytes();
        multiple("hidden_size", config.hidden(), perLoad);
        multiple("intermediate_size", config.intermediate(), perLoad);
        int lanes = config.headDim() / perLoad;
        if (config.headDim() % perLoad != 0 || lanes > WARP || Integer.bitCount(lanes) != 1) {
            throw new EngineFailure(
                    String.format(
                            Locale.ROOT,
                            "own kernels want a head_dim that is %d times a power of two, up to %d, not %d",
                            perLoad,
                            perLoad * WARP,
                            config.headDim()),
                    null);
        }
    }

    static void multiple(String name, int value, int of) {
        if (value % of != 0) {
            throw new EngineFailure(
                    String.format(Locale.ROOT, "own kernels want %s = %d to be a multiple of %d", name, value, of),
                    null);
        }
    }

    @Override
    public int slots() {
        return 1;
    }

    @Override
    public List<String> products() {
        return List.of("gemv.cu");
    }

    @Override
    public boolean normalizesBefore(String product) {
        return false;
    }

    @Override
    public AttentionShape attention() {
        return new AttentionShape(config, processors, 1);
    }

    @Override
    public List<Kernel> kernels() {
        int width = config.heads() * config.headDim();
        int keys = config.kvHeads() * config.headDim();
        return List.of(
                attention().enter(),
                product("qkv", tuning.qkv(), config.hidden(), width / 2 + keys),
                attention().attention(),
                product("attention_out", tuning.attentionOut(), width, config.hidden() / 2),
                product("gate_up", tuning.gateUp(), config.hidden(), config.intermediate()),
                product("down", tuning.down(), config.intermediate(), config.hidden() / 2),
                product("choose", tuning.head(), config.hidden(), (config.vocabulary() + 1) / 2));
    }

    private Kernel product(String name, Tile tile, int columns, int pairs) {
        return new Kernel(
                name, tile.grid(pairs, processors), tile.threads(), tile.sharedBytes(columns, pairs, processors));
    }

    @Override
    public List<String> macros() {
        List<String> macros = new ArrayList<>();
        attention().addMacros(macros, dtype);
        macros.add("-DQKV=" + tuning.qkv().macro());
        macros.add("-DOUT=" + tuning.attentionOut().macro());
        macros.add("-DGATE_UP=" + tuning.gateUp().macro());
        macros.add("-DDOWN=" + tuning.down().macro());
        macros.add("-DHEAD=" + tuning.head().macro());
        return macros;
    }
}
