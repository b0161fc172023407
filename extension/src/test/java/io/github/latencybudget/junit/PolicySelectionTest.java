package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

/** A class that stands for policies never is a green build without one. */
class PolicySelectionTest {

    private static final String POLICY = """
            version: 1
            targets: {fake: {type: %s, model: fake}}
            scenario: {promptTokens: 8, outputTokens: 3}
            rules: {itl: {metric: itl, atMostMs: 50}}
            """.formatted(FakeTarget.class.getName());

    @TempDir
    Path folder;

    @LatencyPolicies
    static class All {}

    @LatencyPolicies("sla/caht.yaml")
    static class Misspelt {}

    private EngineExecutionResults run(Class<?> type, Path... roots) throws IOException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        URL[] urls = new URL[roots.length];
        for (int i = 0; i < roots.length; i++) {
            urls[i] = roots[i].toUri().toURL();
        }
        try (URLClassLoader loader = new URLClassLoader(urls, before)) {
            thread.setContextClassLoader(loader);
            return EngineTestKit.engine(PolicyTestEngine.ID)
                    .configurationParameter(
                            "latencybudget.output", folder.resolve("out").toString())
                    .configurationParameter("latencybudget.run", "test")
                    .selectors(selectClass(type))
                    .execute();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private Path root(String name, String resource) throws IOException {
        Path file = folder.resolve(name).resolve(resource);
        Files.createDirectories(file.getParent());
        Files.writeString(file, POLICY);
        return folder.resolve(name);
    }

    @Test
    void allOfNoneFails() throws IOException {
        assertThat(Gates.failure(run(All.class)))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessage("there is no policy latency-budget.yaml: put it there, or name one that there is");
    }

    @Test
    void aNameThatIsNoneFails() throws IOException {
        assertThat(Gates.failure(run(Misspelt.class)))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessage("there is no policy sla/caht.yaml: put it there, or name one that there is");
    }

    @Test
    void twoOfOneNameFail() throws IOException {
        EngineExecutionResults results =
                run(All.class, root("a", "latency-budget.yaml"), root("b", "latency-budget.yaml"));

        assertThat(Gates.failure(results))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessage(
                        "there are 2 of latency-budget.yaml on the class path, and only one would be run: keep one, or give each a name of its own as META-INF/latency-budget/<name>.yaml");
    }

    @Test
    void thoseOfOtherNamesAreRun() throws IOException {
        EngineExecutionResults results =
                run(All.class, root("a", "latency-budget.yml"), root("b", "META-INF/latency-budget/b.yml"));

        results.testEvents().assertStatistics(s -> s.started(2).succeeded(2));
    }
}
