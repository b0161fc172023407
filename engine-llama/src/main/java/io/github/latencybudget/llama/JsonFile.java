package io.github.latencybudget.llama;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.trace.IoFault;
import java.nio.file.Path;
import java.util.Locale;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads the JSON files of a model's folder. */
final class JsonFile {

    private JsonFile() {}

    /** @throws MeasurementException where the file cannot be read, or is not JSON */
    static JsonNode read(Path file) {
        try {
            return JsonMapper.shared().readTree(file.toFile());
        } catch (JacksonIOException e) {
            throw new MeasurementException(
                    String.format(
                            Locale.ROOT,
                            "%s cannot be read%s",
                            file,
                            IoFault.because(e, "check the file and its permissions")),
                    e);
        } catch (JacksonException e) {
            throw new MeasurementException(String.format(Locale.ROOT, "%s is not JSON: download it again", file), e);
        }
    }
}
