package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectFile;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.policy.PolicySource;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.GateRecord.State;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Each gate of a test plan, and each that is expected, is a row of the report, whatever became of it; by a real launcher. */
@ResourceLock(Resources.SYSTEM_PROPERTIES)
class GateAccountsTest {

    private static final String OUTPUT = "test.of.accounts.output";

    @TempDir
    Path folder;

    private Path output;
    private List<String> failures = List.of();

    @AfterEach
    void forget() {
        System.clearProperty(OUTPUT);
        System.clearProperty("test");
    }

    @InferenceTarget(model = "fake:accounts", target = FakeTarget.class)
    static class Good {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void first() {}

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 20)
        void second() {}
    }

    @InferenceTarget(model = "fake:accounts", target = FakeTarget.class)
    static class Loosened {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() {}
    }

    @InferenceTarget(model = "fake:accounts", target = FakeTarget.class)
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    static class Deleting {
        @Test
        @Order(1)
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 1, requests = 1)
        void a() {}

        @Test
        @Order(2)
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void b() throws IOException {
            try (Stream<Path> records = Files.list(Path.of(System.getProperty(OUTPUT), "records"))) {
                for (Path record : (Iterable<Path>)
                        records.filter(r -> r.getFileName().toString().contains(".a-"))::iterator) {
                    Files.delete(record);
                }
            }
        }
    }

    @InferenceTarget(model = "fake:accounts", target = FakeTarget.class)
    static class FailsAfterwards {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() {}

        @AfterEach
        void fail() {
            throw new IllegalStateException("the server left a core dump");
        }
    }

    static class Plain {
        @Test
        void noGate() {}
    }

    @InferenceTarget(model = "fake:accounts", target = FakeTarget.class)
    static class OneRefused {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void good() {}

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = -1)
        void typo() {}
    }

    static class Forgotten {
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void noTest() {}
    }

    @InferenceTarget(model = "fake:accounts", target = FakeTarget.class)
    static class LooksAtThePage {
        static String headline = "";

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() throws IOException {
            headline = Jsoup.parse(Files.readString(Path.of(System.getProperty(OUTPUT), "index.html")))
                    .select("h1")
                    .text();
        }
    }

    private String launch(String run, List<DiscoverySelector> selectors, String... parameters) {
        output = folder.resolve("out");
        System.setProperty(OUTPUT, output.toString());
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectors)
                .configurationParameter("latencybudget.output", output.toString())
                .configurationParameter("latencybudget.run", run)
                .configurationParameter("latencybudget.device.locks", Gates.LOCKS);
        for (int i = 0; i < parameters.length; i += 2) {
            request.configurationParameter(parameters[i], parameters[i + 1]);
        }
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request.build(), summary);
        failures = summary.getSummary().getFailures().stream()
                .map(f -> f.getException().getMessage())
                .toList();
        return page().select("h1").text();
    }

    private String launch(Class<?>... classes) {
        return launch(
                "test",
                Stream.of(classes).<DiscoverySelector>map(c -> selectClass(c)).toList());
    }

    private Document page() {
        try {
            return Jsoup.parse(Files.readString(output.resolve("index.html")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private DiscoverySelector unreadablePolicy() throws IOException {
        return selectFile(Files.writeString(folder.resolve("broken.yaml"), """
                        version: 1
                        extends: team-sla
                        targets: {tiny: {}}
                        waivers:
                          - {rules: [itl-p95], owner: me, reason: slow, remediation: "https://example.com", expires: 2999-12-31}
                        """).toFile());
    }

    @Test
    void aRunInWhichAllHoldsIsGreen() {
        assertThat(launch(Good.class)).isEqualTo("All 2 gates passed");
        assertThat(page().select("h1").hasClass("passed")).isTrue();
    }

    /** R1. */
    @Test
    void aPolicyThatCannotBeReadIsNoGreenPage() throws IOException {
        assertThat(launch("test", List.of(selectClass(Good.class), unreadablePolicy())))
                .isEqualTo("1 of 3 gates fails: 1 refused");
        assertThat(page().select("section.gate .remark").eachText())
                .anyMatch(text -> text.startsWith("Refused: ") && text.contains("waiver"));
    }

    /** R2. */
    @Test
    void thePageIsNeverThatOfAnOlderRun() throws IOException {
        launch("older", List.of(selectClass(Good.class)));

        assertThat(launch("newer", List.of(unreadablePolicy()))).isEqualTo("The gate fails: refused");
        assertThat(page().select("header .facts").text()).contains("newer").doesNotContain("older");
    }

    @Test
    void thePageSaysThatItRunsUntilThePlanEnds() {
        launch("older", List.of(selectClass(Good.class)));
        launch(LooksAtThePage.class);

        assertThat(LooksAtThePage.headline).isEqualTo("Running, or killed before its end: 0 of 1 gate ended");
    }

    /** R5. */
    @Test
    void aRecordThatVanishesIsMissing() {
        assertThat(launch(Deleting.class)).isEqualTo("1 of 2 gates fails: 1 missing");
        assertThat(page().select("section.gate .remark").text())
                .startsWith("Missing: a test plan has it, and its record is gone");
    }

    @Test
    void aTestThatFailsAfterItsVerdictIsNoPass() {
        assertThat(launch(FailsAfterwards.class))
                .isEqualTo("The gate fails: within budget in a test that did not pass");
        assertThat(page().select("section.gate .remark").text())
                .isEqualTo("The test itself failed (java.lang.IllegalStateException).");
    }

    @Test
    void aRefusedConfigurationIsARow() {
        assertThat(launch(OneRefused.class)).isEqualTo("1 of 2 gates fails: 1 refused");
        assertThat(new Gates(output).records())
                .extracting(r -> r.gate().methodName(), GateRecord::state)
                .containsExactly(tuple("good()", State.ENDED), tuple("typo()", State.REFUSED));
    }

    @Test
    void aGateOfTheManifestThatIsGoneIsMissing() {
        Path manifest = folder.resolve("gates.json");
        String[] with = {"latencybudget.gates", manifest.toString()};
        launch(
                "writes",
                List.of(selectClass(Good.class)),
                "latencybudget.gates",
                manifest.toString(),
                "latencybudget.gates.update",
                "true");
        assertThat(manifest).content().contains("\"ITL P95 at most 20.0 ms for prompts of 8 tokens\"\n");

        assertThat(launch("all", List.of(selectClass(Good.class)), with)).isEqualTo("All 2 gates passed");

        DiscoverySelector first = selectMethod(Good.class, "first");
        assertThat(launch("gone", List.of(first), with)).isEqualTo("1 of 2 gates fails: 1 missing");
        assertThat(page().select("section.gate .remark").text())
                .startsWith("Missing: the manifest of expected gates has it, and no test plan does");

        assertThat(launch("new", List.of(selectClass(Good.class), selectClass(Loosened.class)), with))
                .isEqualTo("All 3 gates passed");
        assertThat(page().select("header .facts").text()).contains("Not in the manifest " + Loosened.class.getName());

        System.setProperty("test", "Good#first");
        assertThat(launch("part", List.of(first), with))
                .isEqualTo(
                        "Passed with reservations: a part of the manifest: 1 of 2 expected gates planned (-Dtest=Good#first), 2 gates of other runs in the folder left out");
    }

    @Test
    void aRuleOfTheManifestThatIsGoneIsMissing() throws IOException {
        Path manifest = folder.resolve("gates.json");
        String[] with = {"latencybudget.gates", manifest.toString()};
        launch(
                "writes",
                List.of(selectClass(Loosened.class)),
                "latencybudget.gates",
                manifest.toString(),
                "latencybudget.gates.update",
                "true");
        Files.writeString(manifest, Files.readString(manifest).replace("at most 10.0 ms", "at most 5.0 ms"));

        assertThat(launch("loosened", List.of(selectClass(Loosened.class)), with))
                .isEqualTo("The gate fails: missing");
        assertThat(page().select("section.gate .remark").text())
                .isEqualTo(
                        "Missing: the manifest of expected gates has \"ITL P95 at most 5.0 ms for prompts of 8 tokens\", and the gate does not: restore it, or write the manifest anew.");
        assertThat(failures)
                .containsExactly(
                        "Loosened.gate(): the manifest of expected gates %s has its rule \"ITL P95 at most 5.0 ms for prompts of 8 tokens\", and the class does not: restore it, or write the manifest anew with latencybudget.gates.update = true"
                                .formatted(manifest));
    }

    /** A green build over a red page would be noticed by nobody who looks at builds only. */
    @Test
    void aGateThatIsGoneFromASelectedClassFailsTheBuild() throws IOException {
        Path manifest = folder.resolve("gates.json");
        String[] with = {"latencybudget.gates", manifest.toString()};
        launch(
                "writes",
                List.of(selectClass(Good.class)),
                "latencybudget.gates",
                manifest.toString(),
                "latencybudget.gates.update",
                "true");
        Files.writeString(manifest, Files.readString(manifest).replace("second()", "third()"));

        assertThat(launch("gone", List.of(selectClass(Good.class)), with)).isEqualTo("1 of 3 gates fails: 1 missing");
        assertThat(failures)
                .containsExactly(
                        "Good.third(): the manifest of expected gates %s has this gate, and the class does not: restore it, or write the manifest anew with latencybudget.gates.update = true"
                                .formatted(manifest));
    }

    /** G1. */
    @Test
    void anAnnotationThatMeasuresNothingIsARow() {
        assertThat(launch(Good.class, Forgotten.class)).isEqualTo("1 of 3 gates fails: 1 refused");
        assertThat(page().select("section.gate .remark").text()).contains("the method is no @Test of JUnit Jupiter");
        assertThat(failures).hasSize(1);
    }

    @Test
    void aManifestThatCannotBeReadIsNoGreenPage() throws IOException {
        Path manifest = Files.writeString(folder.resolve("gates.json"), "{");

        assertThat(launch("half", List.of(selectClass(Good.class)), "latencybudget.gates", manifest.toString()))
                .isEqualTo("1 of 3 gates fails: 1 refused");
        assertThat(launch(
                        "none",
                        List.of(selectClass(Good.class)),
                        "latencybudget.gates",
                        folder.resolve("none.json").toString()))
                .isEqualTo("1 of 3 gates fails: 1 refused");
    }

    @Test
    void aChoiceOfTestsDoesNotHideARuleThatIsGone() throws IOException {
        Path manifest = folder.resolve("gates.json");
        String[] with = {"latencybudget.gates", manifest.toString()};
        Path policy = policy("itl: {metric: itl, atMostMs: 50}", "e2e: {metric: e2e, atMostMs: 5000}");
        update(manifest, selectFile(policy.toFile()));
        policy("itl: {metric: itl, atMostMs: 50}");
        System.setProperty("test", "Sla*");

        assertThat(launch("chosen", List.of(selectFile(policy.toFile())), with))
                .isEqualTo(
                        "Passed with reservations: a part of the manifest: 1 of 1 expected gate planned, 1 rule of them not (-Dtest=Sla*)");
    }

    @Test
    void aRuleOrATargetThatIsGoneFromAPolicyFailsTheBuild() throws IOException {
        Path manifest = folder.resolve("gates.json");
        String[] with = {"latencybudget.gates", manifest.toString()};
        Path policy = policy("itl: {metric: itl, atMostMs: 50}", "e2e: {metric: e2e, atMostMs: 5000}");
        update(manifest, selectFile(policy.toFile()));

        assertThat(launch("whole", List.of(selectFile(policy.toFile())), with)).isEqualTo("The gate passed");
        assertThat(failures).isEmpty();

        policy("itl: {metric: itl, atMostMs: 50}");
        assertThat(launch("rule", List.of(selectFile(policy.toFile())), with)).isEqualTo("The gate fails: missing");
        assertThat(failures).hasSize(1);
        assertThat(failures.get(0)).contains("fake: the manifest of expected gates", "its rule \"E2E P95 at most");

        Files.writeString(policy, Files.readString(policy).replace("fake:", "other:"));
        assertThat(launch("target", List.of(selectFile(policy.toFile())), with))
                .isEqualTo("1 of 2 gates fails: 1 missing");
        assertThat(failures).hasSize(1);
        assertThat(failures.get(0)).contains("fake: the manifest of expected gates", "has this gate");
    }

    @Test
    void aManifestOfWhichNoGateIsLeftIsNoGreenPage() {
        Path manifest = folder.resolve("gates.json");
        String[] with = {"latencybudget.gates", manifest.toString()};
        update(manifest, selectClass(Good.class));

        assertThat(launch("none", List.of(selectClass(Plain.class)), with)).isEqualTo("2 of 2 gates fail: 2 missing");
        assertThat(page().select("header .facts").text()).contains("none");
    }

    @Test
    void aRunWithoutGatesAndManifestLeavesThePageAsItIs() {
        launch("older", List.of(selectClass(Good.class)));

        assertThat(launch("plain", List.of(selectClass(Plain.class)))).isEqualTo("All 2 gates passed");
    }

    @Test
    void aManifestThatHoldsNothingIsNoGreenPage() throws IOException {
        Path manifest = Files.writeString(folder.resolve("gates.json"), "null");

        assertThat(launch("null", List.of(selectClass(Good.class)), "latencybudget.gates", manifest.toString()))
                .isEqualTo("1 of 3 gates fails: 1 refused");
    }

    @Test
    void aRerunLeavesTheManifestItsRules() throws IOException {
        Path manifest = folder.resolve("gates.json");
        Path policy = policy("itl: {metric: itl, atMostMs: 50}", "e2e: {metric: e2e, atMostMs: 1}");
        update(manifest, selectFile(policy.toFile()));
        String first = Files.readString(manifest);
        UniqueId failed = UniqueId.forEngine(PolicyTestEngine.ID)
                .append("policy", PolicySource.file(policy).location())
                .append("target", "fake")
                .append("rule", "e2e");
        update(manifest, DiscoverySelectors.selectUniqueId(failed));

        assertThat(manifest).hasContent(first);
    }

    private void update(Path manifest, DiscoverySelector selector) {
        launch(
                "writes",
                List.of(selector),
                "latencybudget.gates",
                manifest.toString(),
                "latencybudget.gates.update",
                "true");
    }

    private Path policy(String... rules) throws IOException {
        return Files.writeString(
                folder.resolve("chat.yaml"), """
                version: 1
                targets: {fake: {model: "fake:manifest", type: %s}}
                scenario: {promptTokens: 8, outputTokens: 3}
                rules: {%s}
                """.formatted(FakeTarget.class.getName(), String.join(", ", rules)));
    }
}
