package io.github.latencybudget.target.llama;

import java.nio.ByteBuffer;

/** Runs the static step, which a CUDA graph records elsewhere, operation by operation: shows without a GPU that it is right. */
final class EagerDecoding implements Decoding {

    private final LlamaProgram program;
    private final ByteBuffer answer;
    private long[] prompt = {};

    EagerDecoding(LlamaProgram program) {
        this.program = program;
        this.answer = program.answer();
    }

    @Override
    public String description() {
        return "static steps, not recorded";
    }

    @Override
    public void prepare(int promptTokens, int outputTokens) {}

    @Override
    public void forget() {}

    @Override
    public void begin(long[] prompt, int outputTokens) {
        this.prompt = prompt;
    }

    @Override
    public long prefill() {
        program.prefill(prompt);
        return program.latest();
    }

    @Override
    public long decode() {
        program.step(program.cacheTokens(), false);
        long token = program.latest();
        if (answer.getLong(0) != token) {
            throw new AssertionError("the host was given %d, the device chose %d".formatted(answer.getLong(0), token));
        }
        return token;
    }

    @Override
    public double[] deviceMs() {
        return new double[0];
    }

    @Override
    public void close() {}
}
