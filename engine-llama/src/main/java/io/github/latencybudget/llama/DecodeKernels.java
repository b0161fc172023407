package io.github.latencybudget.llama;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Own kernels for one model on one device, and their memory. Kernels are compiled for buckets of sequences, each when it is first
 * asked for. Not for two threads at once.
 */
final class DecodeKernels implements AutoCloseable {

    /** In the order of {@link Matrix#of}. */
    private static final int MATRICES_OF_LAYER = 6;

    private static final int[] BATCHES = {8, 16, 32, 64};

    /** The structures {@code State} and {@code Slot}. */
    private static final int ACTIVE_BYTES = Long.BYTES;

    private static final int SLOT_BYTES = 24;
    private static final int BEST_BYTES = 8;

    private final CudaDriver driver;
    private final LlamaConfig config;
    private final Dtype dtype;
    private final Quantization quantization;
    private final IntFunction<StepSet> sets;
    private final Tuning tuning;
    private final Map<KernelSet, KernelModule> modules = new HashMap<>();
    private final int slots;
    private final Answers answers;
    private final DeviceBlock memory;
    private final long state;
    private final long logits;
    private final Memory work;
    private final Memory table;

    /**
     * One launch of a kernel.
     *
     * @param matrix the address of its weights, 0 for none
     * @param norm the address of the scale of the norm before it, 0 for none
     * @param scales the address of the scales of its weights, 0 where they are not quantised
     * @param layer which layer's cache it works on
     */
    record Launch(KernelModule.Function function, long matrix, long norm, long scales, int layer) {}

    /**
     * @param tuning of the kernels for one sequence; those for several have the standard one
     */
    DecodeKernels(CudaDriver driver, LlamaConfig config, Dtype dtype, Quantization quantization, Tuning tuning) {
        this(
                driver,
                config,
                dtype,
                quantization,
                slots -> slots == 1 && quantization == Quantization.NONE
                        ? new KernelShape(config, dtype, driver.multiprocessors(), tuning)
                        : BatchShape.standard(driver, config, dtype, quantization, slots),
                tuning);
    }

    /**
     * @param sets the kernels for a {@link #bucket}
     * @param tuning of the head for one sequence where the layers are quantised: it is not
     */
    DecodeKernels(
            CudaDriver driver,
            LlamaConfig config,
            Dtype dtype,
            Quantization quantization,
            IntFunction<StepSet> sets,
            Tuning tuning) {
        this.tuning = tuning;
        this.driver = driver;
        this.config = config;
        this.dtype = dtype;
        this.quantization = quantization;
        this.sets = sets;
        this.slots = dtype == Dtype.FP32 ? 1 : AttentionShape.MOST_SLOTS;
        long[] sizes = sizes();
        long bytes = 0;
        for (long size : sizes) {
            bytes += DeviceBlock.aligned(size);
        }
        this.memory = new DeviceBlock(driver, bytes);
        this.answers = new Answers(driver, slots);
        this.work = new Memory(Long.BYTES * (sizes.length + 1L));
        this.table = new Memory(ACTIVE_BYTES + (long) SLOT_BYTES * slots);
        long[] addresses = new long[sizes.length];
        for (int i = 0; i < sizes.length; i++) {
            addresses[i] = memory.take(sizes[i]);
        }
        this.state = addresses[0];
        this.logits = addresses[8];
        work.setLong(0, state);
        work.write(2L * Long.BYTES, addresses, 1, addresses.length - 1);
        write(addresses[1], config.ropeFrequencies());
    }

    /**
     * {@return how many sequences the kernels are for that are used for the given number}
     *
     * @throws EngineFailure where there are none
     */
    int bucket(int sequences) {
        if (sequences == 1) {
            return 1;
        }
        if (dtype == Dtype.FP32) {
            throw new EngineFailure("own kernels compute fp32 for one sequence only", null);
        }
        for (int bucket : BATCHES) {
            if (sequences <= bucket) {
                return bucket;
            }
        }
        throw new EngineFailure(
                String.format(
                        Locale.ROOT,
                        "own kernels compute for at most %d sequences, not %d",
                        AttentionShape.MOST_SLOTS,
                        sequences),
                null);
    }

    private KernelModule module(KernelSet set) {
        return modules.computeIfAbsent(set, s -> new KernelModule(driver, s));
    }

