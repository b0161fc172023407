package io.github.latencybudget.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

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

/** What the report tells of the network and the server of an endpoint. */
class ExchangePageTest {

    @TempDir
    Path folder;

    private Document page;

    @BeforeEach
    void write() throws IOException {
        ExchangeExample.write(folder);
        Report.write(Samples.store(folder), folder);
        page = Jsoup.parse(folder.resolve("index.html").toFile(), "UTF-8");
    }

    private Element gate(String name) {
        return page.selectFirst("section.gate:has(h2:contains(%s))".formatted(name));
    }

    private static String fact(Element gate, String name) {
        return gate.selectFirst("dt:containsOwn(%s) + dd".formatted(name)).text();
    }

    @Test
    void theFactsNameConnectionsChunksAndTheCountOfTokens() {
        Element gate = gate("tells of its prompts");

        assertThat(fact(gate, "Output tokens counted by")).isEqualTo("usage");
        assertThat(fact(gate, "Connections")).isEqualTo("4 opened, 116 times used again");
        assertThat(fact(gate, "Chunks in one read"))
                .isEqualTo("24 of 1920 (1.3%), in 12 of 120 requests: the gap before each is 0");
        assertThat(fact(gate, "Cached tokens, says the server")).isEqualTo("0 to 2");
        assertThat(fact(gate, "Round trip, estimated")).matches("2\\d\\.\\d ms, the shortest of 4 connects");
    }

    @Test
    void eachRowIsOneRequestWhosePartsAddUpToItsTtft() {
        for (Element row : gate("tells of its prompts").select("table.parts tbody tr")) {
            List<Double> millis = row.select("td.number").eachText().stream()
                    .map(t -> t.equals("-") ? 0 : Double.parseDouble(t.replace(" ms", "")))
                    .toList();

            assertThat(millis.subList(1, 5).stream()
                            .mapToDouble(Double::doubleValue)
                            .sum())
                    .isCloseTo(millis.get(0), within(0.2));
        }
        assertThat(gate("tells of its prompts")
                        .select("table.parts tbody td:first-child")
                        .eachText())
                .containsExactly("128 tokens, P50", "128 tokens, P95", "512 tokens, P50", "512 tokens, P95");
    }

    @Test
    void theBarsEndWhereTtftDoes() {
        List<Element> longest = gate("tells of its prompts").select("figure:has(rect.part) rect.part[y=66.0]");

        assertThat(longest).hasSize(3);
        assertThat(number(longest.get(0), "x")).isEqualTo(120);
        assertThat(number(longest.get(2), "x") + number(longest.get(2), "width"))
                .isCloseTo(462, within(0.2));
    }

    @Test
    void whatIsNotToldIsNotDividedFurther() {
        Element gate = gate("tells nothing");

        assertThat(gate.select("rect.part.server")).isEmpty();
        assertThat(gate.select("table.parts tbody td:nth-child(5), table.parts tbody td:nth-child(6)")
                        .eachText())
                .containsOnly("-");
        assertThat(gate.select("figcaption").text()).contains("the server and the rest");
        assertThat(gate.text()).doesNotContain("says the server");
        assertThat(gate.outerHtml()).doesNotContain("NaN", "Infinity");
    }

    @Test
    void theTimesAreTheClientsBesideTheServers() {
        assertThat(gate("tells of its prompts")
                        .select("table.times tbody td:first-child")
                        .eachText())
                .containsExactly(
                        "connect, before the request",
                        "TLS, before the request",
                        "in the client, before the request",
                        "request to head of the answer",
                        "head to first token",
                        "TTFT",
                        "output, says the server",
                        "prompt, says the server",
                        "queue, says the server",
                        "per output token, says the server",
                        "TPOT",
                        "last token to [DONE]",
                        "last token to the end");
    }

    @Test
    void theSummaryHasTheParts() throws IOException {
        assertThat(Files.readString(folder.resolve("summary.md")))
                .contains("### The network and the server")
                .containsPattern(
                        "\\| A server that tells nothing \\| 128 tokens, P50 \\| [0-9.]+ ms \\| - \\| [0-9.]+ ms \\| - \\| - \\|");
    }

    @Test
    void theTableHasALinePerRequestAndWhatIsAbsentIsEmpty() throws IOException {
        List<String> lines = Files.readAllLines(folder.resolve("exchanges.csv"));

        assertThat(lines).hasSize(241);
        assertThat(lines.get(0))
                .startsWith("\"gate\",\"attempt\",\"request\",\"outcome\",\"promptTokens\"")
                .endsWith(
                        "\"endNanos\",\"server cached tokens\",\"server output ms\",\"server output tokens\",\"server prompt ms\",\"server queue ms\"");
        assertThat(lines).allSatisfy(l -> assertThat(l.split(",", -1)).hasSize(29));
        assertThat(lines)
                .filteredOn(l -> l.startsWith("\"com.example.ChatSlaTest#silent(Measurement)\",1,5,"))
                .singleElement()
                .asString()
                .contains("\"COMPLETED\",512,16,\"chunks\",,16,0,true,")
                .endsWith(",,,,,");
    }

    @Test
    void withoutAnEndpointThereIsNoneOfIt() throws IOException {
        Path other = folder.resolve("other");
        Files.createDirectories(other);
        Files.writeString(other.resolve("exchanges.csv"), "of an older run");
        BatchExample.judge(other, "local", "Local", Samples.steady("Llama-2-7b", 80, 16, r -> 200 * Samples.MILLI), 30);
        Report.write(Samples.store(other), other);

        assertThat(other.resolve("exchanges.csv")).doesNotExist();
        assertThat(Files.readString(other.resolve("index.html"))).doesNotContain("The network and the server");
        assertThat(Files.readString(other.resolve("summary.md"))).doesNotContain("The network and the server");
    }

    private static double number(Element element, String attribute) {
        return Double.parseDouble(element.attr(attribute));
    }
}
