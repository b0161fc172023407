package io.github.latencybudget.llama;

import java.util.Arrays;

/** A type that the model computes in or that its weights are stored in. */
enum Dtype {
    FP32("fp32", "F32", 6, 4),
    FP16("fp16", "F16", 5, 2),
    /** The engine's Java side knows no such tensors, and an array of them ends the JVM: of such a tensor it may ask for the handle and the device only. */
    BF16("bf16", "BF16", 15, 2);

    private final String label;
    private final String safetensors;
    private final int torch;
    private final int bytes;

    Dtype(String label, String safetensors, int torch, int bytes) {
        this.label = label;
        this.safetensors = safetensors;
        this.torch = torch;
        this.bytes = bytes;
    }

    /** {@return the name in results} */
    String label() {
        return label;
    }

    /** {@return the name in the header of a safetensors file} */
    String safetensors() {
        return safetensors;
    }

    /** {@return the number of the type in TorchScript (c10::ScalarType)} */
    int torch() {
        return torch;
    }

    /** {@return the name of a type by its number in TorchScript, whether a model computes in it or not} */
    static String label(long torch) {
        return Arrays.stream(values())
                .filter(dtype -> dtype.torch == torch)
                .map(Dtype::label)
                .findFirst()
                .orElse("type " + torch + " of c10::ScalarType");
    }

    /** {@return the size of one number} */
    int bytes() {
        return bytes;
    }
}
