package io.github.latencybudget.record;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.github.latencybudget.budget.Rule;
import io.github.latencybudget.trace.Visible;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.SerializableString;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.io.CharacterEscapes;
import tools.jackson.core.io.SerializedString;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.DefaultIndenter;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.NamedType;
import tools.jackson.databind.module.SimpleModule;

/**
 * How records and reports are written: dates as text, absent values as null, and no number that JSON does not have. What is read
 * has to be what is written: everything is there, once, and nothing else.
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class Json {

    /** The mapper of every file that the project writes. */
    public static final JsonMapper MAPPER = JsonMapper.builder(
                    JsonFactory.builder().characterEscapes(new VisibleOnly()).build())
            .enable(StreamWriteFeature.STRICT_DUPLICATE_DETECTION)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .defaultPrettyPrinter(new DefaultPrettyPrinter().withObjectIndenter(new DefaultIndenter("  ", "\n")))
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(EnumFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            // What a record says of itself, such as isWarm(), follows from its components.
            .changeDefaultVisibility(v -> v.withIsGetterVisibility(Visibility.NONE))
            .addMixIn(Rule.class, RuleByName.class)
            .registerSubtypes(Stream.of(Rule.class.getPermittedSubclasses())
                    .map(type -> new NamedType(type, type.getSimpleName()))
                    .toArray(NamedType[]::new))
            .addModule(new SimpleModule()
                    .addSerializer(Double.class, new FiniteOrNull())
                    .addSerializer(double.class, new FiniteOrNull()))
            .build();

    private Json() {}

    private record Schema(@Nullable String schema) {}

    /** {@return the schema of a file, so that one of another version is refused as that and not as damaged; null where it names none} */
    static @Nullable String schema(byte[] file) {
        Schema found = part(file, Schema.class);
        return found == null ? null : found.schema();
    }

    /** {@return some of the properties of what a file holds; null where it holds null} */
    static <T> @Nullable T part(byte[] file, Class<T> type) {
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
