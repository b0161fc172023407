package io.github.latencybudget.llama;

import ai.djl.pytorch.jni.IValue;
import java.util.Arrays;

/** One step of the program in its parts, for kernels between them. They have to be called in the order of a layer. */
final class PromptRows {

    private final Script script;

    PromptRows(Script script) {
        this.script = script;
    }

    /** Makes memory for so many rows of a step that is run in parts, and for a matrix of so many numbers, 0 for none. */
    void makeRoom(int rows, long largest) {
        script.run("room_for_rows", IValue.from((long) rows), IValue.from(largest));
    }

    /** {@return where a part of it is, in the order of the program's text} */
    long roomAddress(int index) {
        return script.address("room", IValue.from((long) index));
    }

    /** The rows enter the residual stream. */
    void enter(StepRows rows) {
        script.run("enter_rows", IValue.listFrom(rows.ids()));
    }

    /** Queries, keys and values of the normed rows. */
    void project(int layer, int n) {
        script.run("project_rows", IValue.from((long) layer), IValue.from((long) n));
    }

    /** Adds to the residual stream what attention gives. */
    void attend(int layer, StepRows rows) {
        IValue[] arguments = Arrays.copyOf(rows.places(IValue.from((long) layer)), 5);
        arguments[4] = IValue.from((long) rows.ids().length);
        script.run("attend_rows", arguments);
    }

    /** The gate of the normed rows, and what it gates. */
    void gate(int layer, int n) {
        script.run("gate_rows", IValue.from((long) layer), IValue.from((long) n));
    }

    /** Adds to the residual stream what the feed-forward block gives. */
    void down(int layer, int n) {
        script.run("down_rows", IValue.from((long) layer), IValue.from((long) n));
    }

    /** What is left of the last layer once its keys and values are in the caches. */
    void leave(StepRows rows) {
        script.run("leave_rows", rows.places());
    }
}
