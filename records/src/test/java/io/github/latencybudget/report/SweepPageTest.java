package io.github.latencybudget.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.budget.Sweep;
import io.github.latencybudget.budget.Verdicts;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.record.GateRecord.TestEnding;
import io.github.latencybudget.record.JudgementEntry;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.record.SweepEntry;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a page shows of a sweep. */
class SweepPageTest {

    private static final long MS = Samples.MILLI;
    private static final Budget BUDGET =
            Budget.of(LatencyRule.ttft(PromptLength.exactly(128), Percentile.P95, Duration.ofMillis(160)));

    @TempDir
    Path folder;

    public static void main(String[] arguments) {
        Path folder = Path.of(arguments[0]);
        write(folder, true, 16, 1, 2, 4, 8, 16, 32);
        LoadExample.write(folder);
        System.out.println(Samples.report(Samples.store(folder), folder));
    }

    /** So many at a time, each of 20 tokens, the slower the more there are. */
    private static Measurement step(int concurrency, boolean isMemoryKnown, int rounds) {
        List<TokenTrace> traces = new ArrayList<>();
        long ttft = 100 * MS + concurrency * concurrency * MS / 2;
        long gap = 10 * MS + concurrency * MS / 4;
        for (int i = 0; i < rounds * concurrency; i++) {
            long start = i / concurrency * (ttft + 19 * gap);
            long[] arrivals = new long[20];
            for (int t = 0; t < arrivals.length; t++) {
                arrivals[t] = start + ttft + t * gap;
            }
            traces.add(new TokenTrace(i, 128, 20, start, arrivals, Outcome.COMPLETED, null));
        }
        Measurement run = Samples.of("Llama-2-7b", concurrency, traces, List.of());
        return isMemoryKnown
                ? run
                : new Measurement(
                        run.conditions(),
                        run.environment(),
                        run.warmUp(),
                        traces,
                        OptionalLong.empty(),
                        List.of(),
                        List.of());
    }

    private static void write(Path folder, boolean isMemoryKnown, double atLeast, Integer... loads) {
        writeRounds(160, folder, isMemoryKnown, atLeast, loads);
    }

    private static void writeRounds(int rounds, Path folder, boolean isMemoryKnown, double atLeast, Integer... loads) {
        List<Double> planned = List.of(loads).stream().map(Integer::doubleValue).toList();
        List<Sweep.Step> steps = new ArrayList<>();
        List<JudgementEntry> judgements = new ArrayList<>();
        for (double load : planned) {
            Measurement run = step((int) load, isMemoryKnown, rounds);
            Verdicts verdicts = BUDGET.evaluate(run);
            judgements.add(JudgementEntry.of(verdicts));
            steps.add(new Sweep.Step(
                    load, run, judgements.get(judgements.size() - 1).status()));
            if (!steps.get(steps.size() - 1).holds()) {
                break;
            }
        }
        Sweep sweep = new Sweep(Sweep.Unit.CONCURRENCY, atLeast, planned, steps);
        RecordStore.Attempt attempt = Samples.store(folder).start(Samples.gate("sweep"), "Sweep");
        attempt.swept(SweepEntry.of(sweep, judgements), sweep.deciding().measurement(), BUDGET);
        Samples.judge(attempt, BUDGET, sweep.deciding().measurement(), new TestEnding(TestEnding.Status.PASSED, null));
    }

    private Element gate() throws IOException {
        Samples.report(Samples.store(folder), folder);
        return Jsoup.parse(folder.resolve("index.html").toFile(), "UTF-8").selectFirst("section.gate");
    }

    @Test
    void eachStepHasARow() throws IOException {
        write(folder, true, 1, 1, 4, 16, 32);

        Element gate = gate();

        assertThat(gate.select("table.sweep tbody tr").eachText())
                .containsExactly(
                        "concurrency 1 PASS 67.7 tokens/s 100.0% 1.0, at most 1 100.5 ms / 100.5 ms / 100.5 ms 10.3 ms / 10.3 ms / 10.3 ms",
                        "concurrency 4 PASS 252.4 tokens/s 93.1% 4.0, at most 4 108.0 ms / 108.0 ms / 108.0 ms 11.0 ms / 11.0 ms / 11.0 ms",
                        "concurrency 16 BREACH 647.8 tokens/s 59.8% 16.0, at most 16 228.0 ms / 228.0 ms / 228.0 ms 14.0 ms / 14.0 ms / 14.0 ms");
        assertThat(gate.text())
                .contains(
                        "The highest load that was shown to hold is concurrency 4; concurrency 16 is BREACH; it has to hold up to concurrency 1; it ended with concurrency 16, so concurrency 32 was not measured.")
                .contains(
                        "concurrency 16 BREACH TTFT P95 at most 160.0 ms for prompts of 128 tokens: observed 228.0 ms");
        assertThat(gate.selectFirst(".badge").text()).isEqualTo("PASSED");
    }

