package io.github.latencybudget.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a release review sees of baselines. */
class ComparisonPageTest {

    @TempDir
    Path folder;

    private Document page;

    @BeforeEach
    void write() throws IOException {
        BaselineExample.write(folder);
        Samples.report(Samples.store(folder), folder);
        page = Jsoup.parse(folder.resolve("index.html").toFile(), "UTF-8");
    }

    @Test
    void aGateThatIsWorseOrCannotBeComparedHasNotPassed() {
        assertThat(page.select("section.gate > h2 > .badge").eachText())
                .containsExactly("BREACHED", "INCONCLUSIVE", "BASELINE STORED", "PASSED", "PASSED");
        assertThat(page.select("section.gate > h2").eachText())
                .startsWith("BREACHED Chat is slower than in May", "INCONCLUSIVE Chat on another model");
    }

    @Test
    void everyComparisonSaysWhatItHasShown() {
        assertThat(page.select("nav td:nth-child(3) p:nth-child(2)").eachText())
                .containsExactly(
                        "WORSE against the baseline chat of 2025-12-31T12:00:00Z: worse is more than 10%, with 95% confidence at each bound",
                        "INCONCLUSIVE against the baseline chat of 2025-12-31T12:00:00Z: the two runs cannot be compared",
                        "STORED this run was stored as the baseline chat, and is compared with nothing",
                        "IMPROVED against the baseline chat of 2025-12-31T12:00:00Z: worse is more than 10%, with 95% confidence at each bound",
                        "WORSE against the baseline chat of 2025-12-31T12:00:00Z: worse is more than 10%, with 95% confidence at each bound (told only: it does not fail the gate)");
    }

    @Test
    void theTableHasARowPerChangeAndTheFigureAnInterval() {
        Element worse = comparison(0);

        assertThat(worse.select(".changes tbody tr")).hasSize(18);
        assertThat(worse.select("svg rect.interval")).hasSize(18);
        assertThat(worse.select("svg circle.observed")).hasSize(18);
        assertThat(worse.select("svg rect.band")).hasSize(1);
        assertThat(worse.selectFirst(".changes tbody tr").select("td").eachText())
                .startsWith("WORSE", "TTFT for prompts of 128 tokens")
                .endsWith("yes");
        assertThat(worse.select("svg > title").text()).isEqualTo("Change from the baseline chat");
        assertThat(worse.outerHtml()).doesNotContain("NaN", "Infinity");
    }

    /** Of times and of rates alike, what is worse lies to the right of what is tolerated. */
    @Test
    void whatIsWorseLiesToTheRightOfTheToleranceAndWhatImprovedToTheLeft() {
        assertThat(places(comparison(0), "breached")).isNotEmpty().allMatch(x -> x > bandEnd(comparison(0)));
        Element improved = comparison(3);
        double bandStart = Double.parseDouble(improved.selectFirst("rect.band").attr("x"));
        double tgs = places(improved, "passed").get(8);
        assertThat(tgs).isLessThan(bandStart);
    }

    @Test
    void aRefusalNamesTheConditionAndIsText() {
        assertThat(comparison(1).select(".findings dd").eachText())
                .containsExactly("model: the baseline has Llama-2-7b, this run <b>Llama-2-13b</b>");
        assertThat(comparison(1).select("svg")).isEmpty();
        assertThat(page.select("section.gate b b")).isEmpty();
    }

    @Test
    void theSummaryShowsWhatIsJudged() throws IOException {
        String summary = Files.readString(folder.resolve("summary.md"));

        assertThat(summary)
                .contains("### Compared with baselines")
                .contains("| WORSE | Chat is slower than in May | ITL for prompts of 128 tokens | worsened by ")
                .contains("Baseline: Not compared, because: model: the baseline has Llama-2-7b")
                .doesNotContain("ITL P95 for prompts of 128 tokens");
        assertThat(Files.readString(folder.resolve("report.json"))).contains("\"baseline\" : \"chat\"");
    }

    private Element comparison(int gate) {
        return page.select("section.gate").get(gate).select("article.rule").last();
    }

    private static double bandEnd(Element comparison) {
        Element band = comparison.selectFirst("rect.band");
        return Double.parseDouble(band.attr("x")) + Double.parseDouble(band.attr("width"));
    }

    private static List<Double> places(Element comparison, String style) {
        return comparison.select("circle.observed." + style).stream()
                .map(c -> Double.parseDouble(c.attr("cx")))
                .toList();
    }
}
