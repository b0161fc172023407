package io.github.latencybudget.target.llama;

import java.util.Optional;

/** Runs the program operation by operation. Works everywhere. */
final class PlainDecoding implements Decoding {

    private final LlamaProgram program;
    private final String reason;
    private final Optional<DeviceTimes> times;
    private long[] prompt = {};

    /**
     * @param reason why nothing faster was chosen
     * @param times to take the device's times with; empty where there is no CUDA device
     */
    PlainDecoding(LlamaProgram program, String reason, Optional<DeviceTimes> times) {
        this.program = program;
        this.reason = reason;
        this.times = times;
    }

    @Override
    public String description() {
        return "plain, " + reason;
    }

    @Override
    public void prepare(int promptTokens, int outputTokens) {
        times.ifPresent(t -> t.reserve(outputTokens));
    }

    @Override
    public void forget() {
        // it refers to nothing
    }

    @Override
    public void begin(long[] prompt, int outputTokens) {
        this.prompt = prompt;
        times.ifPresent(t -> t.begin(outputTokens));
    }

    @Override
    public long prefill() {
        return timed(() -> program.prefill(prompt));
    }

    @Override
    public long decode() {
        return timed(program::decode);
    }

    private long timed(Runnable work) {
        times.ifPresent(t -> t.start(CudaDriver.DEFAULT_STREAM));
        work.run();
        times.ifPresent(t -> t.stop(CudaDriver.DEFAULT_STREAM));
        return program.latest();
    }

    @Override
    public float[] logits(long id, int place) {
        return program.stepLogits(id, place);
    }

    @Override
    public double[] deviceMs() {
        return times.map(DeviceTimes::milliseconds).orElse(new double[0]);
    }

    @Override
    public void close() {
        times.ifPresent(DeviceTimes::close);
    }
}
