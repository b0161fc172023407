package io.github.latencybudget.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.TokenTrace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageTest {

    @TempDir
    Path folder;

    Document page;

    @BeforeEach
    void write() throws IOException {
        ReportExample.write(folder);
        Samples.report(Samples.store(folder), folder);
        page = Jsoup.parse(folder.resolve("index.html").toFile(), "UTF-8");
    }

    @Test
    void theHeaderSaysWhatCameOut() {
        assertThat(page.select("h1").text())
                .isEqualTo(
                        "6 of 9 gates fail: 1 breached, 1 inconclusive, 1 ended by an error, 1 not finished, 1 not run, 1 within budget in a test that did not pass; a record cannot be read");
        assertThat(page.select("header .line").text())
                .startsWith("9 gates: 1 passed, 1 breached, 1 inconclusive, 1 ended by an error");
        assertThat(fact(page.selectFirst("header"), "When")).startsWith("2026-01-01 12:00:00 UTC");
        assertThat(fact(page.selectFirst("header"), "Device")).isEqualTo("NVIDIA H200");
        assertThat(fact(page.selectFirst("header"), "Records")).isEqualTo("10");
        assertThat(page.select("#unreadable code").eachText())
                .containsExactly("records/20260101T120000-4711.Broken.off.json");
    }

    @Test
    void theGatesThatNeedAttentionComeFirst() {
        assertThat(page.select("section.gate > h2 > .badge").eachText())
                .containsExactly(
                        "BREACHED",
                        "INCONCLUSIVE",
                        "ERROR",
                        "NOT FINISHED",
                        "NOT RUN",
                        "TEST NOT PASSED",
                        "PASSED on attempt 2 of 2",
                        "SKIPPED",
                        "PASSED");
        assertThat(page.select("nav a").eachAttr("href"))
                .isEqualTo(page.select("section.gate").stream()
                        .map(s -> "#" + s.id())
                        .toList());
    }

    @Test
    void aRuleShowsItsEvidence() {
        Element rule =
                gate("Long answers keep their pace").select("article.rule").last();

        assertThat(rule.selectFirst("h3").text()).startsWith("BREACH ITL P95 at most 50.0 ms: ");
        assertThat(fact(rule, "Limit")).isEqualTo("at most 50.0 ms");
        assertThat(fact(rule, "Samples (n)")).isEqualTo("22950 gaps of 90 requests");
        assertThat(fact(rule, "Percentile"))
                .matches("at least [0-9.]+ ms and at most [0-9.]+ ms, each with 95% confidence");
        assertThat(rule.select("dt").eachText())
                .contains("Observed", "Beyond the limit", "P50", "P95", "P99", "Max", "Method");
        assertThat(rule.select("svg .limit")).hasSize(1);
        assertThat(rule.select("svg .percentile")).hasSize(3);
    }

    @Test
    void aGateShowsItsConditions() {
        Element conditions = gate("Long answers keep their pace").selectFirst(".conditions");

        assertThat(conditions.select("dt").eachText())
                .containsExactly(
                        "Model",
                        "Weights",
                        "Data type",
                        "Device",
                        "Prompt lengths, tokens",
                        "Output tokens per request",
                        "Sampling",
                        "Concurrency",
                        "Peak device memory",
                        "Requests",
                        "Warm",
                        "Prefix cache",
                        "Started");
        assertThat(fact(conditions, "Prompt lengths, tokens")).isEqualTo("512 (90 requests)");
        assertThat(fact(conditions, "Peak device memory")).isEqualTo("14.4 GiB");
    }

    @Test
    void aGateShowsItsGuards() {
        Element guards = gate("Long answers keep their pace").selectFirst(".guards");

        assertThat(guards.select("dt").eachText())
                .containsExactly(
                        "other-processes",
                        "throttling",
                        "min-clock-share",
                        "max-memory-share",
                        "max-schedule-delay-share",
                        "max-cached-share",
                        "output-length",
                        "max-failed-share",
                        "same-target",
                        "max-drift",
                        "max-client-error-share");
        assertThat(guards.select("dd").get(0).text()).isEqualTo("not checked: nobody watched the run");
        assertThat(guards.select("dd").get(4).text()).isEqualTo("not applicable: a closed loop has no schedule");
        assertThat(guards.select("dd").get(6).text()).isEqualTo("clear");
    }

    @Test
    void aGateShowsItsFiguresWithTitlesForScreenReaders() {
        Element gate = gate("Long answers keep their pace");

        assertThat(gate.select(".plots svg > title").eachText())
                .containsExactly(
                        "ITL: distribution of the gaps",
                        "ITL over the position in the answer",
                        "TTFT of each request, in order");
        assertThat(page.select("svg"))
                .allSatisfy(svg -> assertThat(
                                svg.attr("role") + svg.select("> desc").size())
                        .isEqualTo("img1"));
        assertThat(gate.select(".plots circle.dot")).hasSize(90);
        assertThat(page.select("svg").outerHtml()).doesNotContain("NaN", "Infinity");
    }

    @Test
    void failedRequestsAreCountedByReason() {
        assertThat(page.select("table.outcomes tbody tr").eachText())
                .containsExactly(
                        "COMPLETED 20",
                        "FAILED 2 no answer within 30 s",
                        "FAILED 4 status 500 | `x` <script>alert(1)</script> [link](https://example.com) second line");
    }

    @Test
    void allAttemptsAreShown() {
        List<String> attempts =
                gate("Holds at the second attempt").select(".attempts tbody tr").eachText();

        assertThat(attempts.get(0)).startsWith("1 BREACHED BREACH TTFT P95 at most 300.0 ms");
        assertThat(attempts.get(1)).startsWith("2 PASSED PASS TTFT P95 at most 300.0 ms");
    }

    @Test
    void whatHasNoVerdictSaysWhy() {
        assertThat(gate("Killed in the middle").selectFirst(".remark").text())
                .startsWith("Its measurement started and did not end");
        assertThat(gate("Prefill on the GPU").selectFirst(".remark").text())
                .isEqualTo("Skipped: no NVIDIA GPU was found (mode auto)");
        assertThat(gate("Within budget, but the test itself fails")
                        .selectFirst(".remark")
                        .text())
                .isEqualTo("The test itself failed (org.opentest4j.AssertionFailedError).");
    }

    /** Case 35, in HTML. */
    @Test
    void hostileTextIsShownAsText() {
        assertThat(page.select("script, b:containsOwn(now), img, iframe, object"))
                .isEmpty();
        assertThat(page.text())
                .contains("meta-llama/Llama-2-7b-chat-hf](https://example.com) <script>alert(1)</script>")
                .contains("A gateway that breaks <b>now</b> and then");
    }

    @Test
    void thePageNeedsNothingFromElsewhere() {
        assertThat(page.select("meta[http-equiv=Content-Security-Policy]").attr("content"))
                .isEqualTo("default-src 'none'; style-src 'unsafe-inline'");
        assertThat(page.select("[src], link, style:containsData(url), style:containsData(import)"))
                .isEmpty();
        assertThat(page.select("a[href]").eachAttr("href"))
                .allMatch(h -> h.startsWith("#") || h.startsWith("records/"));
        assertThat(page.getAllElements())
                .allSatisfy(e -> assertThat(e.attributes().asList())
                        .noneMatch(a -> a.getKey().startsWith("on")));
    }

    /** No request, one token each, no time between tokens, a token before its request, a gap of hours. */
    @Test
    void oddMeasurementsAreDrawnWithNumbersOnly(@TempDir Path other) throws IOException {
        List<List<TokenTrace>> odd = List.of(
                List.of(),
                Samples.traces(3, 0, 128, 1, r -> 5 * Samples.MILLI, (r, p) -> 0),
                Samples.traces(3, 0, 128, 4, r -> 0, (r, p) -> 0),
                Samples.traces(3, 0, 128, 4, r -> -5 * Samples.MILLI, (r, p) -> -1),
                Samples.traces(3, 0, 128, 400, r -> 1, (r, p) -> p == 7 ? 7_200_000 * Samples.MILLI : 1),
                Samples.traces(900, 0, 128, 2, r -> r, (r, p) -> r));
        RecordStore store = Samples.store(other);
        for (List<TokenTrace> traces : odd) {
            Measurement measurement = Samples.of("tiny", traces);
            RecordStore.Attempt attempt = store.start(Samples.gate("odd" + odd.indexOf(traces)), "odd");
            attempt.measured(measurement);
            Samples.judge(
                    attempt,
                    Budget.of(
                            LatencyRule.ttft(PromptLength.exactly(128), Percentile.P95, Duration.ofNanos(1)),
                            LatencyRule.itl(Percentile.P95, Duration.ofDays(1))),
                    measurement,
                    Samples.PASSED);
        }

        Samples.report(store, other);

        Document drawn = Jsoup.parse(other.resolve("index.html").toFile(), "UTF-8");
        assertThat(drawn.select("section.gate")).hasSize(odd.size());
        assertThat(drawn.outerHtml()).doesNotContain("NaN", "Infinity", ">null<");
        assertThat(drawn.select("path"))
                .allSatisfy(path -> assertThat(path.attr("d")).matches("([MLHVhv]-?[0-9.]+( -?[0-9.]+)?)+"));
    }

    private Element gate(String name) {
        return page.select("section.gate").stream()
                .filter(s -> s.selectFirst("h2").ownText().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static String fact(Element within, String name) {
        return within.select("dt").stream()
                .filter(d -> d.text().equals(name))
                .findFirst()
                .orElseThrow()
                .nextElementSibling()
                .text();
    }
}
