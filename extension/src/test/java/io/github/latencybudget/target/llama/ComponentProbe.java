package io.github.latencybudget.target.llama;

/** Times candidate formulations of the parts of a decode step of the 7B shape, each in a CUDA graph. */
final class ComponentProbe {

    /** Outputs and inputs of the five products of a decode step. */
    static final int[][] SHAPES = {{12288, 4096}, {4096, 4096}, {22016, 4096}, {4096, 11008}, {32000, 4096}};

    private static final String[] GEMV = {
        "mm, transposed view",
        "mm, contiguous [in, out]",
        "linear",
        "mv",
        "addmm_ in place, transposed view",
        "addmm with bias (cublasLt)",
        "mm, matrix first",
        "mm, 2 rows",
        "mm, 4 rows",
        "mm, 8 rows",
        "mm, 16 rows",
        "bmm, outputs in 2",
        "bmm, outputs in 4",
        "bmm, outputs in 8",
        "bmm, outputs in 16",
        "bmm, outputs in 32",
        "bmm, matrix first, outputs in 2",
        "bmm, matrix first, outputs in 8",
        "bmm, matrix first, outputs in 32",
        "bmm, inputs in 2, sum",
        "bmm, inputs in 4, sum",
        "bmm, inputs in 8, sum",
        "mm, matrix times 8 columns",
        "mm, matrix times 16 columns",
        "_addmm_activation (cublasLt)",
        "addmv_ in place",
        "mm out=, matrix first",
    };
    private static final String[] ATTENTION = {
        "sdpa, additive mask",
        "sdpa, boolean mask",
        "sdpa, no mask, narrow",
        "bmm, add, softmax, bmm",
        "flash, length on the device",
        "efficient, length on the device",
        "one bmm of the two",
    };
    private static final String[] SMALL = {
        "norm: neg + layer_norm",
        "norm: _weight_norm_interface",
        "norm: rms_norm",
        "layer_norm alone",
        "rope: mul_ + roll + addcmul_",
        "rope: complex mul_",
        "rope: mm with a rotation",
        "kv: index_copy_",
        "kv: scatter_",
        "kv: copy_",
        "silu + mul",
        "argmax out",
        "max",
        "neg alone",
    };

    private final GraphTimer timer;
    private final ProbeProgram program;

    ComponentProbe(GraphTimer timer, ProbeProgram program) {
        this.timer = timer;
        this.program = program;
    }

    void copy() {
        program.run("forget");
        program.run("make_copy", 1L << 31);
        System.out.println("  copy of 2 GiB, counting reads and writes");
        timer.print("copy_", 2L << 31, 4, () -> program.run("copy", 0, 4));
    }

    void gemv() {
        double[][] micros = new double[SHAPES.length][GEMV.length];
        for (int s = 0; s < SHAPES.length; s++) {
            int[] shape = SHAPES[s];
            long bytes = 2L * shape[0] * shape[1];
            int copies = (int) Math.max(4, 400_000_000 / bytes);
            int repetitions = (96 + copies - 1) / copies * copies;
            System.out.printf("  [1, %d] x [%d, %d] fp16, %d copies%n", shape[1], shape[1], shape[0], copies);
            program.run("forget");
            program.run("make_gemv", copies, shape[0], shape[1]);
            for (int kind = 0; kind < GEMV.length; kind++) {
                int k = kind;
                micros[s][k] = timer.print(GEMV[k], bytes, repetitions, () -> program.run("gemv", k, repetitions));
            }
        }
        program.run("forget");
        GraphTimer.printTotals(GEMV, micros);
    }

    void attention() {
        for (int tokens : new int[] {256, 640, 2176}) {
            long bytes = 2L * 2 * tokens * 4096;
            System.out.printf("  attention of one query, 32 heads of 128, %d places%n", tokens);
            program.run("forget");
            program.run("make_attention", 32, tokens, 32, 128);
            for (int kind = 0; kind < ATTENTION.length; kind++) {
                int k = kind;
                timer.print(ATTENTION[k], bytes, 96, () -> program.run("attention", k, 96));
            }
        }
    }

    void small() {
        System.out.println("  small operations");
        program.run("forget");
        program.run("make_small", 4096, 11008, 32, 128, 32000);
        for (int kind = 0; kind < SMALL.length; kind++) {
            int k = kind;
            timer.print(SMALL[k], 0, 96, () -> program.run("tiny", k, 96));
        }
        program.run("forget");
    }
}
