package io.github.latencybudget.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.budget.Verdicts;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Sampling;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

class MeasurementEntryTest {

    @Test
    void aRecordedMeasurementIsJudgedAsTheMeasurementWas() {
        Measurement measured = Measurements.full();

        Measurement read = throughJson(measured);

        Verdicts expected = Measurements.budget().evaluate(measured);
        Verdicts actual = Measurements.budget().evaluate(read);
        assertThat(actual.verdicts()).isEqualTo(expected.verdicts());
        assertThat(actual.findings()).isEqualTo(expected.findings());
        assertThat(actual.describe()).isEqualTo(expected.describe());
    }

    @Test
    void aRecordedMeasurementKeepsItsConditions() {
        Measurement read = throughJson(Measurements.full());

        assertThat(read.conditions()).isEqualTo(Measurements.full().conditions());
        assertThat(read.environment()).isEqualTo(Measurements.full().environment());
        assertThat(read.warmUp()).isEqualTo(Measurements.full().warmUp());
        assertThat(read.peakDeviceMemoryBytes()).isEqualTo(Measurements.full().peakDeviceMemoryBytes());
    }

    @Test
    void aRecordFromBeforeThereWasMoreThanTopPIsRead() {
        ObjectNode json = Json.MAPPER.valueToTree(MeasurementEntry.of(Measurements.full()));
        json.remove(List.of("topK", "repetitionPenalty", "samplingSeed"));

        Measurement read = Json.MAPPER.treeToValue(json, MeasurementEntry.class).toMeasurement();

        assertThat(read.conditions().sampling()).isEqualTo(new Sampling(0.7, 0.9));
    }

    @Test
    void recordingTwiceChangesNothing() {
        MeasurementEntry once = MeasurementEntry.of(Measurements.full());

        assertThat(MeasurementEntry.of(once.toMeasurement())).isEqualTo(once);
    }

    @Test
    void anEmptyMeasurementHasNullsAndNoNumbers() {
        Measurement empty = Measurements.empty();
        JsonNode entry = Json.MAPPER.valueToTree(MeasurementEntry.of(empty));
        JsonNode judgement =
                Json.MAPPER.valueToTree(JudgementEntry.of(Measurements.budget().evaluate(empty)));

        assertThat(entry.get("peakDeviceMemoryBytes").isNull()).isTrue();
        assertThat(entry.get("requests").isEmpty()).isTrue();
        for (JsonNode rule : judgement.get("rules")) {
            assertThat(rule.get("status").asString()).isEqualTo("INCONCLUSIVE");
            assertThat(rule.get("observed").isNull()).isTrue();
            assertThat(rule.get("evidence").isNull()).isTrue();
        }
        assertThat(throughJson(empty).traces()).isEmpty();
    }

    @Test
    void whatIsNotANumberIsWrittenAsNull() {
        record Values(double primitive, Double boxed, double finite) {}

        assertThat(Json.MAPPER
                        .valueToTree(new Values(Double.NaN, Double.NEGATIVE_INFINITY, 0.1))
                        .toString())
                .isEqualTo("{\"primitive\":null,\"boxed\":null,\"finite\":0.1}");
    }

    @Test
    void aRuleIsWrittenWithItsNumbersForScripts() {
        JsonNode rules = Json.MAPPER
                .valueToTree(JudgementEntry.of(Measurements.budget().evaluate(Measurements.full())))
                .get("rules");

        assertThat(rules.get(0).get("metric").asString()).isEqualTo("TTFT");
        assertThat(rules.get(0).get("percentile").asDouble()).isEqualTo(95);
        assertThat(rules.get(0).get("limit").asDouble()).isEqualTo(300e6);
        assertThat(rules.get(0).get("promptTokens").toString()).isEqualTo("{\"min\":128,\"max\":128}");
        assertThat(rules.get(2).get("promptTokens").isNull()).isTrue();
        assertThat(rules.get(3).get("unit").asString()).isEqualTo("TOKENS_PER_SECOND");
    }

    private static Measurement throughJson(Measurement measurement) {
        String json = Json.MAPPER.writeValueAsString(MeasurementEntry.of(measurement));
        assertThat(json).doesNotContain("NaN", "Infinity");
        return Json.MAPPER.readValue(json, MeasurementEntry.class).toMeasurement();
    }
}
