package io.github.latencybudget.llama;

import java.util.List;

/**
 * Takes prompts with products by PyTorch and own kernels between them, which pass over the rows as few times as they can. All on
 * PyTorch's stream.
 */
final class KernelPrefill implements AutoCloseable {

    private static final int MATRICES_OF_LAYER = 6;

    /** In the order of the program's {@code room}. */
    private static final int STREAM = 0;

    private static final int NORMED = 1;
    private static final int PROJECTED = 2;
    private static final int GATES = 3;
    private static final int INNER = 4;
    private static final int DENSE = 5;

    private final LlamaProgram program;
    private final PromptRows parts;
    private final LlamaConfig config;
    private final LlamaOptions options;
    private final List<Matrix> matrices;
    private final PrefillKernels kernels;
    private final long[] weights;
    private final long[] scales;
    private final long largest;
    private long[] room = {};
    private int roomRows;

    /** @throws EngineFailure where the kernels do not work for this model or device: says why */
    KernelPrefill(LlamaProgram program, LlamaConfig config, LlamaOptions options, CudaDriver driver) {
        this.program = program;
        this.parts = program.promptRows();
        this.config = config;
        this.options = options;
        this.matrices = Matrix.of(config);
        this.kernels = new PrefillKernels(driver, config, options.dtype());
        this.weights = new long[matrices.size()];
        this.scales = new long[matrices.size()];
        long most = 0;
        for (int i = 0; i < weights.length; i++) {
            weights[i] = program.address(i);
            if (isQuantized(i)) {
                scales[i] = program.scaleAddress(i);
                most = Math.max(most, matrices.get(i).numbers());
            }
        }
        this.largest = most;
    }

    private boolean isQuantized(int index) {
        return matrices.get(index).quantization(options) != Quantization.NONE;
    }

    /** Makes room for so many rows. */
    void prepare(int rows) {
        if (rows > roomRows) {
            roomRows = 0;
            parts.makeRoom(rows, largest);
            room = new long[largest > 0 ? DENSE + 1 : INNER + 1];
            for (int i = 0; i < room.length; i++) {
                room[i] = parts.roomAddress(i);
            }
            roomRows = rows;
        }
    }

    /** Runs one step of sequences that have KV caches; it returns before the device is done. */
    void forward(List<Sequence> sequences) {
        StepRows rows = StepRows.of(sequences);
        int n = rows.ids().length;
        prepare(n);
        parts.enter(rows);
        for (int layer = 0; layer < config.layers(); layer++) {
            int first = MATRICES_OF_LAYER * layer;
            kernels.norm(n, room[STREAM], weights[first], room[NORMED]);
            dense(first + 1);
            parts.project(layer, n);
            turn(sequences, rows, layer);
            if (layer == config.layers() - 1) {
                parts.leave(rows);
                return;
            }
            dense(first + 2);
            parts.attend(layer, rows);
            kernels.norm(n, room[STREAM], weights[first + 3], room[NORMED]);
            dense(first + 4);
            parts.gate(layer, n);
            kernels.gate(n, room[GATES], room[INNER]);
            dense(first + 5);
            parts.down(layer, n);
        }
    }

    private void turn(List<Sequence> sequences, StepRows rows, int layer) {
        long rowBytes = (long) (config.heads() + 2 * config.kvHeads())
                * config.headDim()
                * options.dtype().bytes();
        long at = room[PROJECTED];
        for (int s = 0; s < sequences.size(); s++) {
            Sequence sequence = sequences.get(s);
            int count = Math.toIntExact(rows.counts()[s]);
            long cache = sequence.cacheAddress(program) + layer * sequence.layerBytes(config, options);
            kernels.turn(count, at, cache, Math.toIntExact(rows.starts()[s]));
            at += count * rowBytes;
        }
    }

    private void dense(int index) {
        if (isQuantized(index)) {
            Matrix matrix = matrices.get(index);
            kernels.dequantize(
                    options.quantization(),
                    matrix.rows(),
                    matrix.columns(),
                    weights[index],
                    scales[index],
                    room[DENSE]);
        }
    }

    @Override
    public void close() {
        kernels.close();
    }
}
