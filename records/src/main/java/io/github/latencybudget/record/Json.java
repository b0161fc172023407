package io.github.latencybudget.record;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.NamedType;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.trace.Visible;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * How records and reports are written: dates as text, absent values as null, and no number that JSON does not have. What is read
 * has to be what is written: everything is there, once, and nothing else.
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class Json {

    /** The mapper of every file that the project writes. */
    public static final JsonMapper MAPPER = JsonMapper.builder(
                    new JsonFactoryBuilder().characterEscapes(new VisibleOnly()).build())
            .enable(StreamWriteFeature.STRICT_DUPLICATE_DETECTION)
            // The JDK writes some numbers with more digits before its version 19 than from then on.
            .enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .defaultPrettyPrinter(new DefaultPrettyPrinter().withObjectIndenter(new DefaultIndenter("  ", "\n")))
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
            .enable(DeserializationFeature.READ_ENUMS_USING_TO_STRING)
            .enable(SerializationFeature.WRITE_ENUMS_USING_TO_STRING)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            // What a record says of itself, such as isWarm(), follows from its components.
            .visibility(PropertyAccessor.IS_GETTER, Visibility.NONE)
            .addMixIn(Rule.class, RuleByName.class)
            .registerSubtypes(Stream.of(Rule.class.getPermittedSubclasses())
                    .map(type -> new NamedType(type, type.getSimpleName()))
                    .toArray(NamedType[]::new))
            .addModule(new SimpleModule()
                    .addSerializer(Double.class, new FiniteOrNull())
                    .addSerializer(double.class, new FiniteOrNull()))
            .addModule(new Jdk8Module())
            .addModule(new JavaTimeModule())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS, SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
            .build();

    private Json() {}

    /** {@return what is written of a value, as UTF-8} */
    static byte[] bytes(Object value) {
        return text(value).getBytes(StandardCharsets.UTF_8);
    }

    /** {@return what is written of a value} */
    public static String text(Object value) {
        return text(MAPPER.writer(), value);
    }

    /** {@return the same by a writer with another form} */
    static String text(ObjectWriter writer, Object value) {
        try {
            return writer.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            // Into memory, every value of this project can be written.
            throw new IllegalStateException(e.getOriginalMessage(), e);
        }
    }

    private record Schema(@Nullable String schema) {}

    /** {@return the schema of a file, so that one of another version is refused as that and not as damaged; null where it names none} */
    static @Nullable String schema(byte[] file) throws IOException {
        Schema found = part(file, Schema.class);
        return found == null ? null : found.schema();
    }

    /** {@return some of the properties of what a file holds; null where it holds null} */
    static <T> @Nullable T part(byte[] file, Class<T> type) throws IOException {
        return MAPPER.readerFor(type)
                .without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .without(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                .readValue(file);
    }

    /** Nothing is lost: whoever reads the file has the characters again. Halves of a pair are written each by itself. */
    private static final class VisibleOnly extends CharacterEscapes {

        private static final long serialVersionUID = 1L;
        private static final int DELETE = 0x7F;

        @Override
        public int[] getEscapeCodesForAscii() {
            int[] codes = CharacterEscapes.standardAsciiEscapesForJSON();
            codes[DELETE] = ESCAPE_STANDARD;
            return codes;
        }

        @Override
        public @Nullable SerializableString getEscapeSequence(int character) {
            String text = String.valueOf((char) character);
            return Visible.isVisible(text) ? null : new SerializedString(Visible.text(text));
        }
    }

    /** The model knows nothing of JSON. */
    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
    private interface RuleByName {}

    /** Without it, NaN would be written as a text where a reader expects a number. */
    private static final class FiniteOrNull extends JsonSerializer<Double> {

        @Override
        public void serialize(Double value, JsonGenerator json, SerializerProvider context) throws IOException {
            if (Double.isFinite(value)) {
                json.writeNumber(value.doubleValue());
            } else {
                json.writeNull();
            }
        }
    }
}
