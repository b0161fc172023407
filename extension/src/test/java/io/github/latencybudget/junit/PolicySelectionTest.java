package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClasspathResource;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClasspathRoots;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectDirectory;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectFile;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectUri;

import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.policy.PolicySource;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.Filter;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

/** Whatever selects policies runs them, and a class that stands for policies never is a green build without one. */
class PolicySelectionTest {

    private static final String POLICY = """
            version: 1
            targets: {fake: {type: %s, model: fake}}
            scenario: {promptTokens: 8, outputTokens: 3}
            rules: {itl: {metric: itl, atMostMs: 50}}
            """.formatted(FakeTarget.class.getName());
    private static final String NAMED = "META-INF/latency-budget/chat.yaml";

    @TempDir
    Path folder;

    @LatencyPolicies
    static class All {}

    @LatencyPolicies("sla/caht.yaml")
    static class Misspelt {}

    @LatencyPolicies(NAMED)
    static class ByItsName {}

    static class Inheriting extends ByItsName {}

    private EngineExecutionResults run(DiscoverySelector selector, Path... roots) throws IOException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        URL[] urls = new URL[roots.length];
        for (int i = 0; i < roots.length; i++) {
            urls[i] = roots[i].toUri().toURL();
        }
        try (URLClassLoader loader = new URLClassLoader(urls, before)) {
            thread.setContextClassLoader(loader);
            return EngineTestKit.engine(PolicyTestEngine.ID)
                    .configurationParameter("latencybudget.device.locks", Gates.LOCKS)
                    .configurationParameter(
                            "latencybudget.output", folder.resolve("out").toString())
                    .configurationParameter("latencybudget.run", "test")
                    .selectors(selector)
                    .execute();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private EngineExecutionResults run(Class<?> type, Path... roots) throws IOException {
        return run(selectClass(type), roots);
    }

    private Path root(String name, String... resources) throws IOException {
        for (String resource : resources) {
            Path file = folder.resolve(name).resolve(resource);
            Files.createDirectories(file.getParent());
            Files.writeString(file, POLICY);
        }
        return folder.resolve(name);
    }

    /** With the folders as entries of their own or without them. */
    private Path jar(boolean hasFolders) throws IOException {
        Path file = folder.resolve("policies.jar");
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file))) {
            for (String entry : hasFolders ? List.of("META-INF/", "META-INF/latency-budget/", NAMED) : List.of(NAMED)) {
                jar.putNextEntry(new JarEntry(entry));
                if (entry.equals(NAMED)) {
                    jar.write(POLICY.getBytes(StandardCharsets.UTF_8));
                }
            }
        }
        return file;
    }

    /** The policies that ran and held, as their ids have them: a resource's name, or a file's path. */
    private static List<String> held(EngineExecutionResults results) {
        return results.testEvents().succeeded().stream()
                .map(e -> e.getTestDescriptor().getUniqueId().getSegments().get(1))
                .map(segment -> segment.getValue())
                .toList();
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
    void aSubclassStandsForThePoliciesOfItsSuperclass() throws IOException {
        assertThat(held(run(Inheriting.class, root("a", NAMED)))).containsExactly(NAMED);
    }

    @Test
    void aPackageHasThePoliciesOfItsClasses() {
        Filter<?> only = ClassNameFilter.includeClassNamePatterns(".*\\$Misspelt");

        EngineExecutionResults results = EngineTestKit.engine(PolicyTestEngine.ID)
                .selectors(selectPackage(PolicySelectionTest.class.getPackageName()))
                .filters(only)
                .execute();

        assertThat(Gates.failures(results))
                .extracting(Throwable::getMessage)
                .containsExactly("there is no policy sla/caht.yaml: put it there, or name one that there is");
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

    @Test
    void aJarThatListsItsFoldersShowsWhatIsInThem() throws IOException {
        assertThat(held(run(All.class, jar(true)))).containsExactly(NAMED);
    }

    /** A class loader tells of a folder in a jar only where the jar has it as an entry. */
    @Test
    void whatIsInAJarWithoutFoldersHasToBeNamedOrSelectedAsARoot() throws IOException {
        Path jar = jar(false);

        assertThat(Gates.failure(run(All.class, jar)))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessage("there is no policy latency-budget.yaml: put it there, or name one that there is");
        assertThat(held(run(ByItsName.class, jar))).containsExactly(NAMED);
        assertThat(held(run(rootOf(jar), jar))).containsExactly(NAMED);
    }

    @Test
    void aRootOfTheClassPathHasThoseAtItAndThoseInTheirFolder() throws IOException {
        Path root = root("a", "latency-budget.yml", NAMED, "sla/other.yaml", "META-INF/latency-budget/ready/base.yaml");

        assertThat(held(run(rootOf(root), root))).containsExactlyInAnyOrder("latency-budget.yml", NAMED);
        assertThat(held(run(rootOf(jar(true)), folder.resolve("policies.jar")))).containsExactly(NAMED);
    }

    @Test
    void aDirectoryHasThoseOfItsFoldersTooByTheirNames() throws IOException {
        Path directory = root("a", "latency-budget.yaml", "sla/chat.latency-budget.yml", "sla/other.yaml");

        assertThat(held(run(selectDirectory(directory.toFile()))))
                .containsExactlyInAnyOrder(
                        location(directory.resolve("latency-budget.yaml")),
                        location(directory.resolve("sla/chat.latency-budget.yml")));
    }

    @Test
    void aResourceIsAPolicyUnderAnyNameOfYaml() throws IOException {
        Path root = root("a", "sla/other.yaml", "sla/other.json");

        assertThat(held(run(selectClasspathResource("/sla/other.yaml"), root))).containsExactly("sla/other.yaml");
        assertThat(held(run(selectUri("classpath:/sla/other.yaml"), root))).containsExactly("sla/other.yaml");
        assertThat(held(run(selectClasspathResource("sla/other.json"), root))).isEmpty();
    }

    @Test
    void aFileIsAPolicyUnderAnyNameOfYaml() throws IOException {
        Path root = root("a", "other.yaml", "other.json");
        Path file = root.resolve("other.yaml");

        assertThat(held(run(selectFile(file.toFile())))).containsExactly(location(file));
        assertThat(held(run(selectUri(file.toUri())))).containsExactly(location(file));
        assertThat(held(run(selectUri(root.resolve("other.json").toUri())))).isEmpty();
    }

    private static DiscoverySelector rootOf(Path root) {
        return selectClasspathRoots(Set.of(root)).get(0);
    }

    private static String location(Path file) {
        return PolicySource.file(file).location();
    }
}
