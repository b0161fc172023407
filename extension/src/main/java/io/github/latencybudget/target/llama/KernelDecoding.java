package io.github.latencybudget.target.llama;

import com.sun.jna.Pointer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Takes the prompt by the program, and decodes with own kernels on the same weights and KV cache, recorded once as a CUDA graph
 * and replayed for every token.
 */
final class KernelDecoding implements Decoding {

    private final LlamaProgram program;
    private final int layers;
    private final CudaDriver driver;
    private final DecodeKernels kernels;
    private final KernelStream stream;
    private final DeviceTimes times;
    private final boolean spin;
    private final Map<Integer, Pointer> graphs = new HashMap<>();
    private long[] prompt = {};

    private KernelDecoding(LlamaProgram program, int layers, CudaDriver driver, DecodeKernels kernels, boolean spin) {
        this.program = program;
        this.layers = layers;
        this.driver = driver;
        this.kernels = kernels;
        this.spin = spin;
        this.stream = new KernelStream(driver);
        this.times = new DeviceTimes(driver);
    }

    /** Whether the kernels work for this model and device is known when it first prepares. */
    static KernelDecoding open(
            LlamaProgram program, LlamaConfig config, Dtype dtype, CudaDriver driver, Tuning tuning) {
        DecodeKernels kernels = new DecodeKernels(driver, config, dtype, Quantization.NONE, tuning);
        return new KernelDecoding(program, config.layers(), driver, kernels, tuning.spin());
    }

    @Override
    public String description() {
        return "own kernels, cuda graph";
    }

    @Override
    public void prepare(int promptTokens, int outputTokens) {
        times.reserve(outputTokens);
        if (outputTokens > 1) {
            graph(1);
        }
    }

    /** The step for so many sequences. It finds their caches by the table of slots, so that it need not be recorded again. */
    private Pointer graph(int sequences) {
        return graphs.computeIfAbsent(kernels.bucket(sequences), bucket -> {
            var step = kernels.step(program::address, bucket);
            // PyTorch works on another stream, perhaps still on weights
            driver.enter();
            driver.call("cuCtxSynchronize");
            return stream.record(() -> kernels.launch(stream, step));
        });
    }

    private void place(long token, int position) {
        long cache = program.cacheAddress(0);
        long stride = layers > 1 ? program.cacheAddress(1) - cache : 0;
        kernels.place(stream, List.of(new Slot(Math.toIntExact(token), position, cache, stride)));
    }

    @Override
    public void forget() {
        stream.await();
    }

    @Override
    public void begin(long[] prompt, int outputTokens) {
        this.prompt = prompt;
        prepare(prompt.length, outputTokens);
        times.begin(outputTokens);
    }

    @Override
    public long prefill() {
        times.start(CudaDriver.DEFAULT_STREAM);
        program.prefill(prompt);
        times.stop(CudaDriver.DEFAULT_STREAM);
        // waits: the other stream may go on from here
        long token = program.latest();
        place(token, prompt.length);
        return token;
    }

    @Override
    public long decode() {
        times.start(stream.handle());
        kernels.answers().clear(1);
        stream.launch(graph(1));
        times.stop(stream.handle());
        return kernels.answers().await(1, stream.handle(), spin)[0];
    }

    @Override
    public float[] logits(long id, int place) {
        driver.enter();
        // PyTorch works on another stream, perhaps still on the zeros of the cache
        driver.call("cuCtxSynchronize");
        place(id, place);
        stream.launch(graph(1));
        stream.await();
        return kernels.logits(0);
    }

    @Override
    public double[] deviceMs() {
        return times.milliseconds();
    }

    @Override
    public void close() {
        forget();
        graphs.values().forEach(stream::destroy);
        times.close();
        stream.close();
        kernels.close();
    }
}
