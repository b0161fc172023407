package io.github.latencybudget.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.trace.Measurement;
import java.io.IOException;
import java.nio.file.Path;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a page shows of a load. */
class LoadPageTest {

    private static final long MS = Samples.MILLI;

    @TempDir
    Path folder;

    private Element gate(Measurement measurement) throws IOException {
        BatchExample.judge(folder, "load", "Load", measurement, 20);
        Report.write(Samples.store(folder), folder);
        return Jsoup.parse(folder.resolve("index.html").toFile(), "UTF-8").selectFirst("section.gate");
    }

    @Test
    void anOpenLoopShowsItsArrivalsRatesAndDelay() throws IOException {
        String conditions = gate(LoadExample.open(100)).select("dl.conditions").text();

        assertThat(conditions)
                .contains("Load open loop of 20 requests/s, Poisson, seed 42; at most 4 in flight and 100 waiting")
                .doesNotContain("Concurrency")
                .containsPattern("Rates [0-9.]+ requests/s due, [0-9.]+ sent, [0-9.]+ completed")
                .containsPattern("Schedule delay P50 0.000 ms, P99 [0-9.]+ ms, max [0-9.]+ ms")
                .containsPattern("In flight [0-9.]+ on average, 4 at most");
    }

    @Test
    void whatWasInFlightAndHowLateItWasSentIsDrawn() throws IOException {
        Element gate = gate(LoadExample.open(100));
        Element inFlight = figure(gate, "Requests in flight over the time of the run");
        Element delay = figure(gate, "Schedule delay over the time of the run");

        assertThat(inFlight.select("path.first, path.second")).hasSize(2);
        assertThat(inFlight.select("figcaption").text()).isEqualTo("in flight with those that wait to be sent");
        assertThat(delay.select("circle.dot")).hasSize(100);
    }

    @Test
    void aLongRunIsDrawnByItsLongest() throws IOException {
        Element delay = figure(gate(LoadExample.open(1_000)), "Schedule delay over the time of the run");

        assertThat(delay.select("circle.dot").size()).isBetween(150, 181);
        assertThat(delay.select("figcaption").text())
                .isEqualTo("a request Each point is the longest of those in a 181st part of the time.");
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
