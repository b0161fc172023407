package io.github.latencybudget.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.github.latencybudget.record.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The published schema and the reader take the same. */
class PolicySchemaTest {

    private static final Path FILE = Path.of("../docs/policy.schema.json");
    private static final Pattern EXAMPLE = Pattern.compile("(?s)```yaml\n(.*?)```");

    private static JsonNode tree() throws IOException {
        return Json.MAPPER.readTree(Files.readString(FILE));
    }

    private static List<Error> errors(String policy) throws IOException {
        Schema schema = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(Files.readString(FILE), InputFormat.JSON);
        return schema.validate(policy, InputFormat.YAML);
    }

    private static TreeSet<String> keys(JsonNode section) {
        TreeSet<String> keys = new TreeSet<>();
        section.get("properties").fieldNames().forEachRemaining(keys::add);
        return keys;
    }

    @ParameterizedTest
    @EnumSource
    void everyKeyOfTheReaderIsInTheSchemaAndTheReverse(Vocabulary part) throws IOException {
        JsonNode section = part == Vocabulary.POLICY
                ? tree()
                : tree().get("$defs").get(part.name().toLowerCase(Locale.ROOT));

        assertThat(keys(section)).isEqualTo(new TreeSet<>(part.keys()));
        assertThat(section.get("additionalProperties").booleanValue()).isFalse();
    }

    @Test
    void everyKindOfRuleIsInTheSchemaAndTheReverse() throws IOException {
        Map<String, RuleKind> kinds = RuleKind.byMetric();
        TreeSet<String> metrics = new TreeSet<>();
        for (JsonNode variant : tree().get("$defs").get("rule").get("oneOf")) {
            String name = variant.get("$ref").textValue().replaceFirst(".*/", "");
            JsonNode section = tree().get("$defs").get(name);
            JsonNode about = section.get("properties").get("metric");
            for (JsonNode metric : about.has("enum") ? about.get("enum") : List.of(about.get("const"))) {
                metrics.add(metric.textValue());
                assertThat(keys(section))
                        .isEqualTo(new TreeSet<>(
                                Stream.concat(RuleKind.SHARED.stream(), kinds.get(metric.textValue()).keys().stream())
                                        .toList()));
            }
        }
        assertThat(metrics).isEqualTo(new TreeSet<>(kinds.keySet()));
    }

    static List<String> policies() throws IOException {
        List<String> policies = new ArrayList<>(List.of(
                Files.readString(Path.of("src/main/resources/META-INF/latency-budget/ready/team-sla.yaml")),
                Files.readString(Path.of("src/test/resources/META-INF/latency-budget/ready/of-two-layers.yaml")),
                Files.readString(Path.of("../sample-tests/src/test/resources/latency-budget.yaml")),
                "version: 1\nscenario: {promptTokens: {128: 3, 512: 1}}",
                "version: 1\nscenario: {prompts: chat.jsonl, thinkMs: 5, concurrency: 4}",
                "version: 1\nscenario: {promptTokens: 128, concurrency: 1, openLoop: {requestsPerSecond: 5}}"));
        policies.addAll(examples());
        return policies;
    }

    static List<String> examples() throws IOException {
        Matcher example = EXAMPLE.matcher(Files.readString(Path.of("../docs/policy.md")));
        return example.results().map(r -> r.group(1)).toList();
    }

    @ParameterizedTest
    @MethodSource("policies")
    void everyPolicyIsValid(String policy) throws IOException {
        assertThat(errors(policy)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{requestsPerSecond: 5}",
                "{requestsPerSecond: 0.5, arrivals: constant, maxInFlight: 8, maxQueued: 0}",
                "{requestsPerSecond: 0, arrivals: ramp, toRequestsPerSecond: 20, rampSeconds: 60}"
            })
    void everyOpenLoopIsValid(String openLoop) throws IOException {
        assertThat(errors("version: 1\nscenario: {openLoop: %s}".formatted(openLoop)))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{concurrency: [1, 2, 4], atLeast: 2}",
                "{requestsPerSecond: [0.5, 1], arrivals: constant, stopAtBreach: false}"
            })
    void everySweepIsValid(String sweep) throws IOException {
        assertThat(errors("version: 1\nscenario: {sweep: %s}".formatted(sweep))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "name: x",
                "version: 2",
                "version: 1\nruls: {}",
                "version: 1\nrules: {a: {metric: ttft, atMostMs: 1}}",
                "version: 1\nrules: {a: {metric: itl, atMostMs: 0}}",
                "version: 1\nrules: {a: {metric: decode-tgs, atLeastTokensPerSecond: 1}}",
                "version: 1\nscenario: {promptTokens: []}",
                "version: 1\nscenario: {promptTokens: {}}",
                "version: 1\nscenario: {promptTokens: {short: 1}}",
                "version: 1\nscenario: {promptTokens: {128: 0}}",
                "version: 1\nscenario: {promptTokens: 128, prompts: chat.jsonl}",
                "version: 1\nscenario: {promptTokens: 128, thinkMs: 5, openLoop: {requestsPerSecond: 5}}",
                "version: 1\nscenario: {promptTokens: 128, concurrency: 4, openLoop: {requestsPerSecond: 5}}",
                "version: 1\nscenario: {openLoop: {}}",
                "version: 1\nscenario: {openLoop: {requestsPerSecond: 0}}",
                "version: 1\nscenario: {openLoop: {requestsPerSecond: 5, arrivals: burst}}",
                "version: 1\nscenario: {openLoop: {requestsPerSecond: 5, rampSeconds: 3}}",
                "version: 1\nscenario: {openLoop: {requestsPerSecond: 5, arrivals: ramp, rampSeconds: 3}}",
                "version: 1\nscenario: {sweep: {}}",
                "version: 1\nscenario: {sweep: {concurrency: [4]}}",
                "version: 1\nscenario: {sweep: {concurrency: [1, 2], requestsPerSecond: [1, 2]}}",
                "version: 1\nscenario: {sweep: {concurrency: [1, 2], arrivals: constant}}",
                "version: 1\nscenario: {sweep: {requestsPerSecond: [0, 1]}}",
                "version: 1\nscenario: {sweep: {concurrency: [1, 2], stopAtBreach: 1}}",
                "version: 1\nwaivers: [{rules: a, owner: me, reason: slow, remediation: KV-12, expires: 2027-01-31}]"
            })
    void whatTheReaderRefusesIsInvalid(String policy) throws IOException {
        assertThat(errors(policy)).isNotEmpty();
    }
}
