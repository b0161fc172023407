package io.github.latencybudget.llama;

import java.util.List;
import java.util.stream.Stream;

/** The kernels of a decode step, for a number of sequences. */
interface StepSet extends KernelSet {

    /** {@return for how many sequences at most} */
    int slots();

    /** {@return the files with their products} */
    List<String> products();

    /** {@return whether the norm before a product has a kernel of its own} */
    boolean normalizesBefore(String product);

    AttentionShape attention();

    @Override
    default List<String> texts() {
        return Stream.of(List.of("primitives.cu", "decode.cu"), products(), List.of("attention.cu"))
                .flatMap(List::stream)
                .toList();
    }
}
