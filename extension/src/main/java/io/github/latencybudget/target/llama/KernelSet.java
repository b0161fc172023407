package io.github.latencybudget.target.llama;

import java.util.List;

/** The kernels of a step that are compiled together, for a number of sequences. */
interface KernelSet {

    /** {@return for how many sequences at most} */
    int slots();

    /** {@return the file with their products} */
    String products();

    /** {@return the options of the compiler that stand for their sizes} */
    List<String> macros();

    /** {@return all of them, once} */
    List<Kernel> kernels();

    /** {@return whether the norm before a product has a kernel of its own} */
    boolean normalizesBefore(String product);

    AttentionShape attention();
}
