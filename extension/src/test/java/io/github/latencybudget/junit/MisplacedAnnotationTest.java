package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClasspathRoots;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectFile;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectUniqueId;

import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.record.GateId;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.Filter;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** A launcher with all engines, as build tools and IDEs have it. */
class MisplacedAnnotationTest {

    private static final String ANSWERS =
            "@LatencyBudget on Misplacing.answers: the method is no @Test of JUnit Jupiter; add @Test";

    @TempDir
    Path folder;

    @Tag("sla")
    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class Misplacing {
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void answers() {}

        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() {}
    }

    static class RefusedByItsGate {
        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void template(int length) {}

        @Test
        @InferenceTarget(model = "fake", target = FakeTarget.class)
        void withoutBudget() {}
    }

    @LatencyPolicies
    static class Policies {}

    static class Plain {
        @Test
        void test() {}
    }

    private LauncherDiscoveryRequestBuilder request(DiscoverySelector... selectors) {
        return LauncherDiscoveryRequestBuilder.request()
                .selectors(selectors)
                .configurationParameter("latencybudget.output", folder.toString());
    }

    private static TestExecutionSummary run(LauncherDiscoveryRequestBuilder request) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request.build(), listener);
        return listener.getSummary();
    }

    private static List<String> failures(TestExecutionSummary summary) {
        return summary.getFailures().stream()
                .map(f -> f.getException().getMessage())
                .toList();
    }

    @Test
    void failsByItselfBesideTheGatesOfItsClass() {
        TestExecutionSummary summary = run(request(selectClass(Misplacing.class)));

        assertThat(failures(summary)).containsExactly(ANSWERS);
        assertThat(summary.getFailures().get(0).getException()).isInstanceOf(ExtensionConfigurationException.class);
        assertThat(summary.getFailures().get(0).getTestIdentifier())
                .satisfies(t ->
                        assertThat(t.getDisplayName()).isEqualTo("@LatencyBudget on Misplacing.answers is measured"))
                .satisfies(t -> assertThat(t.getSource().orElseThrow())
                        .hasFieldOrPropertyWithValue("className", Misplacing.class.getName())
                        .hasFieldOrPropertyWithValue("methodName", "answers"));
        assertThat(summary.getTestsSucceededCount()).as("gate()").isEqualTo(1);
    }

    static Stream<DiscoverySelector> selectors() throws URISyntaxException {
        URI root = MisplacedAnnotationTest.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI();
        return Stream.of(
                selectPackage("io.github.latencybudget.junit"),
                selectClasspathRoots(Set.of(Path.of(root))).get(0),
                selectMethod(Misplacing.class, "answers"),
                selectUniqueId(
                        "[engine:latency-budget]/[class:" + Misplacing.class.getName() + "]/[misplaced:answers()]"));
    }

    @ParameterizedTest
    @MethodSource("selectors")
    void isFoundByWhateverSelectsIt(DiscoverySelector selector) {
        TestPlan plan = LauncherFactory.create()
                .discover(request(selector)
                        .filters(ClassNameFilter.includeClassNamePatterns(".*\\$Misplacing"))
                        .build());

        assertThat(refused(plan)).extracting(RefusedTest::problem).containsExactly(ANSWERS);
    }

    /** Surefire would drop it without a word. */
    @Test
    void standsInAContainerOfItsClass() {
        TestPlan plan = LauncherFactory.create()
                .discover(request(selectClass(PlacementTest.Forgotten.class), selectClass(PlacementTest.Empty.class))
                        .build());

        assertThat(plan.getRoots().stream()
                        .flatMap(root -> plan.getDescendants(root).stream())
                        .filter(TestIdentifier::isTest)
                        .map(test ->
                                plan.getParent(test).orElseThrow().getSource().orElseThrow()))
                .containsExactly(
                        ClassSource.from(PlacementTest.Forgotten.class), ClassSource.from(PlacementTest.Empty.class));
    }

    @Test
    void isLeftOutWithItsMethodOrItsTag() {
        assertThat(failures(run(request(selectMethod(Misplacing.class, "gate")))))
                .isEmpty();
        assertThat(failures(run(request(selectClass(Misplacing.class)).filters(TagFilter.excludeTags("sla")))))
                .isEmpty();
        assertThat(failures(run(request(selectClass(Misplacing.class)).filters(TagFilter.includeTags("sla")))))
                .containsExactly(ANSWERS);
    }

    @Test
    void oneThatItsGateRefusesFailsOnce() {
        assertThat(failures(run(request(selectClass(RefusedByItsGate.class)))))
                .satisfiesExactlyInAnyOrder(
                        m -> assertThat(m)
                                .startsWith("@LatencyBudget on RefusedByItsGate.template: a gate is a plain @Test;"),
                        m -> assertThat(m)
                                .startsWith("@LatencyBudget on RefusedByItsGate.template: a gate is a plain @Test;"),
                        m -> assertThat(m)
                                .isEqualTo(
                                        "@InferenceTarget on RefusedByItsGate.withoutBudget: there is no budget, so nothing is measured; add @LatencyBudget or another budget"));
    }

    private static List<RefusedTest> refused(TestPlan plan) {
        return plan.getRoots().stream()
                .flatMap(root -> plan.getDescendants(root).stream())
                .flatMap((TestIdentifier test) -> RefusedTest.of(test).stream())
                .toList();
    }

    @Test
    void whatWillBeRefusedIsKnownBeforeItRuns() throws IOException {
        Path policy = Files.writeString(folder.resolve("chat.yaml"), "version: 2");
        TestPlan plan = LauncherFactory.create()
                .discover(request(
                                selectClass(Misplacing.class),
                                selectClass(RefusedByItsGate.class),
                                selectClass(Plain.class),
                                selectFile(policy.toFile()))
                        .build());

        assertThat(refused(plan))
                .extracting(RefusedTest::id, RefusedTest::displayName)
                .containsExactlyInAnyOrder(
                        tuple(
                                new GateId(Misplacing.class.getName(), "answers()"),
                                "@LatencyBudget on Misplacing.answers is measured"),
                        tuple(new GateId(RefusedByItsGate.class.getName(), "template(int)"), "template(int)"),
                        tuple(new GateId(RefusedByItsGate.class.getName(), "withoutBudget()"), "withoutBudget()"),
                        tuple(new GateId(policy.toString(), "policy"), policy.toString()));
        assertThat(refused(plan)).allSatisfy(r -> assertThat(r.problem()).isNotBlank());
    }

    private static void discover(LauncherDiscoveryRequestBuilder request, Filter<?>... filters) {
        LauncherFactory.create().discover(request.filters(filters).build());
    }

    /** Else an older run's page stays where it is, and may be green. */
    @Test
    void aRunThatCannotBeginHasAReportOfItsOwn(@TempDir Path output) {
        assertThatThrownBy(() -> discover(
                        request(selectClass(Plain.class), selectClass(Policies.class))
                                .configurationParameter("latencybudget.output", output.toString()),
                        EngineFilter.includeEngines("junit-jupiter")))
                .isInstanceOf(ExtensionConfigurationException.class);

        assertThat(output.resolve("summary.md"))
                .content()
                .startsWith("## The gate fails: refused")
                .contains("filters out the test engine");
    }

    @Test
    void policiesWithoutTheirEngineEndTheRun() {
        for (Filter<?> filter :
                List.of(EngineFilter.includeEngines("junit-jupiter"), EngineFilter.excludeEngines("latency-budget"))) {
            assertThatThrownBy(() -> discover(request(selectClass(Plain.class), selectClass(Policies.class)), filter))
                    .isInstanceOf(ExtensionConfigurationException.class)
                    .hasMessage(
                            "@LatencyPolicies on %s: policy latency-budget.yaml would not run, because this build filters out the test engine `latency-budget`. Add `latency-budget` to the included engines (Surefire: includeJUnit5Engines; Gradle: useJUnitPlatform { includeEngines }), remove it from the excluded ones, or leave the policy out of this run",
                            Policies.class.getName());
        }
    }

    @Test
    void aMisplacedAnnotationIsSaidWithoutTheEngineToo() {
        assertThatThrownBy(() ->
                        discover(request(selectClass(Misplacing.class)), EngineFilter.includeEngines("junit-jupiter")))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessage(ANSWERS);
    }

    /** Nobody can read whether its rules have the tag, so a choice of tags would lose them unnoticed. */
    @Test
    void aPolicyThatCannotBeReadEndsARunThatChoosesByTags() throws IOException {
        Path policy = Files.writeString(folder.resolve("broken.yaml"), "version: 1\nrules: [\n");

        assertThatThrownBy(() -> discover(request(selectFile(policy.toFile())), TagFilter.includeTags("itl")))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessageContaining("broken.yaml");
        discover(request(selectFile(policy.toFile())), TagFilter.excludeTags("itl"));
    }

    /** Nothing is thrown: what is left out by a tag is a choice, and a gate is run by Jupiter. */
    @Test
    void withoutTheEngineOtherTestsAreRun() {
        discover(request(selectClass(Plain.class)), EngineFilter.includeEngines("junit-jupiter"));
        discover(
                request(selectClass(Misplacing.class)),
                EngineFilter.includeEngines("junit-jupiter"),
                TagFilter.excludeTags("sla"));
        discover(request(selectMethod(Misplacing.class, "gate")), EngineFilter.includeEngines("junit-jupiter"));
    }
}
