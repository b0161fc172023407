package io.github.latencybudget.llama;

import io.github.latencybudget.trace.Sampling;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs the program operation by operation. Works everywhere. */
final class PlainDecoding implements Decoding {

    private final LlamaProgram program;
    private final String reason;
    private final Optional<DeviceTimes> times;

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
    public void prepare(int sequences) {
        // nothing is made beforehand
    }

    @Override
    public long[] prefill(List<Sequence> sequences) {
        return decode(sequences, false);
    }

    @Override
    public long[] decode(List<Sequence> sequences, boolean again) {
        times.ifPresent(t -> t.start(CudaDriver.DEFAULT_STREAM));
        program.forward(StepRows.of(sequences));
        times.ifPresent(t -> t.stop(CudaDriver.DEFAULT_STREAM));
        return chosen(program, sequences);
    }

    /** Waits for the device. {@return the next token of every sequence of the program's latest step} */
    static long[] chosen(LlamaProgram program, List<Sequence> sequences) {
        long[] tokens = sequences.size() == 1 ? new long[] {program.best()} : program.bests();
        draw(program, sequences, false, tokens);
        return tokens;
    }

    /**
     * Replaces the most probable tokens where others are to be drawn.
     *
     * @param outside whether the logits were computed outside the program, row by row in the order of the sequences
     */
    static void draw(LlamaProgram program, List<Sequence> sequences, boolean outside, long[] tokens) {
        Map<Sampling, List<Integer>> drawn = new LinkedHashMap<>();
        for (int row = 0; row < sequences.size(); row++) {
            Draws draws = sequences.get(row).draws();
            if (!draws.isGreedy()) {
                drawn.computeIfAbsent(draws.sampling().withSeed(0), s -> new ArrayList<>())
                        .add(row);
            }
        }
        drawn.forEach((sampling, rows) -> {
            long[] ids = program.drawNext(outside, rows, sequences, sampling);
            for (int i = 0; i < ids.length; i++) {
                tokens[rows.get(i)] = ids[i];
            }
        });
    }

    @Override
    public float[] logits(int slot, long id, int place) {
        return program.logits(new long[] {id}, slot, place);
    }

    @Override
    public long[] takeDeviceNanos() {
        return times.map(DeviceTimes::take).orElse(new long[0]);
    }

    @Override
    public void close() {
        times.ifPresent(DeviceTimes::close);
    }
}
