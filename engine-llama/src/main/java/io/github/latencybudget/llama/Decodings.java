package io.github.latencybudget.llama;

import io.github.latencybudget.inference.MeasurementException;
import java.util.Locale;
import java.util.Optional;

/** Chooses how to decode: with own kernels where they work, else plainly. */
final class Decodings {

    private Decodings() {}

    /**
     * Tries it out on a small KV cache.
     *
     * @throws MeasurementException where the option {@code decode} insists on what does not work here
     */
    static Decoding choose(LlamaProgram program, LlamaConfig config, LlamaOptions options) {
        if (!options.onGpu()) {
            return new PlainDecoding(program, "the device is cpu", Optional.empty());
        }
        String reason = "decode = plain";
        Optional<CudaDriver> driver = Optional.empty();
        try {
            driver = Optional.of(CudaDriver.open(options.ordinal()));
            if (options.decode() != LlamaOptions.Decode.PLAIN) {
                Tuning tuning = Tuning.of(config, driver.get().sharedBytesOfBlock());
                return tryOut(program, KernelDecoding.open(program, config, options, driver.get(), tuning));
            }
        } catch (EngineFailure | OutOfMemoryFailure e) {
            reason = String.valueOf(e.getMessage());
        }
        if (options.decode() == LlamaOptions.Decode.KERNELS) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "option decode = kernels cannot be followed on %s (%s): use auto or plain there",
                    options.device(),
                    reason));
        }
        return new PlainDecoding(program, reason, driver.map(DeviceTimes::new));
    }

    private static Decoding tryOut(LlamaProgram program, Decoding decoding) {
        boolean works = false;
        try {
            program.open(0, 2);
            decoding.prepare(1);
            decoding.logits(0, 0, 0);
            works = true;
            return decoding;
        } finally {
            program.close(0);
            if (!works) {
                decoding.close();
            }
        }
    }
}
