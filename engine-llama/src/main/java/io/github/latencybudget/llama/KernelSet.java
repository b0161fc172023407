package io.github.latencybudget.llama;

import java.util.List;

/** Kernels that are compiled together. */
interface KernelSet {

    /** {@return the files with their text} */
    List<String> texts();

    /** {@return the options of the compiler that stand for their sizes} */
    List<String> macros();

    /** {@return all of them, once} */
    List<Kernel> kernels();
}
