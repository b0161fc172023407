package io.github.latencybudget.llama;

/** Where the weights are on the device, in the order of {@link Matrix#of}. */
interface KernelWeights {

    /** {@return the address of a matrix} */
    long matrix(int index);

    /** {@return the address of the scales of a quantised matrix, 0 for another} */
    default long scales(int index) {
        return 0;
    }
}
