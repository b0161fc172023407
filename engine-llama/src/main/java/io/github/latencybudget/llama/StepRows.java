package io.github.latencybudget.llama;

import ai.djl.pytorch.jni.IValue;
import java.util.Arrays;
import java.util.List;

/**
 * The rows of a step, one sequence after the other.
 *
 * @param ids the new tokens of all sequences
 * @param slots of the sequences
 * @param starts the place of the first new token of each, counted from 0
 * @param counts how many new tokens each has
 */
record StepRows(long[] ids, long[] slots, long[] starts, long[] counts) {

    static StepRows of(List<Sequence> sequences) {
        long[][] next = sequences.stream().map(Sequence::next).toArray(long[][]::new);
        return new StepRows(
                next.length == 1
                        ? next[0]
                        : Arrays.stream(next).flatMapToLong(Arrays::stream).toArray(),
                sequences.stream().mapToLong(Sequence::slot).toArray(),
                sequences.stream().mapToLong(Sequence::start).toArray(),
                Arrays.stream(next).mapToLong(ids -> ids.length).toArray());
    }

    /** {@return arguments of the program, with slots, starts and counts as the last} */
    IValue[] places(IValue... before) {
        IValue[] arguments = Arrays.copyOf(before, before.length + 3);
        arguments[before.length] = IValue.listFrom(slots);
        arguments[before.length + 1] = IValue.listFrom(starts);
        arguments[before.length + 2] = IValue.listFrom(counts);
        return arguments;
    }
}
