package io.github.latencybudget.llama;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.trace.IoFault;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/** Reads the JSON files of a model's folder. */
final class JsonFile {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private JsonFile() {}

    /** @throws MeasurementException where the file cannot be read, or is not JSON */
    static JsonNode read(Path file) {
        try {
            return JSON.readTree(file.toFile());
        } catch (JacksonException e) {
            throw new MeasurementException(String.format(Locale.ROOT, "%s is not JSON: download it again", file), e);
        } catch (IOException e) {
            throw new MeasurementException(
                    String.format(
                            Locale.ROOT,
                            "%s cannot be read%s",
                            file,
                            IoFault.because(e, "check the file and its permissions")),
                    e);
        }
    }
}
