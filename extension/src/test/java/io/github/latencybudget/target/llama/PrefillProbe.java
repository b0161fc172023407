package io.github.latencybudget.target.llama;

import ai.djl.Device;
import ai.djl.Model;
import ai.djl.pytorch.engine.PtSymbolBlock;
import ai.djl.pytorch.jni.IValue;
import ai.djl.pytorch.jni.IValueUtils;
import io.github.latencybudget.target.Progress;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Prints what the ways to compute a prompt take on one GPU, and where the time goes. Whatever fails says so, and the rest goes
 * on. Arguments, all optional: the synthetic model ({@code synthetic:llama2-7b}), prompt lengths ({@code 128,512,2048}).
 */
final class PrefillProbe {

    private static final int WARM_UPS = 3;
    private static final int RUNS = 10;
    private static final int LARGE = 8192;
    private static final int[] FORMULATIONS = {0, 1, 2, 4, 8, 9, 11, 15, 0};
    private static final List<String> PRODUCTS = List.of("qkv", "attention_out", "gate_up", "down");
    private static final List<String> OTHERS =
            List.of("norm", "weight_norm", "turn", "turn_by_halves", "to_cache", "attention", "silu", "silu_in_place");

    private final String name;
    private final LlamaConfig config;
    private final int[] prompts;
    private final CudaDriver driver = CudaDriver.open(0);
    private double flopsPerMs = Double.NaN;

    private PrefillProbe(String name, int[] prompts) {
        this.name = name;
        this.config = SyntheticShape.parse(name.substring(name.indexOf(':') + 1));
        this.prompts = prompts;
    }

    public static void main(String[] arguments) {
        long begin = System.nanoTime();
        String name = arguments.length > 0 ? arguments[0] : "synthetic:llama2-7b";
        String lengths = arguments.length > 1 ? arguments[1] : "128,512,2048";
        PrefillProbe probe = new PrefillProbe(
                name,
                Arrays.stream(lengths.split(",")).mapToInt(Integer::parseInt).toArray());
        KernelsProbe.guarded("all", probe::run);
        System.out.printf(Locale.ROOT, "probe took %.1f s%n", (System.nanoTime() - begin) / 1e9);
    }

    private void run() {
        try (LlamaSession session = LlamaTarget.openLlama(Models.spec(name, "cuda:0", "fp16"), Progress.NONE)) {
            for (int prompt : prompts) {
                KernelsProbe.guarded("groups at " + prompt, () -> groups(prompt));
            }
            for (int prompt : prompts) {
                KernelsProbe.guarded("formulations at " + prompt, () -> formulations(session, prompt));
            }
        }
    }

    private void formulations(LlamaSession session, int prompt) {
        long[] tokens = new Prompts(1, config.vocabulary(), Set.of(2), 42).prompt(prompt, 1);
        float[] standard = {};
        for (int formulation : FORMULATIONS) {
            session.decodeBy(program -> {
                program.formulate(formulation);
                return new PlainDecoding(program, "asked for", Optional.empty());
            });
            session.makeRoom(prompt + 1);
            double[] ms = new double[RUNS];
            long[] id = {0};
            for (int run = -WARM_UPS; run < RUNS; run++) {
                long start = System.nanoTime();
                session.generate(tokens, new DecodeLoop(1, true, Set.of()), chosen -> id[0] = chosen);
                if (run >= 0) {
                    ms[run] = (System.nanoTime() - start) / 1e6;
                }
            }
            // the rate of a large product would allow so much
            double floor = 2.0 * config.layers() * prompt * parametersOfLayer() / flopsPerMs;
            // all logits of a long prompt are large, and its first tokens tell as much
            float[] logits = session.logits(Arrays.copyOf(tokens, Math.min(prompt, 256)));
            standard = standard.length == 0 ? logits : standard;
            System.out.printf(
                    Locale.ROOT,
                    "  formulation %2d prompt %4d TTFT P50 %.2f max %.2f ms, %.2f times the products' floor; id %d, logits off by %.1e%n",
                    formulation,
                    prompt,
                    KernelsProbe.at(ms, 50),
                    KernelsProbe.at(ms, 100),
                    KernelsProbe.at(ms, 50) / floor,
                    id[0],
                    Reference.relativeError(logits, standard));
        }
    }

    private double parametersOfLayer() {
        double width = (double) config.heads() * config.headDim();
        double keys = 2.0 * config.kvHeads() * config.headDim();
        return config.hidden() * (2 * width + keys + 3.0 * config.intermediate());
    }

    private void groups(int prompt) throws Exception {
        try (Model model = Model.newInstance("parts", Device.cpu(), "PyTorch");
                InputStream text = PrefillProbe.class.getResourceAsStream("prefill_parts.torchscript")) {
            String program = new String(text.readAllBytes(), StandardCharsets.UTF_8);
            model.load(new ByteArrayInputStream(TorchScriptArchive.pack(program)), Map.of());
            PtSymbolBlock block = (PtSymbolBlock) model.getBlock();
            IValue[] sizes = {
                IValue.from((long) prompt),
                IValue.from((long) config.heads()),
                IValue.from((long) config.kvHeads()),
                IValue.from((long) config.headDim()),
                IValue.from((long) config.intermediate()),
                IValue.from("cuda:0")
            };
            IValueUtils.runMethod(block, "prepare", sizes).close();
            Arrays.stream(sizes).forEach(IValue::close);
            double large = ms(block, "large");
            flopsPerMs = 2.0 * LARGE * LARGE * LARGE / large;
            System.out.printf(Locale.ROOT, "  a large product: %.0f TFLOP/s%n", flopsPerMs / 1e9);
            double products = 0;
            for (String product : PRODUCTS) {
                products += ms(block, product);
            }
            double floor = 2.0 * prompt * parametersOfLayer() / flopsPerMs;
            System.out.printf(
                    Locale.ROOT,
                    "  products, all layers: %.2f ms, %.2f times the large one's rate%n",
                    products * config.layers(),
                    products / floor);
            for (String other : OTHERS) {
                KernelsProbe.guarded(other, () -> ms(block, other));
            }
        }
    }

    /** {@return the median of one call, back to back with others so that the device does not wait for the host} */
    private double ms(PtSymbolBlock block, String method) {
        int calls = 20;
        try (DeviceTimes times = new DeviceTimes(driver)) {
            times.begin(RUNS);
            long returned = 0;
            for (int run = -1; run < RUNS; run++) {
                if (run >= 0) {
                    times.start(CudaDriver.DEFAULT_STREAM);
                }
                for (int call = 0; call < calls; call++) {
                    try (IValue result = IValueUtils.runMethod(block, method)) {
                        returned = result.toLong();
                    }
                }
                if (run >= 0) {
                    times.stop(CudaDriver.DEFAULT_STREAM);
                }
            }
            double ms = KernelsProbe.at(times.milliseconds(), 50) / calls;
            System.out.printf(
                    Locale.ROOT,
                    "    %-15s %8.1f us, all layers %6.2f ms%s%n",
                    method,
                    ms * 1e3,
                    ms * config.layers() * (method.endsWith("norm") ? 2 : 1),
                    method.equals("attention") ? ", contiguous rows: " + returned : "");
            return ms;
        }
    }
}
