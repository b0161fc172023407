package io.github.latencybudget.llama;

import com.sun.jna.Pointer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Compares kernels for several sequences, or with quantised weights, with those for one. */
final class BatchCheck {

    private final CudaDriver driver;
    private final LlamaConfig config;
    private final Dtype dtype;
    private final Tuning tuning;

    BatchCheck(CudaDriver driver, LlamaConfig config, Dtype dtype) {
        this.driver = driver;
        this.config = config;
        this.dtype = dtype;
        this.tuning = Tuning.of(config, driver.sharedBytesOfBlock());
    }

    /** Prints what the probe wants to know before it takes times. */
    static void printAll(CudaDriver driver) {
        LlamaConfig small =
                SyntheticShape.parse("hidden=1024,intermediate=2816,layers=2,heads=8,kvHeads=2,vocab=1001,context=256");
        for (int sequences : new int[] {5, 13, 32, 64}) {
            KernelsProbe.guarded(
                    "FP16, %d sequences".formatted(sequences),
                    () -> error(new BatchCheck(driver, small, Dtype.FP16)
                            .worstError(Quantization.INT8, false, sequences, 12)));
        }
        KernelsProbe.guarded(
                "BF16, 7 sequences",
                () -> error(new BatchCheck(driver, small, Dtype.BF16).worstError(Quantization.INT8, false, 7, 12)));
        BatchCheck check = new BatchCheck(driver, small, Dtype.FP16);
        KernelsProbe.guarded("200 places", () -> error(check.worstError(Quantization.INT8, false, 3, 200)));
        for (Quantization quantization : List.of(Quantization.INT8, Quantization.INT4)) {
            for (int sequences : new int[] {1, 13}) {
                KernelsProbe.guarded(
                        "%s, %d sequences".formatted(quantization, sequences),
                        () -> error(check.worstError(quantization, true, sequences, 12)));
            }
        }
    }

    private static void error(double worst) {
        System.out.printf(
                Locale.ROOT, "  worst relative error of logits %.2e%s%n", worst, worst < 5e-2 ? "" : " WRONG");
    }

    /** One sequence, with a cache for each side. */
    private static final class Sequence {
        final long cache;
        final long expectedCache;
        final long stride;
        int token;
        int position;

        Sequence(int token, long cache, long expectedCache, long stride) {
            this.token = token;
            this.cache = cache;
            this.expectedCache = expectedCache;
            this.stride = stride;
        }
    }

    /**
     * Sequences join in the first steps, and one leaves halfway; the tokens are those that the kernels in question choose.
     *
     * @param layout of the weights
     * @param quantised whether the kernels in question use them quantised
     * @return the largest relative error of logits
     */
    double worstError(Quantization layout, boolean quantised, int sequences, int steps) {
        Quantization quantization = quantised ? layout : Quantization.NONE;
        try (ExactWeights weights = new ExactWeights(driver, config, dtype, layout);
                DecodeKernels one = new DecodeKernels(driver, config, dtype, Quantization.NONE, tuning);
                DecodeKernels many = new DecodeKernels(driver, config, dtype, quantization, tuning);
                KernelStream stream = new KernelStream(driver);
                DeviceBlock caches = new DeviceBlock(driver, sequences * 2L * cacheBytes(steps + 2))) {
            var stepOfOne = one.step(weights.plain(), 1);
            var stepOfMany = many.step(quantised ? weights.quantised() : weights.plain(), many.bucket(sequences));
            // zeros may still be on their way on another stream
            driver.call("cuCtxSynchronize");
            Pointer graphOfOne = stream.record(() -> one.launch(stream, stepOfOne, 0));
            Pointer graphOfMany = stream.record(() -> many.launch(stream, stepOfMany, 0));
            List<Sequence> waiting = new ArrayList<>();
            for (int i = 0; i < sequences; i++) {
                long bytes = cacheBytes(steps + i % 3);
                waiting.add(new Sequence(
                        (1 + 7 * i) % config.vocabulary(),
                        caches.take(bytes),
                        caches.take(bytes),
                        bytes / config.layers()));
            }
            List<Sequence> active = new ArrayList<>();
            double worst = 0;
            for (int step = 0; step < steps; step++) {
                boolean changed = false;
                // a third each of the first steps
                while (!waiting.isEmpty() && sequences - waiting.size() < Math.max(1, sequences * (step + 1) / 3)) {
                    active.add(waiting.remove(0));
                    changed = true;
                }
                if (step == steps / 2 && active.size() > 1) {
                    active.remove(active.size() / 2);
                    changed = true;
                }
                if (changed) {
                    many.place(
                            stream,
                            active.stream()
                                    .map(s -> new Slot(s.token, s.position, s.cache, s.stride))
                                    .toList());
                }
                many.answers().clear(0, active.size());
                stream.launch(graphOfMany);
                long[] tokens = many.answers().await(0, active.size(), stream.handle(), true);
                stream.await();
                for (int i = 0; i < active.size(); i++) {
                    Sequence s = active.get(i);
                    one.place(stream, List.of(new Slot(s.token, s.position, s.expectedCache, s.stride)));
                    stream.launch(graphOfOne);
                    stream.await();
                    float[] logits = many.logits(i);
                    if (Reference.argmax(logits) != tokens[i]) {
                        throw new AssertionError("slot %d chose %d, but the best is %d"
                                .formatted(i, tokens[i], Reference.argmax(logits)));
                    }
                    double error = Reference.relativeError(logits, one.logits(0));
                    // also where it is no number
                    worst = error <= worst ? worst : error;
                    s.token = (int) tokens[i];
                    s.position++;
                }
            }
            stream.destroy(graphOfOne);
            stream.destroy(graphOfMany);
            return worst;
        }
    }

    private long cacheBytes(int places) {
        return DeviceBlock.aligned(config.cacheBytesPerToken(dtype) / config.layers() * places) * config.layers();
    }
}
