package io.github.latencybudget.llama;

import java.util.ArrayList;
import java.util.List;

/**
 * One matrix of the program and the stored tensors that it is made of, one below the other.
 *
 * @param columns the width of every part
 * @param parts from the first row to the last
 * @param inLayer whether it belongs to a layer
 * @param norm whether it is the scale of a norm, stored without rows; it is taken twice because the norm is over (x, -x)
 */
record Matrix(int columns, List<Part> parts, boolean norm, boolean inLayer) {

    /**
     * @param tensor the name in the Hugging Face layout
     * @param rows how many rows it gives
     */
    record Part(String tensor, int rows) {}

    /** {@return the height of all parts together} */
    int rows() {
        return parts.stream().mapToInt(Part::rows).sum();
    }

    /** {@return how many rows the model has of it: a norm's scale is held twice} */
    int storedRows() {
        return norm ? 1 : rows();
    }

    /** {@return how it is kept} */
    Quantization quantization(LlamaOptions options) {
        return inLayer && !norm ? options.quantization() : Quantization.NONE;
    }

    /** {@return how many numbers it holds} */
    long numbers() {
        return (long) rows() * columns;
    }

    /** {@return the matrices of a model in the order that the program's method {@code arrange} takes them} */
    static List<Matrix> of(LlamaConfig config) {
        int hidden = config.hidden();
        int queries = config.heads() * config.headDim();
        int keys = config.kvHeads() * config.headDim();
        List<Matrix> matrices = new ArrayList<>();
        for (int i = 0; i < config.layers(); i++) {
            String layer = "model.layers." + i + ".";
            matrices.add(norm(layer + "input_layernorm.weight", hidden));
            String attention = layer + "self_attn.";
            matrices.add(new Matrix(
                    hidden,
                    List.of(
                            new Part(attention + "q_proj.weight", queries),
                            new Part(attention + "k_proj.weight", keys),
                            new Part(attention + "v_proj.weight", keys)),
                    false,
                    true));
            matrices.add(one(attention + "o_proj.weight", hidden, queries));
            matrices.add(norm(layer + "post_attention_layernorm.weight", hidden));
            String mlp = layer + "mlp.";
            matrices.add(new Matrix(
                    hidden,
                    List.of(
                            new Part(mlp + "gate_proj.weight", config.intermediate()),
                            new Part(mlp + "up_proj.weight", config.intermediate())),
                    false,
                    true));
            matrices.add(one(mlp + "down_proj.weight", hidden, config.intermediate()));
        }
        matrices.add(one("model.embed_tokens.weight", config.vocabulary(), hidden));
        matrices.add(norm("model.norm.weight", hidden));
        if (!config.tiedHead()) {
            matrices.add(one("lm_head.weight", config.vocabulary(), hidden));
        }
        return matrices;
    }

    private static Matrix one(String tensor, int rows, int columns) {
        return new Matrix(columns, List.of(new Part(tensor, rows)), false, tensor.contains(".layers."));
    }

    private static Matrix norm(String tensor, int columns) {
        return new Matrix(
                columns, List.of(new Part(tensor, 1), new Part(tensor, 1)), true, tensor.contains(".layers."));
    }
}
