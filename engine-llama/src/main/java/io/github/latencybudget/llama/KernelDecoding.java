package io.github.latencybudget.llama;

import com.sun.jna.Pointer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Takes prompts with own kernels between PyTorch's products, and decodes with own kernels on the same weights and KV caches, recorded as a CUDA graph for each
 * bucket of sequences and replayed for every step. What the kernels cannot do, the program does: sequences without a KV cache,
 * and more of them together than there are kernels for.
 */
final class KernelDecoding implements Decoding {

    private final LlamaProgram program;
    private final LlamaConfig config;
    private final LlamaOptions options;
    private final CudaDriver driver;
    private final DecodeKernels kernels;
    private final KernelStream stream;
    private final DeviceTimes times;
    private final PlainDecoding plain;
    private final KernelPrefill prefill;
    private final boolean spin;
    private final Map<Integer, List<Pointer>> graphs = new HashMap<>();

    /** Whose tokens and places the device has moved on by itself, in the order of its table. */
    private List<Sequence> onDevice = List.of();

    /** Whose step was begun ahead. */
    private List<Sequence> ahead = List.of();

    /** The row of the answers that the next step writes to. */
    private int row;

    private Optional<Pointer> roomForLogits = Optional.empty();

    private KernelDecoding(
            LlamaProgram program,
            LlamaConfig config,
            LlamaOptions options,
            CudaDriver driver,
            DecodeKernels kernels,
            KernelPrefill prefill,
            boolean spin) {
        this.program = program;
        this.config = config;
        this.options = options;
        this.driver = driver;
        this.kernels = kernels;
        this.prefill = prefill;
        this.spin = spin;
        this.stream = new KernelStream(driver);
        this.times = new DeviceTimes(driver);
        this.plain = new PlainDecoding(program, "", Optional.of(times));
    }

    /** Whether the kernels work for this model and device is known when it first prepares. */
    static KernelDecoding open(
            LlamaProgram program, LlamaConfig config, LlamaOptions options, CudaDriver driver, Tuning tuning) {
        DecodeKernels kernels = new DecodeKernels(driver, config, options.dtype(), options.quantization(), tuning);
        boolean opened = false;
        try {
            KernelPrefill prefill = new KernelPrefill(program, config, options, driver);
            opened = true;
            return new KernelDecoding(program, config, options, driver, kernels, prefill, tuning.spin());
        } finally {
            if (!opened) {
                kernels.close();
            }
        }
    }

    @Override
    public String description() {
        return "own kernels, cuda graph"
                + (options.dtype() == Dtype.FP32 ? "; plain for more than one sequence in fp32" : "")
                + (options.kvMode().equals(KvMode.ON) ? "" : "; plain for sequences without a kv cache");
    }

    @Override
    public void prepare(int sequences) {
        if (isForKernels(sequences)) {
            graphs(sequences);
        }
    }

    private boolean isForKernels(int sequences) {
        return sequences == 1 || options.dtype() != Dtype.FP32;
    }

    /**
     * The step for so many sequences, for each row of the answers. It finds their caches by the table of slots, so that it need not
     * be recorded again.
     */
    private List<Pointer> graphs(int sequences) {
        return graphs.computeIfAbsent(kernels.bucket(sequences), bucket -> {
            var step = kernels.step(weights(), bucket);
            // PyTorch works on another stream, perhaps still on weights
            driver.enter();
            driver.call("cuCtxSynchronize");
            return IntStream.range(0, Answers.ROWS)
                    .mapToObj(r -> stream.record(() -> kernels.launch(stream, step, r)))
                    .toList();
        });
    }

    private KernelWeights weights() {
        List<Matrix> matrices = Matrix.of(config);
        return new KernelWeights() {
            @Override
            public long matrix(int index) {
                return program.address(index);
            }

            @Override
            public long scales(int index) {
                return matrices.get(index).quantization(options) == Quantization.NONE ? 0 : program.scaleAddress(index);
            }
        };
    }

    /** Ends with the device done: the stream of the kernels may go on from here. */
    @Override
    public long[] prefill(List<Sequence> sequences) {
        dropAhead();
        onDevice = List.of();
        if (!sequences.stream().allMatch(Sequence::isCached)) {
            return plain.prefill(sequences);
        }
        times.start(CudaDriver.DEFAULT_STREAM);
        prefill.forward(sequences);
        times.stop(CudaDriver.DEFAULT_STREAM);
        return PlainDecoding.chosen(program, sequences);
    }

    @Override
    public long[] decode(List<Sequence> sequences, boolean again) {
        int n = sequences.size();
        if (!ahead.equals(sequences)) {
            dropAhead();
        }
        if (!isForKernels(n) || !sequences.stream().allMatch(Sequence::isCached)) {
            onDevice = List.of();
            return plain.decode(sequences, again);
        }
        if (ahead.isEmpty()) {
            begin(sequences);
        }
        int answer = 1 - row;
        boolean greedy = sequences.stream().allMatch(s -> s.draws().isGreedy());
        onDevice = greedy ? sequences : List.of();
        ahead = List.of();
        // who waits for all of the stream would wait for both steps
        if (again && greedy && spin) {
            begin(sequences);
            ahead = sequences;
        }
        long[] tokens = kernels.answers().await(answer, n, stream.handle(), spin);
        if (!greedy) {
            draw(sequences, tokens);
        }
        return tokens;
    }

    private void begin(List<Sequence> sequences) {
        Pointer graph = graphs(sequences.size()).get(row);
        times.start(stream.handle());
        if (!onDevice.equals(sequences)) {
            kernels.place(stream, sequences.stream().map(this::slot).toList());
        }
        kernels.answers().clear(row, sequences.size());
        stream.launch(graph);
        times.stop(stream.handle());
        row = 1 - row;
    }

    @Override
    public boolean isAhead() {
        return !ahead.isEmpty();
    }

    @Override
    public void dropAhead() {
        if (isAhead()) {
            ahead = List.of();
            onDevice = List.of();
            times.forgetLast();
            stream.await();
        }
    }

    private Slot slot(Sequence sequence) {
        return new Slot(
                Math.toIntExact(sequence.latest()),
                sequence.size() - 1,
                sequence.cacheAddress(program),
                sequence.layerBytes(config, options));
    }

    private void draw(List<Sequence> sequences, long[] tokens) {
        if (roomForLogits.isEmpty()) {
            roomForLogits = Optional.of(new Pointer(program.roomForLogits(KvCaches.MOST)));
        }
        stream.await();
        long bytes = (long) Float.BYTES * config.vocabulary() * sequences.size();
        driver.call("cuMemcpyDtoD_v2", roomForLogits.get(), new Pointer(kernels.logitsAddress()), bytes);
        PlainDecoding.draw(program, sequences, true, tokens);
    }

    @Override
    public float[] logits(int slot, long id, int place) {
        driver.enter();
        dropAhead();
        onDevice = List.of();
        // PyTorch works on another stream, perhaps still on the zeros of the cache
        driver.call("cuCtxSynchronize");
        long cache = program.cacheAddress(slot, 0);
        long stride = config.layers() > 1 ? program.cacheAddress(slot, 1) - cache : 0;
        kernels.place(stream, List.of(new Slot(Math.toIntExact(id), place, cache, stride)));
        stream.launch(graphs(1).get(row));
        stream.await();
        return kernels.logits(0);
    }

    @Override
    public long[] takeDeviceNanos() {
        return times.take();
    }

    @Override
    public void close() {
        stream.await();
        graphs.values().forEach(rows -> rows.forEach(stream::destroy));
        times.close();
        stream.close();
        kernels.close();
        prefill.close();
    }
}
