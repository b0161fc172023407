package io.github.latencybudget.llama;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes the models that {@code reference_logits.py} computes the references of. Argument: a folder. Only needed when
 * {@link ModelFolder} changes.
 */
final class WriteReferenceModels {

    private WriteReferenceModels() {}

    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        write(ModelFolder.grouped(Dtype.FP32, 1), folder.resolve("grouped"));
        write(ModelFolder.tied(), folder.resolve("tied"));
        write(ModelFolder.scaled(), folder.resolve("scaled"));
    }

    private static void write(ModelFolder model, Path folder) throws IOException {
        model.write(folder);
        Files.writeString(folder.resolve("ids.json"), new JsonMapper().writeValueAsString(model.ids()));
    }
}