    @Test
    void aNumberStaysWithItsUnit() throws IOException {
        write(folder, true, 1, 1);

        assertThat(gate().selectFirst("table.sweep tbody tr td:nth-child(6)")
                        .wholeText()
                        .strip())
                .isEqualTo("100.5\u00a0ms / 100.5\u00a0ms / 100.5\u00a0ms");
    }

    @Test
    void aStepThatShowedNothingSaysWhy() throws IOException {
        writeRounds(3, folder, true, 16, 16);

        assertThat(gate().text())
                .contains(
                        "concurrency 16 INCONCLUSIVE TTFT P95 at most 160.0 ms for prompts of 128 tokens: observed 228.0 ms, 68.0 ms (42.5%) over; could not be shown with 95% confidence from 48 requests, of which 16 in flight together count as one sample");
    }

    @Test
    void theRateIsDrawnBesideTheIdeal() throws IOException {
        write(folder, true, 1, 1, 4, 16, 32);

        Element figure = gate().selectFirst("table.sweep ~ .plots figure");

        assertThat(figure.select("h3").text()).isEqualTo("System TGS against the load");
        assertThat(figure.select("path.ideal, path.first")).hasSize(2);
        assertThat(figure.select("circle.pass")).hasSize(2);
        assertThat(figure.select("circle.breach")).hasSize(1);
        assertThat(figure.select("figcaption").text())
                .isEqualTo("the budget holds it was not shown to hold ideal: 1 x n");
    }

    /** A rate without the memory that it was reached within is not one; how many times another it is still is. */
    @Test
    void withoutTheMemoryItsMultipleIsDrawn() throws IOException {
        write(folder, false, 2, 2, 4);

        Element gate = gate();

        assertThat(gate.select("table.sweep tbody tr").first().text())
                .startsWith("concurrency 2 PASS not stated 100.0%");
        assertThat(gate.selectFirst("table.sweep ~ .plots figure").text())
                .contains("Output rate against the load, as a multiple of the first step's")
                .contains("ideal: as from 0 to concurrency 2");
    }

    @Test
    void scriptsFindEachStep() throws IOException {
        write(folder, true, 4, 1, 4, 16, 32);

        JsonNode sweep = sweepInReportJson();

        assertThat(sweep.fieldNames())
                .toIterable()
                .containsExactly("unit", "atLeast", "highestThatHolds", "decidingLoad", "notMeasured", "steps");
        assertThat(sweep.get("unit").asText()).isEqualTo("CONCURRENCY");
        assertThat(sweep.get("atLeast").asDouble()).isEqualTo(4);
        assertThat(sweep.get("highestThatHolds").asDouble()).isEqualTo(4);
        assertThat(sweep.get("decidingLoad").asDouble()).isEqualTo(4);
        assertThat(sweep.get("notMeasured").toString()).isEqualTo("[32.0]");
        JsonNode last = sweep.get("steps").get(2);
        assertThat(last.get("load").asDouble()).isEqualTo(16);
        assertThat(last.get("status").asText()).isEqualTo("BREACH");
        assertThat(last.get("requests").asInt()).isEqualTo(2560);
        assertThat(last.get("systemTgs").asDouble()).isCloseTo(647.8, within(0.05));
        assertThat(last.get("efficiency").asDouble()).isCloseTo(0.598, within(0.0005));
        assertThat(last.get("inFlightMean").asDouble()).isCloseTo(16, within(0.1));
        assertThat(last.get("inFlightPeak").asInt()).isEqualTo(16);
        assertThat(last.get("judgement").get("rules")).hasSize(1);
    }

    @Test
    void withoutTheMemoryThereIsNoRateForScriptsEither() throws IOException {
        write(folder, false, 2, 2, 32);

        JsonNode sweep = sweepInReportJson();

        assertThat(sweep.get("steps").get(0).get("systemTgs").isNull()).isTrue();
        assertThat(sweep.get("steps").get(1).get("efficiency").isNull()).isFalse();
    }

    private JsonNode sweepInReportJson() throws IOException {
        Samples.report(Samples.store(folder), folder);
        return new ObjectMapper()
                .readTree(Files.readString(folder.resolve("report.json")))
                .get("gates")
                .get(0)
                .get("attempts")
                .get(0)
                .get("sweep");
    }

    @Test
    void theSummarySaysWhatCameOfIt() throws IOException {
        write(folder, true, 1, 1, 4, 16);
        gate();

        assertThat(Files.readString(folder.resolve("summary.md")))
                .contains(
                        "Sweep: the highest load that was shown to hold is concurrency 4; concurrency 16 is BREACH; it has to hold up to concurrency 1");
    }
}
