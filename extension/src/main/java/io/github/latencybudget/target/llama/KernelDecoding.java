package io.github.latencybudget.target.llama;

import com.sun.jna.Pointer;
import java.util.Optional;

/**
 * Takes the prompt by the program, and decodes with own kernels on the same weights and KV cache, recorded once as a CUDA graph
 * and replayed for every token. The graph holds addresses: it lives no longer than the KV cache that it was recorded for.
 */
final class KernelDecoding implements Decoding {

    private final LlamaProgram program;
    private final CudaDriver driver;
    private final DecodeKernels kernels;
    private final KernelStream stream;
    private final DeviceTimes times;
    private Optional<Pointer> graph = Optional.empty();
    private long[] prompt = {};

    private KernelDecoding(LlamaProgram program, CudaDriver driver, DecodeKernels kernels) {
        this.program = program;
        this.driver = driver;
        this.kernels = kernels;
        this.stream = new KernelStream(driver);
        this.times = new DeviceTimes(driver);
    }

    /** @throws EngineFailure where the kernels do not work for this model or device: says why */
    static KernelDecoding open(
            LlamaProgram program, LlamaConfig config, Dtype dtype, CudaDriver driver, Tuning tuning) {
        KernelShape shape = new KernelShape(config, dtype, driver.multiprocessors(), tuning);
        return new KernelDecoding(program, driver, new DecodeKernels(driver, shape));
    }

    @Override
    public String description() {
        return "own kernels, cuda graph";
    }

    @Override
    public void prepare(int promptTokens, int outputTokens) {
        times.reserve(outputTokens);
        if (outputTokens > 1) {
            graph();
        }
    }

    private Pointer graph() {
        Pointer recorded = graph.orElseGet(() -> {
            var step = kernels.step(program);
            // PyTorch works on another stream, perhaps still on weights or on the zeros of the cache
            driver.enter();
            driver.call("cuCtxSynchronize");
            return stream.record(() -> kernels.launch(stream, step));
        });
        graph = Optional.of(recorded);
        return recorded;
    }

    @Override
    public void forget() {
        graph.ifPresent(recorded -> {
            stream.await();
            stream.destroy(recorded);
        });
        graph = Optional.empty();
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
        kernels.place(stream, token, prompt.length);
        return token;
    }

    @Override
    public long decode() {
        times.start(stream.handle());
        kernels.answer().clear();
        stream.launch(graph());
        times.stop(stream.handle());
        return kernels.answer().await(stream.handle(), kernels.spin());
    }

    @Override
    public float[] logits(long id, int place) {
        driver.enter();
        kernels.place(stream, id, place);
        stream.launch(graph());
        stream.await();
        return kernels.logits();
    }

    @Override
    public double[] deviceMs() {
        return times.milliseconds();
    }

    @Override
    public void close() {
        forget();
        times.close();
        stream.close();
        kernels.close();
    }
}