    /** The bytes of what the structure {@code Work} points to, in its order and without the answers. */
    private long[] sizes() {
        long hidden = config.hidden();
        long mixed = (long) config.heads() * config.headDim();
        long partials = new AttentionShape(config, driver.multiprocessors(), 1).partials();
        for (int bucket : BATCHES) {
            AttentionShape attention = new AttentionShape(config, driver.multiprocessors(), bucket);
            partials = Math.max(partials, slots > 1 ? attention.partials() : 0);
        }
        return new long[] {
            ACTIVE_BYTES + AttentionShape.MOST_SLOTS * (SLOT_BYTES + BEST_BYTES) + Long.BYTES,
            config.headDim() / 2 * (long) Float.BYTES,
            slots * (long) config.headDim() * Float.BYTES,
            slots * hidden * Float.BYTES,
            slots * hidden * dtype.bytes(),
            slots * mixed * Float.BYTES,
            slots * mixed * Float.BYTES,
            slots * (long) config.intermediate() * Float.BYTES,
            slots * (long) config.vocabulary() * Float.BYTES,
            partials * Float.BYTES,
            slots * (long) config.heads() * Integer.BYTES
        };
    }

    private void write(long address, float[] values) {
        try (Memory copy = new Memory((long) Float.BYTES * values.length)) {
            copy.write(0, values, 0, values.length);
            driver.call("cuMemcpyHtoD_v2", new Pointer(address), copy, copy.size());
        }
    }

    /**
     * {@return the launches of one step for a {@link #bucket}, whose kernels are compiled if they are not yet}
     *
     * @throws EngineFailure where the kernels do not work for this model or device: says why
     */
    List<Launch> step(KernelWeights weights, int bucket) {
        StepSet set = sets.apply(bucket);
        StepSet head = bucket == 1 && quantization != Quantization.NONE
                ? new KernelShape(config, dtype, driver.multiprocessors(), tuning)
                : set;
        KernelModule module = module(set);
        int layers = config.layers();
        int embedding = MATRICES_OF_LAYER * layers;
        List<Launch> launches = new ArrayList<>();
        launches.add(new Launch(module.function("enter"), weights.matrix(embedding), 0, 0, 0));
        for (int layer = 0; layer < layers; layer++) {
            int first = MATRICES_OF_LAYER * layer;
            addProduct(launches, set, module, weights, "qkv", first + 1, first, layer);
            launches.add(new Launch(module.function("attention"), 0, 0, 0, layer));
            addProduct(launches, set, module, weights, "attention_out", first + 2, -1, layer);
            addProduct(launches, set, module, weights, "gate_up", first + 4, first + 3, layer);
            addProduct(launches, set, module, weights, "down", first + 5, -1, layer);
        }
        addProduct(
                launches,
                head,
                module(head),
                weights,
                "choose",
                config.tiedHead() ? embedding : embedding + 2,
                embedding + 1,
                0);
        return launches;
    }

    private static void addProduct(
            List<Launch> launches,
            StepSet set,
            KernelModule module,
            KernelWeights weights,
            String kernel,
            int matrix,
            int norm,
            int layer) {
        long scale = norm < 0 ? 0 : weights.matrix(norm);
        if (set.normalizesBefore(kernel)) {
            launches.add(new Launch(module.function("normalize"), 0, scale, 0, layer));
        }
        launches.add(new Launch(module.function(kernel), weights.matrix(matrix), scale, weights.scales(matrix), layer));
    }

    /**
     * Starts them on a stream, one after the other.
     *
     * @param row which row of the {@link #answers} the tokens go to
     */
    void launch(KernelStream stream, List<Launch> launches, int row) {
        work.setLong(Long.BYTES, answers.address(row));
        for (Launch launch : launches) {
            stream.launch(launch, work);
        }
    }

    /**
     * Says which sequences the next step continues, in the first slots of the table. After a step the device itself has put the
     * token that it chose and the next position there.
     */
    void place(KernelStream stream, List<Slot> sequences) {
        table.setLong(0, sequences.size());
        long at = ACTIVE_BYTES;
        for (Slot slot : sequences) {
            table.setInt(at, slot.token());
            table.setInt(at + Integer.BYTES, slot.position());
            table.setLong(at + Long.BYTES, slot.cacheAddress());
            table.setLong(at + 2L * Long.BYTES, slot.layerStrideBytes());
            at += SLOT_BYTES;
        }
        // the driver has copied the table when it returns, for it is not in pinned memory
        driver.call("cuMemcpyHtoDAsync_v2", new Pointer(state), table, at, stream.handle());
    }

    /** {@return where the logits of the step before are, [slots][vocabulary] in fp32; of the slots that had a sequence} */
    long logitsAddress() {
        return logits;
    }

    /** {@return the logits of the step before, once the device is done} */
    float[] logits(int slot) {
        int vocabulary = config.vocabulary();
        try (Memory copy = new Memory((long) Float.BYTES * vocabulary)) {
            driver.call("cuMemcpyDtoH_v2", copy, new Pointer(logits + slot * copy.size()), copy.size());
            return copy.getFloatArray(0, vocabulary);
        }
    }

    Answers answers() {
        return answers;
    }

    @Override
    public void close() {
        answers.close();
        memory.close();
        modules.values().forEach(KernelModule::close);
        work.close();
        table.close();
    }
}
