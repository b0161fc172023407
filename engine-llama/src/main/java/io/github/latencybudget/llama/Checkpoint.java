package io.github.latencybudget.llama;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.latencybudget.inference.MeasurementException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The weights in a folder in the Hugging Face layout: {@code model.safetensors}, or its index and the files that it names. */
final class Checkpoint implements Weights {

    private static final String SINGLE = "model.safetensors";
    static final String INDEX = "model.safetensors.index.json";

    /**
     * So much is mapped and uploaded at a time. The engine makes one copy of it to change its type, so that the host holds twice
     * as much: less than two tensors of any Llama 2.
     */
    private static final long CHUNK_BYTES = 1L << 26;

    private static final Pattern LAYER = Pattern.compile("model\\.layers\\.(\\d{1,9})\\.");

    private final Path folder;
    private final Set<String> files;
    private final Map<String, SafetensorsFile> fileOfTensor;
    private final String hash;

    private Checkpoint(Path folder, Set<String> files, Map<String, SafetensorsFile> fileOfTensor, String hash) {
        this.folder = folder;
        this.files = files;
        this.fileOfTensor = fileOfTensor;
        this.hash = hash;
    }

    /**
     * Opens the files and checks that every tensor of the model is there with the right shape, before anything is loaded.
     *
     * @throws MeasurementException for what is missing or does not fit: names it
     */
    static Checkpoint open(Path folder, LlamaConfig config) {
        Map<String, SafetensorsFile> files = new LinkedHashMap<>();
        for (String name : fileNames(folder)) {
            files.put(name, SafetensorsFile.open(folder.resolve(name)));
        }
        Map<String, SafetensorsFile> fileOfTensor = new HashMap<>();
        for (SafetensorsFile file : files.values()) {
            for (String tensor : file.names()) {
                SafetensorsFile other = fileOfTensor.put(tensor, file);
                if (other != null) {
                    throw new MeasurementException(String.format(
                            Locale.ROOT,
                            "tensor %s is in %s and in %s: remove the files of another model from the folder",
                            tensor,
                            other.file(),
                            file.file()));
                }
            }
        }
        Map<String, Long> sizes = new LinkedHashMap<>();
        files.forEach((name, file) -> sizes.put(name, file.size()));
        Checkpoint checkpoint = new Checkpoint(folder, files.keySet(), fileOfTensor, ModelHash.ofLayout(folder, sizes));
        checkpoint.checkNoLayerIsLeft(config);
        for (Matrix matrix : Matrix.of(config)) {
            matrix.parts().forEach(part -> checkpoint.check(matrix, part));
        }
        checkpoint.checkNothingElseIsThere(config);
        checkpoint.checkIndex();
        return checkpoint;
    }

