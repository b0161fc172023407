package io.github.latencybudget.llama;

/** Where weights come from. */
interface Weights {

    /** {@return where they come from, as results say it} */
    String description();

    /**
     * Gives the program the numbers of one matrix.
     *
     * @param index which of the program's matrices, in the order of {@link Matrix#of}
     */
    void give(LlamaProgram program, int index, Matrix matrix);
}
