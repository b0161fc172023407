package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectFile;

import io.github.latencybudget.inference.FakeTarget;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** G4 and its kind: a setting under another name would be ignored, and something else measured than was meant. */
class SettingNamesTest {

    @TempDir
    Path folder;

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class Right {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() {}
    }

    private static Settings named(String... names) {
        return new Settings(key -> Optional.empty(), Set.of(names));
    }

    @ParameterizedTest
    @CsvSource({
        "latencyBudget.device, latencybudget.device",
        "latency-budget.device, latencybudget.device",
        "latency_budget.device, latencybudget.device",
        "latency.budget.device, latencybudget.device",
        "LATENCYBUDGET.DEVICE, latencybudget.device",
        "latencybuget.device, latencybudget.device",
        "latncy-buget.device, latencybudget.device",
        "latencybudget_device, latencybudget.device",
        "latencybudget:device, latencybudget.device",
        "latencyBudgetDevice, latencybudget.device",
        "latencybudget.Device, latencybudget.device",
        "latencybudget.modle, latencybudget.model",
        "latencybudget.servedModel, latencybudget.served.model",
        "latencyBudget.served.model, latencybudget.served.model",
        "latencyBudget.guards.max-drfit, latencybudget.guards.max-drift",
        "latencybudget.guard.throttling, latencybudget.guards.throttling",
    })
    void anotherSpellingIsRefusedWithTheRightOne(String name, String meant) {
        assertThatThrownBy(() -> named("java.version", name).refuseWrong(Set.of()))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessageStartingWith(
                        "`%s` is not allowed; there is no such setting; did you mean `%s`? There are latencybudget.model, latencybudget.device, ",
                        name, meant);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "latencybudget.device",
                "latencybudget.guards.max-drift",
                "latencybudget.version",
                "latency-budget.version",
                "latencyMs",
                "latency.budgetMs",
                "latencyBudgetMs",
                "latencybudget",
                "junit.jupiter.extensions.autodetection.enabled",
                "java.io.tmpdir",
                "."
            })
    void whatIsRightOrOfSomebodyElseIsNot(String name) {
        assertThatCode(() -> named(name).refuseWrong(Set.of())).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({
        "LATENCYBUDGET_DEVICE, latencybudget.device",
        "LATENCY_BUDGET_DEVICE, latencybudget.device",
        "latencybudget_served_model, latencybudget.served.model",
        "LATENCYBUDGET_GUARDS_MAX_DRIFT, latencybudget.guards.max-drift",
    })
    void anEnvironmentVariableIsNoSetting(String variable, String key) {
        assertThatThrownBy(() -> named().refuseWrong(Set.of("PATH", variable)))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessage(
                        "`%s` is not allowed; a setting is no environment variable; pass the system property `%s`, such as -D%s=..., or set it in junit-platform.properties",
                        variable, key, key);
    }

    /** As in -Dlatencybudget.device=$LATENCYBUDGET_DEVICE. */
    @Test
    void aVariableThatASettingIsTakenFromIsFine() {
        Map<String, String> parameters = Map.of("latencybudget.device", "cpu");
        Settings settings = new Settings(key -> Optional.ofNullable(parameters.get(key)), parameters.keySet());

        assertThatCode(() -> settings.refuseWrong(Set.of("LATENCYBUDGET_DEVICE")))
                .doesNotThrowAnyException();
    }

    private List<String> failures(LauncherDiscoveryRequestBuilder request, DiscoverySelector... selectors) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        request.selectors(selectors)
                                .configurationParameter("latencybudget.output", folder.toString())
                                .build(),
                        listener);
        return listener.getSummary().getFailures().stream()
                .map(f -> f.getException().getMessage())
                .toList();
    }

    private static LauncherDiscoveryRequestBuilder with(String name) {
        return LauncherDiscoveryRequestBuilder.request().configurationParameter(name, "sk-secret");
    }

    /** Jupiter gives an extension no names. */
    @Test
    void aParameterOfTheLauncherIsRefusedByAGateWithoutItsValue() {
        assertThat(failures(with("latencyBudget.model"), selectClass(Right.class)))
                .singleElement()
                .asString()
                .startsWith(
                        "`latencyBudget.model` is not allowed; there is no such setting; did you mean `latencybudget.model`?")
                .doesNotContain("sk-secret");
    }

    @Test
    void aParameterOfTheLauncherIsRefusedByAPolicyWithoutItsValue() throws IOException {
        Path policy = Files.writeString(folder.resolve("chat.yaml"), """
                version: 1
                targets: {fake: {type: %s, model: fake}}
                scenario: {promptTokens: 8, outputTokens: 3}
                rules: {itl: {metric: itl, atMostMs: 50}}
                """.formatted(FakeTarget.class.getName()));

        assertThat(failures(with("latencyBudget.model"), selectFile(policy.toFile())))
                .singleElement()
                .asString()
                .startsWith(
                        "`latencyBudget.model` is not allowed; there is no such setting; did you mean `latencybudget.model`?")
                .doesNotContain("sk-secret");
    }

    @Test
    void aNameInTheFileOfJUnitIsRefused(@TempDir Path root) throws IOException {
        Files.writeString(root.resolve("junit-platform.properties"), "latencybudget.guards.max-drfit = 0.05");
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {root.toUri().toURL()}, before)) {
            thread.setContextClassLoader(loader);
            assertThat(failures(LauncherDiscoveryRequestBuilder.request(), selectClass(Right.class)))
                    .singleElement()
                    .asString()
                    .startsWith(
                            "`latencybudget.guards.max-drfit` is not allowed; there is no such guard; did you mean `latencybudget.guards.max-drift`? ");
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
