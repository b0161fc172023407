package io.github.latencybudget.record;

import org.apiguardian.api.API;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/** How records and reports are written: dates as text, absent values as null, and no number that JSON does not have. */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class Json {

    /** The mapper of every file that the project writes. */
    public static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(StreamWriteFeature.STRICT_DUPLICATE_DETECTION)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .addModule(new SimpleModule()
                    .addSerializer(Double.class, new FiniteOrNull())
                    .addSerializer(double.class, new FiniteOrNull()))
            .build();

    private Json() {}

    /** Without it, NaN would be written as a text where a reader expects a number. */
    private static final class FiniteOrNull extends ValueSerializer<Double> {

        @Override
        public void serialize(Double value, JsonGenerator json, SerializationContext context) {
            if (Double.isFinite(value)) {
                json.writeNumber(value.doubleValue());
            } else {
                json.writeNull();
            }
        }
    }
}
