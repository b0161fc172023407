package io.github.latencybudget.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.Conditions;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a page shows of a load. */
class LoadPageTest {

    private static final long MS = Samples.MILLI;
    private static final Load.Open LOAD = new Load.Open(new Arrivals.Poisson(20, 42), OptionalInt.of(4), 100);

    @TempDir
    Path folder;

    /** A target that answers in 100 ms, four at a time, and is asked 20 times per second; it stands still for a second. */
    static Measurement open(int requests) {
        Random random = new Random(42);
        long[] free = new long[4];
        double due = 0;
        List<TokenTrace> traces = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            due += -Math.log1p(-random.nextDouble()) / 20 * 1e9;
            long start = Math.round(due);
            int slot = 0;
            for (int s = 1; s < free.length; s++) {
                slot = free[s] < free[slot] ? s : slot;
            }
            long sent = Math.max(start, free[slot]);
            long work = 100 * MS + (i == requests / 2 ? 1_000 * MS : 0) + random.nextInt(20) * MS;
            free[slot] = sent + work;
            traces.add(new TokenTrace(
                            i, 128, 2, start, new long[] {sent + work / 2, sent + work}, Outcome.COMPLETED, null)
                    .sentAt(sent)
                    .endedAt(sent + work));
        }
        Measurement closed = Samples.of("Llama-2-7b", 4, traces, List.of());
        Conditions c = closed.conditions();
        return new Measurement(
                new Conditions(
                        c.model(),
                        c.weights(),
                        c.dtype(),
                        c.device(),
                        c.requestsByPromptTokens(),
                        c.outputTokens(),
                        c.sampling(),
                        c.concurrency(),
                        c.settings(),
                        Optional.of(LOAD)),
                closed.environment(),
                closed.warmUp(),
                traces,
                closed.peakDeviceMemoryBytes(),
                closed.findings(),
                closed.steps());
    }

    private Element gate(Measurement measurement) throws IOException {
        BatchExample.judge(folder, "load", "Load", measurement, 20);
        Report.write(Samples.store(folder), folder);
        return Jsoup.parse(folder.resolve("index.html").toFile(), "UTF-8").selectFirst("section.gate");
    }

    @Test
    void anOpenLoopShowsItsArrivalsRatesAndDelay() throws IOException {
        String conditions = gate(open(100)).select("dl.conditions").text();

        assertThat(conditions)
                .contains("Load open loop of 20 requests/s, Poisson, seed 42; at most 4 in flight and 100 waiting")
                .doesNotContain("Concurrency")
                .containsPattern("Rates [0-9.]+ requests/s due, [0-9.]+ sent, [0-9.]+ completed")
                .containsPattern("Schedule delay P50 0.000 ms, P99 [0-9.]+ ms, max [0-9.]+ ms")
                .containsPattern("In flight [0-9.]+ on average, 4 at most");
    }

    @Test
    void whatWasInFlightAndHowLateItWasSentIsDrawn() throws IOException {
        Element gate = gate(open(100));
        Element inFlight = figure(gate, "Requests in flight over the time of the run");
        Element delay = figure(gate, "Schedule delay over the time of the run");

        assertThat(inFlight.select("path.first, path.second")).hasSize(2);
        assertThat(inFlight.select("figcaption").text()).isEqualTo("in flight with those that wait to be sent");
        assertThat(delay.select("circle.dot")).hasSize(100);
    }

    @Test
    void aLongRunIsDrawnByItsLongest() throws IOException {
        Element delay = figure(gate(open(1_000)), "Schedule delay over the time of the run");

        assertThat(delay.select("circle.dot").size()).isBetween(150, 181);
        assertThat(delay.select("figcaption").text())
                .isEqualTo("a request Each point is the longest of those in a 181-th of the time.");
    }

    @Test
    void aClosedLoopOfOneHasNeither() {
        Measurement one = Samples.steady("m", 10, 4, i -> 100 * MS);

        assertThat(InFlightOverTime.plot(one)).isEmpty();
        assertThat(DelayOverTime.plot(one)).isEmpty();
    }

    private static Element figure(Element gate, String title) {
        return gate.select(".plots figure").stream()
                .filter(f -> f.select("h3").text().equals(title))
                .findFirst()
                .orElseThrow();
    }
}
