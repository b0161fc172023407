package io.github.latencybudget.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.latencybudget.record.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the report shows of one load on two targets. */
class TargetsPageTest {

    @TempDir
    Path folder;

    private Document page;

    @BeforeEach
    void write() throws IOException {
        TargetsExample.write(folder);
        Report.write(Samples.store(folder), folder);
        page = Jsoup.parse(folder.resolve("index.html").toFile(), "UTF-8");
    }

    private Element served() {
        return page.select("section.targets").get(1);
    }

    private static String fact(Element section, String name) {
        return section.selectFirst("dt:containsOwn(%s) + dd".formatted(name)).text();
    }

    @Test
    void whatHasNoOtherSideStandsAlone() {
        assertThat(page.select("section.targets > h2").eachText())
                .containsExactly("chat: a beside b", "ChatSlaTest.answers(): local beside served");
        assertThat(page.select("section.gate:not(.targets)")).hasSize(5);
    }

    @Test
    void itSaysWhatTheTwoHaveInCommonAndWhatNot() {
        assertThat(fact(served(), "Prompts")).isEqualTo("the same texts, of as many tokens on both");
        assertThat(fact(served(), "What differs"))
                .isEqualTo(
                        "model, network, peak device memory. A factor is of all of these together, and of what is not known");
        assertThat(fact(served(), "Left out"))
                .isEqualTo(
                        "decode TGS: the device memory of served is not known, and a TGS value without it says nothing; TPOT says how fast tokens come");
        assertThat(fact(page.selectFirst("section.targets"), "Prompts"))
                .isEqualTo("other prompts of the same lengths, each by its own target's count");
        assertThat(served().select("table.changes tr:has(b)").eachText())
                .containsExactly(
                        "Model Llama-2-7b my-model differs",
                        served().select("table.changes tr:contains(round trip)").text(),
                        "Peak device memory 14.4 GiB could not be read differs");
    }

    @Test
    void eachMetricHasBothSidesAndTheFactorWithItsBounds() {
        assertThat(served().select("table.sides tbody td:first-child").eachText())
                .containsExactly(
                        "TTFT, 128 tokens",
                        "ITL, 128 tokens",
                        "TPOT, 128 tokens",
                        "E2E, 128 tokens",
                        "TTFT, 512 tokens",
                        "ITL, 512 tokens",
                        "TPOT, 512 tokens",
                        "E2E, 512 tokens");
        List<String> ttft =
                served().selectFirst("table.sides tbody tr").select("td.number").eachText();
        assertThat(ttft.get(0)).matches("(79|80|81)\\.\\d ms");
        assertThat(ttft.get(3)).matches("11\\d\\.\\d ms");
        // 80 ms times 1.1, and 24 ms more
        assertThat(ttft.get(6)).matches("1\\.(3[5-9]|4[0-4]) \\(1\\.3\\d to 1\\.4\\d\\)");
        assertThat(served().outerHtml()).doesNotContain("NaN", "Infinity");
    }

    @Test
    void targetsOfAPolicyHaveAFactorWithoutBounds() {
        Element policy = page.selectFirst("section.targets");

        assertThat(policy.select("table.sides tbody tr td:nth-child(8)").eachText())
                .hasSize(10)
                .allMatch(f -> f.matches("\\d\\.\\d\\d"));
        assertThat(fact(policy, "Every factor")).startsWith("no bounds: the runs ended once their rules were decided");
        List<Double> tgs = policy.select("tr:has(td:contains(decode TGS, 512 tokens)) td.number").eachText().stream()
                .limit(3)
                .map(t -> Double.parseDouble(t.replace(" tokens/s", "")))
                .toList();
        assertThat(tgs).as("what ever more of the requests reach").isSortedAccordingTo(Comparator.reverseOrder());
        assertThat(tgs.get(0)).isGreaterThan(tgs.get(2));
    }

    @Test
    void bothDistributionsAreInOneFigure() {
        assertThat(served().select("figure h3").eachText())
                .containsExactly(
                        "TTFT on both, prompts of 128 tokens",
                        "TTFT on both, prompts of 512 tokens",
                        "ITL on both, prompts of 128 tokens",
                        "ITL on both, prompts of 512 tokens");
        Element figure = served().selectFirst("figure");
        assertThat(figure.select("path.first, path.second")).hasSize(2);
        assertThat(figure.select("figcaption").text()).isEqualTo("local served");
        assertThat(figure.select("desc").text()).startsWith("local: P50 ").contains("served: P50 ");
    }

    @Test
    void theSummaryAndTheDocumentHaveItToo() throws IOException {
        assertThat(Files.readString(folder.resolve("summary.md")))
                .contains("### ChatSlaTest.answers(): local beside served")
                .contains("| Metric | local P50 | P95 | P99 | served P50 |")
                .contains("| TTFT, 128 tokens | ");
        JsonNode report = Json.MAPPER.readTree(Files.readString(folder.resolve("report.json")));
        JsonNode both = report.at("/targets/1");
        assertThat(both.at("/second/name").asText()).isEqualTo("served");
        assertThat(both.at("/sideBySide/ratios/0/ratio").asDouble()).isBetween(1.35, 1.45);
        assertThat(report.at("/targets/0/sideBySide/ratios/0/lower").isNull()).isTrue();
        assertThat(both.at("/differing/0").asText()).isEqualTo("model");
    }
}