    private static Iterable<String> fileNames(Path folder) {
        if (Files.isRegularFile(folder.resolve(SINGLE))) {
            return List.of(SINGLE);
        }
        Path index = folder.resolve(INDEX);
        if (!Files.isRegularFile(index)) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "folder %s has neither %s nor %s: convert or download the safetensors weights",
                    folder,
                    SINGLE,
                    INDEX));
        }
        TreeSet<String> names = new TreeSet<>();
        for (JsonNode name : JsonFile.read(index).path("weight_map")) {
            names.add(name.asText(""));
        }
        for (String name : names) {
            if (!isFileIn(folder, name)) {
                throw new MeasurementException(String.format(
                        Locale.ROOT,
                        "%s names the file %s, which is missing: download it into the folder",
                        index,
                        name));
            }
        }
        if (names.isEmpty()) {
            throw new MeasurementException(
                    String.format(Locale.ROOT, "%s names no file in weight_map: download it again", index));
        }
        return names;
    }

    private static boolean isFileIn(Path folder, String name) {
        try {
            Path file = folder.resolve(name);
            return folder.equals(file.getParent()) && !name.contains("..") && Files.isRegularFile(file);
        } catch (InvalidPathException e) {
            return false;
        }
    }

    /** A configuration with fewer layers than the weights have makes another model, and a faster one. */
    private void checkNoLayerIsLeft(LlamaConfig config) {
        for (Map.Entry<String, SafetensorsFile> entry : fileOfTensor.entrySet()) {
            Matcher layer = LAYER.matcher(entry.getKey());
            if (layer.lookingAt() && Integer.parseInt(layer.group(1)) >= config.layers()) {
                throw new MeasurementException(String.format(
                        Locale.ROOT,
                        "tensor %s in %s is of a layer beyond num_hidden_layers = %d: config.json describes another model than the weights",
                        entry.getKey(),
                        entry.getValue().file(),
                        config.layers()));
            }
        }
    }

    /** What a model has beyond its configuration, such as a bias, would not be computed: another model, and a faster one. */
    private void checkNothingElseIsThere(LlamaConfig config) {
        Set<String> known = new HashSet<>();
        Matrix.of(config).forEach(matrix -> matrix.parts().forEach(part -> known.add(part.tensor())));
        // older files keep what RoPE is computed from, and some a head beside the embedding that serves as one
        known.add("lm_head.weight");
        for (String tensor : new TreeSet<>(fileOfTensor.keySet())) {
            if (!known.contains(tensor) && !tensor.endsWith(".rotary_emb.inv_freq")) {
                throw new MeasurementException(String.format(
                        Locale.ROOT,
                        "tensor %s in %s is none of a Llama model with this config.json, and would not be computed: choose a model that this target computes, or remove the tensor",
                        tensor,
                        file(tensor).file()));
            }
        }
    }

    /** Files of one download agree with their index. */
    private void checkIndex() {
        Path index = folder.resolve(INDEX);
        if (files.contains(SINGLE) || !Files.isRegularFile(index)) {
            return;
        }
        for (Map.Entry<String, JsonNode> entry :
                JsonFile.read(index).path("weight_map").properties()) {
            @Nullable SafetensorsFile file = fileOfTensor.get(entry.getKey());
            Path said = folder.resolve(entry.getValue().asText(""));
            if (file == null || !file.file().equals(said)) {
                throw new MeasurementException(String.format(
                        Locale.ROOT,
                        "%s says that tensor %s is in %s, but it is %s: download the folder again",
                        index,
                        entry.getKey(),
                        said.getFileName(),
                        file == null
                                ? "in none of the files"
                                : "in " + file.file().getFileName()));
            }
        }
    }

    private SafetensorsFile file(String tensor) {
        @Nullable SafetensorsFile file = fileOfTensor.get(tensor);
        if (file == null) {
            throw new IllegalStateException("open() found " + tensor);
        }
        return file;
    }

    private static List<Long> shape(Matrix matrix, Matrix.Part part) {
        return matrix.norm() ? List.of((long) matrix.columns()) : List.of((long) part.rows(), (long) matrix.columns());
    }

    private void check(Matrix matrix, Matrix.Part part) {
        List<Long> expected = shape(matrix, part);
        @Nullable SafetensorsFile file = fileOfTensor.get(part.tensor());
        if (file == null) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "tensor %s is missing in %s, of the shape %s: config.json describes another model than the weights, or a file is missing",
                    part.tensor(),
                    folder,
                    expected));
        }
        SafetensorsFile.Entry entry = file.entry(part.tensor());
        if (!entry.shape().equals(expected)) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "tensor %s in %s has the shape %s, but config.json makes it %s: they belong to different models",
                    part.tensor(),
                    file.file(),
                    entry.shape(),
                    expected));
        }
        long bytes = (long) part.rows()
                * matrix.columns()
                * dtype(part.tensor(), file).bytes();
        if (entry.bytes() != bytes) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "tensor %s in %s has %d bytes, but its shape and type make %d: download it again",
                    part.tensor(),
                    file.file(),
                    entry.bytes(),
                    bytes));
        }
    }

    private static Dtype dtype(String tensor, SafetensorsFile file) {
        String name = file.entry(tensor).dtype();
        for (Dtype dtype : Dtype.values()) {
            if (dtype.safetensors().equals(name)) {
                return dtype;
            }
        }
        throw new MeasurementException(String.format(
                Locale.ROOT,
                "tensor %s in %s has the type %s: only F32, F16 and BF16 are read, so use unquantised weights",
                tensor,
                file.file(),
                name));
    }

    /** {@return the names of the files with weights} */
    Set<String> files() {
        return files;
    }

    @Override
    public String description() {
        return String.format(
                Locale.ROOT,
                "folder %s, sha256 %s",
                folder.toAbsolutePath().normalize().getFileName(),
                hash);
    }

    @Override
    public void give(LlamaProgram program, int index, Matrix matrix) {
        int row = 0;
        for (Matrix.Part part : matrix.parts()) {
            SafetensorsFile file = file(part.tensor());
            Dtype dtype = dtype(part.tensor(), file);
            long rowBytes = (long) matrix.columns() * dtype.bytes();
            int chunk = (int) Math.max(1, CHUNK_BYTES / rowBytes);
            long offset = file.entry(part.tensor()).offset();
            for (int done = 0; done < part.rows(); done += chunk) {
                int rows = Math.min(chunk, part.rows() - done);
                try (MappedBytes bytes = MappedBytes.of(file.file(), offset + done * rowBytes, rows * rowBytes)) {
                    program.put(index, row + done, bytes.buffer(), dtype);
                }
            }
            row += part.rows();
        }
    }
}
