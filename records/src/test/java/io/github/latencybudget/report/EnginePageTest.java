package io.github.latencybudget.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.latencybudget.record.Json;
import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a page shows of an engine that could be looked into. */
class EnginePageTest {

    private static final long MS = Samples.MILLI;

    @TempDir
    Path folder;

    /** Of two requests, the prompt of the second is taken between two tokens of the first. */
    private static Measurement two() {
        return Samples.of(
                "Llama-2-7b",
                2,
                List.of(trace(0, 0, 10 * MS, 40 * MS, 45 * MS), trace(1, 5 * MS, 30 * MS, 40 * MS, 45 * MS)),
                List.of(
                        step(EngineStep.Kind.PREFILL, 0, 10 * MS, 0),
                        step(EngineStep.Kind.PREFILL, 12 * MS, 30 * MS, 1),
                        step(EngineStep.Kind.DECODE, 30 * MS, 40 * MS, 0, 1),
                        step(EngineStep.Kind.DECODE, 40 * MS, 45 * MS, 0, 1)));
    }

    private static TokenTrace trace(int request, long start, long... arrivals) {
        return new TokenTrace(request, 512, arrivals.length, start, arrivals, Outcome.COMPLETED, null);
    }

    private static EngineStep step(EngineStep.Kind kind, long start, long end, Integer... requests) {
        return new EngineStep(kind, start, end, OptionalLong.of(end - start - MS), List.of(requests));
    }

    private Element gate(Measurement measurement) throws IOException {
        BatchExample.judge(folder, "engine", "Engine", measurement, 20);
        Report.write(Samples.store(folder), folder);
        Document page = Jsoup.parse(folder.resolve("index.html").toFile(), "UTF-8");
        return page.selectFirst("section.gate");
    }

    @Test
    void theTableSaysWhereTheTimeGoes() throws IOException {
        assertThat(gate(two()).select("table.times").first().select("tbody tr").eachText())
                .containsExactly(
                        "prefill step 2 10.0 ms 18.0 ms 18.0 ms 18.0 ms",
                        "prefill, device time 2 9.00 ms 17.0 ms 17.0 ms 17.0 ms",
                        "prefill, host time outside the device 2 1.00 ms 1.00 ms 1.00 ms 1.00 ms",
                        "decode step 2 5.00 ms 10.0 ms 10.0 ms 10.0 ms",
                        "decode, device time 2 4.00 ms 9.00 ms 9.00 ms 9.00 ms",
                        "decode, host time outside the device 2 1.00 ms 1.00 ms 1.00 ms 1.00 ms");
    }

    @Test
    void thePromptsOfOthersAreNamed() throws IOException {
        Element gate = gate(two());

        assertThat(gate.select("table.times").last().select("tbody tr").eachText())
                .containsExactly(
                        "gaps with the prefill of another request 1 30.0 ms 30.0 ms 30.0 ms 30.0 ms",
                        "all other gaps 3 5.00 ms 10.0 ms 10.0 ms 10.0 ms",
                        "prefill of others within a gap 1 18.0 ms 18.0 ms 18.0 ms 18.0 ms");
        assertThat(gate.select("table.pauses tbody tr").eachText())
                .containsExactly("request 1 512 tokens 18.0 ms request 0");
        assertThat(gate.text())
                .contains(
                        "1 of the 1 gaps above the limit contain the prefill of another request (longest 18.0 ms, request 1)");
    }

    @Test
    void theSystemTgsStandsAmongItsConditions() throws IOException {
        assertThat(gate(two()).select("dl.conditions").text())
                .contains(
                        "System TGS under these conditions 133.3 tokens/s (6 tokens in 0.05 s), 1.9 requests in flight on average");
        JsonNode report = Json.MAPPER.readTree(Files.readString(folder.resolve("report.json")));
        assertThat(report.at("/gates/0/attempts/0/systemTgs").asDouble()).isBetween(133.3, 133.4);
    }

    @Test
    void theBatchIsDrawnWithThePrefills() throws IOException {
        Element figure = gate(two()).select(".plots figure").last();

        assertThat(figure.select("h3").text()).isEqualTo("The batch over the time of the run");
        assertThat(figure.select("desc").text())
                .isEqualTo("At most 2 sequences together; prefill took 62% of the time");
        // 45 ms over 362 places from 48 on: to 10 ms and from 12 to 30
        assertThat(figure.select("path.prefill").attr("d")).isEqualTo("M48.0 8H128.4M144.5 8H289.3");
        // two of at most 2.16 over 166 places up from 180, while something is decoded
        assertThat(figure.select("path.first").attr("d"))
                .startsWith("M288.0 26.3L")
                .doesNotContain("M48");
    }

    @Test
    void aLongRunIsDrawnInNoMoreThanSoManyPoints() {
        List<EngineStep> steps = new ArrayList<>();
        for (int i = 0; i < 50_000; i++) {
            steps.add(step(
                    i % 3 == 0 ? EngineStep.Kind.PREFILL : EngineStep.Kind.DECODE, i * 4 * MS, (i * 4 + 3) * MS, 0));
        }
        Plot plot = BatchOverTime.plot(Samples.of("Llama-2-7b", 2, List.of(trace(0, 0, MS)), steps))
                .orElseThrow();

        assertThat(plot.lines()).allSatisfy(l -> assertThat(l.path().length()).isLessThan(8_000));
        assertThat(plot.xLabel()).isEqualTo("time, s");
    }

    @Test
    void whereTheEngineCannotBeLookedIntoNothingIsShownOfIt() throws IOException {
        Element gate = gate(Samples.steady("Llama-2-7b", 80, 16, r -> 200 * MS));

        assertThat(gate.select("table.times, table.pauses")).isEmpty();
        assertThat(gate.text()).doesNotContain("engine's", "The batch", "System TGS");
    }

    @Test
    void oneRequestAtATimeHasTheTimesOfItsStepsAndNothingOfOthers() throws IOException {
        Element gate = gate(Samples.of("Llama-2-7b", 1, two().traces(), two().steps()));

        assertThat(gate.select("table.times")).hasSize(1);
        assertThat(gate.text()).doesNotContain("prompts of others", "The batch");
    }
}
