package io.github.latencybudget.llama;

import io.github.latencybudget.device.Host;
import io.github.latencybudget.device.Nvml;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.Target;
import io.github.latencybudget.inference.TargetDescription;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.inference.TargetSpec;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apiguardian.api.API;

/**
 * Llama 2 in this process, on PyTorch through DJL.
 *
 * <p>The spec's model is a folder in the Hugging Face layout, or {@code synthetic:} and a shape: {@code synthetic:tiny},
 * {@code synthetic:llama2-7b}, {@code synthetic:llama2-70b,layers=8}, or all of {@code hidden}, {@code intermediate},
 * {@code layers}, {@code heads}, {@code vocab}, {@code context} (and {@code kvHeads}) by name. The device is {@code cpu} or
 * {@code cuda:N}; the type {@code fp32} or {@code bf16}, on a GPU {@code fp16} too. Options: {@code threads}, the number of threads of one
 * operation on the processor (1 unless the property {@code ai.djl.pytorch.num_threads} says otherwise), {@code jitOptimizer},
 * {@code on} or {@code off}, and {@code decode}, {@code kernels}, {@code plain} or {@code auto}: whether a GPU decodes with
 * kernels of this project, replayed as one CUDA graph, or with those of PyTorch. {@code auto}, the default, takes its own where
 * they work, and the description's detail {@code decode} says what was chosen, and why if it is {@code plain}. {@code hash},
 * {@code layout} or {@code files}: with {@code files}, every file of the model is read, and its SHA-256 is among the details.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class LlamaTarget implements Target {

    static final String SYNTHETIC = "synthetic:";

    /** A drive of Windows is one letter. */
    private static final Pattern OTHER_SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:");

    /** Made by a {@link java.util.ServiceLoader}, and where a gate names this class. */
    public LlamaTarget() {}

    /** {@return whether it is a path, or begins with {@code synthetic:}} */
    @Override
    public boolean opens(String model) {
        return model.startsWith(SYNTHETIC) || !OTHER_SCHEME.matcher(model).lookingAt();
    }

    @Override
    public TargetSession open(TargetSpec spec, Progress progress) {
        return openLlama(spec, progress);
    }

    /** The same, with what only tests see. */
    static LlamaSession openLlama(TargetSpec spec, Progress progress) {
        LlamaOptions options = LlamaOptions.of(spec);
        LlamaConfig config;
        Weights weights;
        EosIds eos;
        Optional<TokenizerFile> tokenizer;
        String noTokenizer;
        Set<Integer> special = new HashSet<>();
        SortedMap<String, String> hashes = new TreeMap<>();
        TorchEngine.quieten();
        if (spec.model().startsWith(SYNTHETIC)) {
            config = SyntheticShape.parse(spec.model().substring(SYNTHETIC.length()));
            weights = new SyntheticWeights(spec.seed());
            tokenizer = Optional.empty();
            noTokenizer = "none: prompts are random ids";
            eos = EosIds.of(config);
        } else {
            Path folder = folder(spec.model());
            config = ConfigFile.read(folder);
            Checkpoint checkpoint = Checkpoint.open(folder, config);
            weights = checkpoint;
            tokenizer = TokenizerFile.open(folder, config);
            noTokenizer = "tokenizer.json is absent: prompts are random ids";
            tokenizer.ifPresent(file -> special.addAll(file.special()));
            eos = EosIds.read(folder, config, tokenizer);
            if (options.hashFiles()) {
                hashes = ModelHash.ofFiles(folder, config.name(), checkpoint.files(), progress);
            }
        }
        options.quantization().check(config);
        special.addAll(eos.ids());
        TorchEngine engine = TorchEngine.start(options);
        Optional<Nvml> gpu = options.onGpu() ? Nvml.cudaDevice(options.ordinal()) : Optional.empty();
        MemoryNeed memory = new MemoryNeed(config, options, gpu);
        memory.checkWeights();
        LlamaProgram program = load(weights, config, options, memory, progress);
        Decoding decoding = decoding(program, config, options);

        SortedMap<String, String> details = new TreeMap<>();
        details.put("engine", engine.version());
        details.put("flavor", engine.flavor());
        details.put("threads", String.valueOf(engine.threads()));
        details.put("jit optimizer", options.jitOptimizer() ? "on" : "off");
        details.put("decode", decoding.description());
        details.put("parameters", String.valueOf(config.parameters()));
        details.put("weights bytes", String.valueOf(memory.weightBytes()));
        details.put("kv cache bytes per token", String.valueOf(memory.cacheBytesPerToken()));
        details.put("tokenizer", tokenizer.map(TokenizerFile::toString).orElse(noTokenizer));
        details.put("eos", eos.description());
        if (options.quantization() != Quantization.NONE) {
            details.put("quantization", options.quantization().description(program.quantizationError()));
        }
        hashes.forEach((name, digest) -> details.put("sha256 of " + name, digest));
        gpu.flatMap(Nvml::driverVersion).ifPresent(version -> details.put("driver", version));
        gpu.ifPresent(g -> g.totalBytes().ifPresent(b -> details.put("device memory bytes", String.valueOf(b))));
        TargetDescription description = new TargetDescription(
                config.name(),
                weights.description(),
                options.typeLabel(),
                options.onGpu() ? gpu.flatMap(Nvml::name).orElse(options.device()) : Host.processorName(),
                options.device(),
                config.context(),
                options.settings(),
                details);
        Prompts prompts = new Prompts(config.bos(), config.vocabulary(), special, spec.seed());
        LlamaSession session = new LlamaSession(
                program, decoding, config, description, prompts, memory, new OutputEnd(eos, tokenizer));
        checkNumbers(session, config);
        return session;
    }

    private static Decoding decoding(LlamaProgram program, LlamaConfig config, LlamaOptions options) {
        boolean chosen = false;
        try {
            Decoding decoding = Decodings.choose(program, config, options);
            chosen = true;
            return decoding;
        } finally {
            if (!chosen) {
                program.close();
            }
        }
    }

    /** Latency does not depend on the numbers, but what computes none is not the model that was to be measured. */
    private static void checkNumbers(LlamaSession session, LlamaConfig config) {
        boolean isChecked = false;
        try {
            for (float logit : session.logits(new long[] {config.bos()})) {
                if (!Float.isFinite(logit)) {
                    throw new MeasurementException(String.format(
                            Locale.ROOT,
                            "%s computes NaN or infinity instead of logits in %s on %s: its weights are damaged, so download them again, or too large for the type, so use fp32",
                            config.name(),
                            session.description().dtype(),
                            session.description().deviceKey()));
                }
            }
            isChecked = true;
        } finally {
            if (!isChecked) {
                session.close();
            }
        }
    }

    private static Path folder(String model) {
        try {
            Path folder = Path.of(model);
            if (Files.isDirectory(folder)) {
                return folder;
            }
        } catch (InvalidPathException e) {
            // what is no path is no folder
        }
        throw new MeasurementException(String.format(
                Locale.ROOT,
                "model = \"%s\" is no folder: name a folder in the Hugging Face layout, or synthetic:tiny",
                TargetSpec.withoutSecrets(model)));
    }

    private static LlamaProgram load(
            Weights weights, LlamaConfig config, LlamaOptions options, MemoryNeed memory, Progress progress) {
        LlamaProgram program = LlamaProgram.load(options.jitOptimizer());
        boolean loaded = false;
        try {
            List<Matrix> matrices = Matrix.of(config);
            long total = matrices.stream().mapToLong(Matrix::numbers).sum()
                    * options.dtype().bytes();
            long done = 0;
            progress.step("loading " + config.name(), done, total, "bytes");
            for (int i = 0; i < matrices.size(); i++) {
                Matrix matrix = matrices.get(i);
                String device = program.allocate(
                        matrix.rows(),
                        matrix.columns(),
                        options.dtype(),
                        matrix.quantization(options),
                        options.device());
                if (!device.equals(options.device())) {
                    throw new MeasurementException(String.format(
                            Locale.ROOT,
                            "device %s was asked for, but the engine put the weights on %s: check its installation",
                            options.device(),
                            device));
                }
                weights.give(program, i, matrix);
                done += matrix.numbers() * options.dtype().bytes();
                progress.step("loading " + config.name(), done, total, "bytes");
            }
            program.arrange(config);
            // what was needed on the way is not what the model needs
            program.trim();
            loaded = true;
            return program;
        } catch (OutOfMemoryFailure e) {
            throw memory.tooLittle(0, e);
        } catch (EngineFailure e) {
            throw new MeasurementException(
                    String.format(
                            Locale.ROOT,
                            "the weights could not be brought to %s (%s): check the device's number and state",
                            options.device(),
                            e.getMessage()),
                    e);
        } finally {
            if (!loaded) {
                program.close();
            }
        }
    }
}
