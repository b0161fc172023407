package io.github.latencybudget.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.latencybudget.budget.Verdicts;
import io.github.latencybudget.metric.StreamMetrics;
import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.Chunks;
import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.PromptShares;
import io.github.latencybudget.trace.TokenTrace;
import io.github.latencybudget.trace.Traces;
import io.github.latencybudget.trace.Workload;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MeasurementEntryTest {

    @Test
    void aRecordedMeasurementIsJudgedAsTheMeasurementWas() throws IOException {
        Measurement measured = Measurements.full();

        Measurement read = throughJson(measured);

        Verdicts expected = Measurements.budget().evaluate(measured);
        Verdicts actual = Measurements.budget().evaluate(read);
        assertThat(actual.verdicts()).isEqualTo(expected.verdicts());
        assertThat(actual.findings()).isEqualTo(expected.findings());
        assertThat(actual.describe()).isEqualTo(expected.describe());
    }

    @Test
    void aRecordedMeasurementKeepsItsConditions() throws IOException {
        Measurement read = throughJson(Measurements.full());

        assertThat(read.conditions()).isEqualTo(Measurements.full().conditions());
        assertThat(read.environment()).isEqualTo(Measurements.full().environment());
        assertThat(read.warmUp()).isEqualTo(Measurements.full().warmUp());
        assertThat(read.peakDeviceMemoryBytes()).isEqualTo(Measurements.full().peakDeviceMemoryBytes());
    }

    @ParameterizedTest
    @MethodSource("arrivals")
    void anOpenLoopIsKeptWithItsSeed(Arrivals arrivals) throws IOException {
        for (OptionalInt most : List.of(OptionalInt.empty(), OptionalInt.of(64))) {
            Measurement measured = Traces.run(3, 100 * Traces.MS)
                    .openLoop(new Load.Open(arrivals, most, 7))
                    .measurement();

            assertThat(throughJson(measured).conditions()).isEqualTo(measured.conditions());
        }
    }

    static List<Arrivals> arrivals() {
        return List.of(
                new Arrivals.Constant(2.5),
                new Arrivals.Poisson(5, 1234567890123L),
                new Arrivals.Ramp(0, 20, Duration.ofMillis(1500)));
    }

    @Test
    void whenARequestWasOverIsKept() throws IOException {
        Measurement measured = Traces.run()
                .add(Outcome.FAILED, "503", 10)
                .sentAfter(5)
                .overAfter(70)
                .measurement();

        TokenTrace read = throughJson(measured).traces().get(0);

        assertThat(read.endNanos()).hasValue(70);
        assertThat(read.scheduleDelayNanos()).hasValue(5);
    }

    @Test
    void aRecordedMeasurementKeepsItsStepsFromTheFirstStartOn() throws IOException {
        Measurement measured = Measurements.full();
        long origin = measured.traces().get(0).startNanos();

        assertThat(throughJson(measured).steps())
                .isEqualTo(measured.steps().stream()
                        .map(s -> new EngineStep(
                                s.kind(),
                                s.startNanos() - origin,
                                s.endNanos() - origin,
                                s.deviceNanos(),
                                s.requests()))
                        .toList());
    }

    @Test
    void theStepsAreWrittenInColumns() {
        JsonNode steps = Json.MAPPER
                .valueToTree(MeasurementEntry.of(Measurements.full()))
                .get("steps");

        assertThat(steps.toString())
                .isEqualTo("{\"kinds\":\"PDDPDD\","
                        + "\"startNanos\":[3,201000000,221000000,240000000,250000000,270000000],"
                        + "\"durationNanos\":[200000000,19000000,18000000,7,19000000,19000000],"
                        + "\"deviceNanos\":[190000001,18000000,null,7,0,1],"
                        + "\"requests\":[\"0\",\"0\",\"\",\"1-3\",\"2-4,0,7\",\"\"]}");
    }

    @Test
    void stepsWithoutAnyTimeOnADeviceHaveNoSuchColumn() {
        EngineStep step = new EngineStep(EngineStep.Kind.DECODE, 5, 9, OptionalLong.empty(), List.of(-3));

        StepsEntry entry = StepsEntry.of(List.of(step), 2);

        assertThat(entry).isEqualTo(new StepsEntry("D", List.of(3L), List.of(4L), null, List.of("-3")));
        assertThat(entry.toSteps())
                .containsExactly(new EngineStep(EngineStep.Kind.DECODE, 3, 7, OptionalLong.empty(), List.of(-3)));
    }

    @Test
    void stepsThatCannotBeReadAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new StepsEntry("PD", List.of(1L), List.of(1L, 2L), null, List.of("0", "0")))
                .withMessage("the columns of the steps have different lengths: 2, 1, 2, none, 2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new StepsEntry("X", List.of(1L), List.of(1L), null, List.of("0")).toSteps())
                .withMessage("kinds: there is no step X");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new StepsEntry("D", List.of(1L), List.of(1L), null, List.of("")).toSteps());
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> new StepsEntry("D", List.of(1L), List.of(1L), null, List.of("0-2000000000")).toSteps());
    }

    @Test
    @Timeout(20)
    void aRangeUpToTheLargestNumberEnds() {
        StepsEntry entry = new StepsEntry("D", List.of(1L), List.of(1L), null, List.of("2147483645-2147483647"));

        assertThat(entry.toSteps().get(0).requests()).containsExactly(2147483645, 2147483646, 2147483647);
    }

    @Test
    void aWorkloadIsReadAsItWasWritten() throws IOException {
        Workload workload = Workload.drawn(new PromptShares(new TreeMap<>(Map.of(128, 3, 512, 1))));
        Measurement measurement = Traces.run(3, 400_000_000).workload(workload).measurement();
        String json = Json.MAPPER.writeValueAsString(MeasurementEntry.of(measurement));

        Measurement read = Json.MAPPER.readValue(json, MeasurementEntry.class).toMeasurement();

        assertThat(read.conditions()).isEqualTo(measurement.conditions());
        assertThat(Json.MAPPER.readTree(json).get("workload"))
                .hasToString("{\"shares\":{\"weights\":{\"128\":3,\"512\":1}},\"file\":null,\"thinkTime\":null}");
    }

    @Test
    void aRequestWithoutAnOutcomeIsRefused() throws IOException {
        ObjectNode json = Json.MAPPER.valueToTree(MeasurementEntry.of(Measurements.full()));
        ObjectNode request = (ObjectNode) json.get("requests").get(0);
        request.putNull("outcome").put("reason", "lost");
        MeasurementEntry entry = Json.MAPPER.treeToValue(json, MeasurementEntry.class);

        assertThatNullPointerException().isThrownBy(entry::toMeasurement).withMessage("outcome");
    }

    @Test
    void aRecordedMeasurementKeepsItsChunks() throws IOException {
        List<TokenTrace> traces = throughJson(Measurements.full()).traces();

        Chunks sized = traces.get(122).chunks();
        assertThat(sized.tokensOf(2)).isEqualTo(2);
        assertThat(sized.firstVisible()).hasValue(2);
        assertThat(sized.arrivalNanos(3) - traces.get(122).startNanos()).isEqualTo(35);
        Chunks unsized = traces.get(123).chunks();
        assertThat(unsized.areTokensKnown()).isFalse();
        assertThat(unsized.tokens()).isEqualTo(4);
        assertThat(unsized.firstVisible()).isEmpty();
    }

    @Test
    void whatWasWatchedComesBack() throws IOException {
        Measurement measured = Measurements.full();

        Measurement read = throughJson(measured);

        assertThat(read.watch()).isEqualTo(measured.watch());
        assertThat(read.traces())
                .extracting(TokenTrace::scheduleDelayNanos, TokenTrace::cachedPromptTokens)
                .isEqualTo(measured.traces().stream()
                        .map(t -> tuple(t.scheduleDelayNanos(), t.cachedPromptTokens()))
                        .toList());
    }

    @Test
    void anAnswerThatWasNotStreamedComesBackAsOne() throws IOException {
        Measurement full = Measurements.full();
        List<TokenTrace> traces = List.of(
                new TokenTrace(0, 128, 4, 50, Chunks.whole(70, 4), Outcome.COMPLETED, null),
                new TokenTrace(1, 128, 1, 80, Chunks.whole(90, 1), Outcome.COMPLETED, null),
                new TokenTrace(2, 128, 1, 80, Chunks.ofOneToken(90), Outcome.COMPLETED, null));

        List<TokenTrace> read = throughJson(new Measurement(
                        full.conditions(),
                        full.environment(),
                        full.warmUp(),
                        traces,
                        full.peakDeviceMemoryBytes(),
                        List.of()))
                .traces();

        assertThat(read)
                .extracting(
                        t -> t.chunks().isWhole(),
                        TokenTrace::outputTokens,
                        t -> StreamMetrics.e2eNanos(t).getAsLong())
                .containsExactly(tuple(true, 4, 20L), tuple(true, 1, 10L), tuple(false, 1, 10L));
    }

    @Test
    void eachGuardIsWrittenWithWhatBecameOfIt() {
        JsonNode guards = Json.MAPPER
                .valueToTree(JudgementEntry.of(Measurements.budget().evaluate(Measurements.full())))
                .get("guards");

        assertThat(guards)
                .extracting(g -> g.get("guard").asText(), g -> g.get("state").asText())
                .containsExactly(
                        tuple("other-processes", "FOUND"),
                        tuple("throttling", "FOUND"),
                        tuple("min-clock-share", "CLEAR"),
                        tuple("max-memory-share", "NOT_CHECKED"),
                        tuple("max-schedule-delay-share", "NOT_APPLICABLE"),
                        tuple("max-cached-share", "FOUND"),
                        tuple("output-length", "CLEAR"),
                        tuple("max-failed-share", "FOUND"),
                        tuple("same-target", "CLEAR"),
                        tuple("max-drift", "OFF"),
                        tuple("max-client-error-share", "FOUND"));
        assertThat(guards.get(2).toString())
                .isEqualTo(
                        "{\"guard\":\"min-clock-share\",\"state\":\"CLEAR\",\"threshold\":0.5,\"isDefault\":false,\"said\":\"1755 of at most 1980 MHz (median 1980, lowest 1200)\"}");
        assertThat(guards.get(9).get("said").isNull()).isTrue();
    }

    @Test
    void recordingTwiceChangesNothing() {
        MeasurementEntry once = MeasurementEntry.of(Measurements.full());

        assertThat(MeasurementEntry.of(once.toMeasurement())).isEqualTo(once);
    }

    @Test
    void anEmptyMeasurementHasNullsAndNoNumbers() throws IOException {
        Measurement empty = Measurements.empty();
        JsonNode entry = Json.MAPPER.valueToTree(MeasurementEntry.of(empty));
        JsonNode judgement =
                Json.MAPPER.valueToTree(JudgementEntry.of(Measurements.budget().evaluate(empty)));

        assertThat(entry.get("peakDeviceMemoryBytes").isNull()).isTrue();
        assertThat(entry.get("requests").isEmpty()).isTrue();
        for (JsonNode rule : judgement.get("rules")) {
            assertThat(rule.get("status").asText()).isEqualTo("INCONCLUSIVE");
            assertThat(rule.get("observed").isNull()).isTrue();
            assertThat(rule.get("evidence").isNull()).isTrue();
        }
        assertThat(throughJson(empty).traces()).isEmpty();
    }

    // Evaluation case 10.
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

        assertThat(rules.get(0).get("metric").asText()).isEqualTo("TTFT");
        assertThat(rules.get(0).get("percentile").asDouble()).isEqualTo(95);
        assertThat(rules.get(0).get("limit").asDouble()).isEqualTo(300e6);
        assertThat(rules.get(0).get("promptTokens").toString()).isEqualTo("{\"min\":128,\"max\":128}");
        assertThat(rules.get(2).get("promptTokens").isNull()).isTrue();
        assertThat(rules.get(3).get("kind").asText()).isEqualTo("MEAN");
        assertThat(rules.get(3).get("percentile").isNull()).isTrue();
        assertThat(rules.get(3).get("evidence").get("rank").isNull()).isTrue();
        assertThat(rules.get(5).get("label").asText()).isEqualTo("goodput");
        assertThat(rules.get(5).get("metric").isNull()).isTrue();
        assertThat(rules.get(5).get("isAtMost").asBoolean()).isFalse();
        assertThat(rules.get(9).get("unit").asText()).isEqualTo("TOKENS_PER_SECOND");
    }

    private static Measurement throughJson(Measurement measurement) throws IOException {
        String json = Json.MAPPER.writeValueAsString(MeasurementEntry.of(measurement));
        assertThat(json).doesNotContain("NaN", "Infinity");
        return Json.MAPPER.readValue(json, MeasurementEntry.class).toMeasurement();
    }
}
