package io.github.latencybudget.record;

import tools.jackson.core.StreamWriteFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** How records are written: dates as text, absent values as null, and no number that JSON does not have. */
final class Json {

    static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(StreamWriteFeature.STRICT_DUPLICATE_DETECTION)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private Json() {}
}
