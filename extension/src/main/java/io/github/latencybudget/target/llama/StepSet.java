package io.github.latencybudget.target.llama;

import java.util.List;

/** The kernels of a decode step, for a number of sequences. */
interface StepSet extends KernelSet {

    /** {@return for how many sequences at most} */
    int slots();

    /** {@return the file with their products} */
    String products();

    /** {@return whether the norm before a product has a kernel of its own} */
    boolean normalizesBefore(String product);

    AttentionShape attention();

    @Override
    default List<String> texts() {
        return List.of("primitives.cu", "decode.cu", products(), "attention.cu");
    }
}
