package io.github.latencybudget.target.llama;

import io.github.latencybudget.target.MeasurementException;
import java.util.List;
import java.util.Optional;

/** Chooses how to decode: with CUDA graphs where they can be recorded, else plainly. */
final class Decodings {

    private Decodings() {}

    /**
     * Tries it out on a small KV cache.
     *
     * @throws MeasurementException where the option {@code cudaGraph} insists on what does not work here
     */
    static Decoding choose(LlamaProgram program, LlamaOptions options) {
        if (!options.onGpu()) {
            return new PlainDecoding(program, "the device is cpu", Optional.empty());
        }
        String reason = "cudaGraph = off";
        Optional<CudaDriver> driver = Optional.empty();
        try {
            driver = Optional.of(CudaDriver.open(options.ordinal()));
            if (options.cudaGraph() != LlamaOptions.CudaGraph.OFF) {
                return graphs(program, driver.get(), options);
            }
        } catch (EngineFailure | OutOfMemoryFailure e) {
            reason = String.valueOf(e.getMessage());
        }
        if (options.cudaGraph() == LlamaOptions.CudaGraph.ON) {
            throw new MeasurementException(
                    "option cudaGraph = on cannot be followed on %s (%s): use auto to decode without graphs there"
                            .formatted(options.device(), reason));
        }
        return new PlainDecoding(program, reason, driver.map(DeviceTimes::new));
    }

    /** Attention that reads its length from the device wants half precision and a GPU of some age; a mask always works. */
    private static Decoding graphs(LlamaProgram program, CudaDriver driver, LlamaOptions options) {
        EngineFailure failure = new EngineFailure("no graph was tried", null);
        for (boolean exact : options.dtype() == Dtype.FP16 ? List.of(true, false) : List.of(false)) {
            try {
                return tryOut(program, driver, options.ordinal(), exact);
            } catch (EngineFailure e) {
                failure = e;
            }
        }
        throw failure;
    }

    private static Decoding tryOut(LlamaProgram program, CudaDriver driver, int ordinal, boolean exact) {
        Decoding decoding = new GraphDecoding(program, driver, CaptureStream.open(driver, ordinal), exact);
        boolean works = false;
        try {
            program.reserve(2);
            decoding.prepare(1, 2);
            works = true;
            return decoding;
        } finally {
            decoding.forget();
            program.release();
            if (!works) {
                decoding.close();
            }
        }
    }
}
