package io.github.latencybudget.target.llama;

import java.util.ArrayList;
import java.util.List;

/**
 * The sizes that the text of the kernels is compiled for, and how it is launched.
 *
 * @param processors how many multiprocessors the device has
 */
record KernelShape(LlamaConfig config, Dtype dtype, int processors, Tuning tuning) {

    private static final int LOAD_BYTES = 16;
    private static final int WARP = 32;
    private static final int ENTER_THREADS = 512;
    private static final int ATTENTION_WARPS = 4;
    private static final int PLACES = 4;
    private static final int MOST_QUERIES = 8;
    private static final int MOST_SPLITS = 32;

    /** So many blocks of attention find room on a multiprocessor. */
    private static final int ATTENTION_BLOCKS = 4;

    /** @throws EngineFailure where the kernels cannot compute such a model: names the limit */
    KernelShape {
        int perLoad = LOAD_BYTES / dtype.bytes();
        multiple("hidden_size", config.hidden(), perLoad);
        multiple("intermediate_size", config.intermediate(), perLoad);
        int lanes = config.headDim() / perLoad;
        if (config.headDim() % perLoad != 0 || lanes > WARP || Integer.bitCount(lanes) != 1) {
            throw new EngineFailure(
                    "own kernels want a head_dim that is %d times a power of two, up to %d, not %d"
                            .formatted(perLoad, perLoad * WARP, config.headDim()),
                    null);
        }
    }

    private static void multiple(String name, int value, int of) {
        if (value % of != 0) {
            throw new EngineFailure("own kernels want %s = %d to be a multiple of %d".formatted(name, value, of), null);
        }
    }

    /** One kernel and how it is launched. */
    record Kernel(String name, int gridX, int gridY, int threads, int sharedBytes) {}

    Kernel enter() {
        return new Kernel("enter", 1, 1, ENTER_THREADS, 0);
    }

    Kernel qkv() {
        return product("qkv", tuning.qkv(), config.hidden(), (config.heads() + 2 * config.kvHeads()) * half());
    }

    Kernel attention() {
        return new Kernel("attention", queryGroups(), splits(), ATTENTION_WARPS * WARP, 0);
    }

    Kernel attentionOut() {
        return product("attention_out", tuning.attentionOut(), config.heads() * config.headDim(), config.hidden() / 2);
    }

    Kernel gateUp() {
        return product("gate_up", tuning.gateUp(), config.hidden(), config.intermediate());
    }

    Kernel down() {
        return product("down", tuning.down(), config.intermediate(), config.hidden() / 2);
    }

    Kernel choose() {
        return product("choose", tuning.head(), config.hidden(), (config.vocabulary() + 1) / 2);
    }

    List<Kernel> kernels() {
        return List.of(enter(), qkv(), attention(), attentionOut(), gateUp(), down(), choose());
    }

    private Kernel product(String name, Tile tile, int columns, int pairs) {
        return new Kernel(
                name, tile.grid(pairs, processors), 1, tile.threads(), tile.sharedBytes(columns, pairs, processors));
    }

    private int half() {
        return config.headDim() / 2;
    }

    /** {@return how many queries that share their keys one block of attention takes} */
    private int queries() {
        int group = config.heads() / config.kvHeads();
        return Math.min(MOST_QUERIES, Integer.lowestOneBit(group));
    }

    /** {@return how many blocks attention has for each part of the places} */
    int queryGroups() {
        return config.heads() / queries();
    }

    private int splits() {
        return Math.max(1, Math.min(MOST_SPLITS, ATTENTION_BLOCKS * processors / queryGroups()));
    }

    /** {@return how many numbers attention leaves for putting its parts together} */
    int partials() {
        return config.heads() * splits() * (config.headDim() + 2);
    }

    /** {@return the options of the compiler that stand for this shape} */
    List<String> macros() {
        List<String> macros = new ArrayList<>();
        // the names of the types are macros too, in primitives.cu
        macros.add("-DWEIGHT=" + dtype);
        macros.add("-DHIDDEN=" + config.hidden());
        macros.add("-DINTERMEDIATE=" + config.intermediate());
        macros.add("-DHEADS=" + config.heads());
        macros.add("-DKV_HEADS=" + config.kvHeads());
        macros.add("-DHEAD_DIM=" + config.headDim());
        macros.add("-DVOCABULARY=" + config.vocabulary());
        macros.add("-DEPSILON=" + config.epsilon());
        // scores are powers of two
        macros.add("-DSCORE_SCALE=" + 1 / (Math.log(2) * Math.sqrt(config.headDim())));
        macros.add("-DSPLITS=" + splits());
        macros.add("-DQUERIES=" + queries());
        macros.add("-DATTENTION_WARPS=" + ATTENTION_WARPS);
        macros.add("-DPLACES=" + PLACES);
        macros.add("-DQKV=" + tuning.qkv().macro());
        macros.add("-DOUT=" + tuning.attentionOut().macro());
        macros.add("-DGATE_UP=" + tuning.gateUp().macro());
        macros.add("-DDOWN=" + tuning.down().macro());
        macros.add("-DHEAD=" + tuning.head().macro());
        return macros;
    }
}
