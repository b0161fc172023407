package io.github.latencybudget.llama;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.TargetSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Assumptions;

/** Where tests find models, and how they open them. */
final class Models {

    private Models() {}

    /** {@return the folder of the small real model; the test is skipped where it is absent} */
    static Path stories() {
        Path root = Path.of("").toAbsolutePath();
        while (root != null && !Files.isDirectory(root.resolve("assertions"))) {
            root = root.getParent();
        }
        Path folder = root == null ? Path.of("stories260K-hf") : root.resolveSibling("shared/models/stories260K-hf");
        Assumptions.assumeTrue(Files.isDirectory(folder), "the test model is absent: " + folder);
        return folder;
    }

    /** {@return the ids that greedy decoding of {@link #stories()} gives after BOS} */
    static long[] storiesIds() {
        try {
            return new JsonMapper()
                    .readValue(Files.readAllBytes(stories().resolve("ref_greedy_ids.json")), long[].class);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void assumeCuda() {
        TorchEngine engine = TorchEngine.start(LlamaOptions.of(spec("synthetic:tiny", "cpu", "")));
        Assumptions.assumeTrue(engine.hasCuda(), "no CUDA device: PyTorch " + engine.flavor());
    }

    static LlamaSession open(String model) {
        return open(model, "cpu", "");
    }

    static LlamaSession open(String model, String device, String dtype, String... options) {
        return LlamaTarget.openLlama(spec(model, device, dtype, options), Progress.NONE);
    }

    static TargetSpec spec(String model, String device, String dtype, String... options) {
        TreeMap<String, String> map = new TreeMap<>();
        for (String option : options) {
            map.putAll(Map.of(option.split("=")[0], option.split("=")[1]));
        }
        return new TargetSpec(model, device, dtype, 42, map);
    }
}
