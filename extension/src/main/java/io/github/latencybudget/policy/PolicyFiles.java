package io.github.latencybudget.policy;

import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apiguardian.api.API;

/**
 * Finds policies where they belong: {@code latency-budget.yaml} at a root of the class path and {@code META-INF/latency-budget/*.yaml}
 * below one; in another folder, {@code latency-budget.yaml} and what ends in {@code .latency-budget.yaml}. {@code yml} is as good as
 * {@code yaml}.
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class PolicyFiles {

    /** Where the only policy of a project belongs. */
    public static final String AT_ROOT = "latency-budget.yaml";

    private static final List<String> AT_ROOT_NAMES = List.of(AT_ROOT, "latency-budget.yml");

    private static final String FOLDER = "META-INF/latency-budget/";
    private static final List<String> NAMED = List.of(".latency-budget.yaml", ".latency-budget.yml");

    private PolicyFiles() {}

    /** {@return whether a name is that of a YAML file} */
    public static boolean isYaml(String name) {
        return name.endsWith(".yaml") || name.endsWith(".yml");
    }

    /** {@return the names of the policies on the class path, in order} */
    public static Set<String> onClassPath(ClassLoader loader) throws IOException {
        Set<String> names = new LinkedHashSet<>();
        AT_ROOT_NAMES.stream().filter(n -> loader.getResource(n) != null).forEach(names::add);
        for (URL folder : Collections.list(loader.getResources(FOLDER))) {
            names.addAll(inFolder(folder));
        }
        return names;
    }

    /** {@return the names of the policies below a root of the class path, a folder or a jar} */
    public static Set<String> belowRoot(Path root) throws IOException {
        if (Files.isRegularFile(root)) {
            try (JarFile jar = new JarFile(root.toFile())) {
                Set<String> names = inJar(jar);
                AT_ROOT_NAMES.stream().filter(n -> jar.getEntry(n) != null).forEach(names::add);
                return names;
            }
        }
        Set<String> names = new TreeSet<>();
        AT_ROOT_NAMES.stream().filter(n -> Files.isRegularFile(root.resolve(n))).forEach(names::add);
        names.addAll(inFolder(root.resolve(FOLDER)));
        return names;
    }

    /** {@return the policies in a folder and those below it} */
    public static List<Path> below(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .filter(f -> isPolicy(f.getFileName().toString()))
                    .sorted()
                    .toList();
        }
    }

    private static boolean isPolicy(String name) {
        return AT_ROOT_NAMES.contains(name) || NAMED.stream().anyMatch(name::endsWith);
    }

    private static Set<String> inFolder(URL folder) throws IOException {
        URLConnection connection = folder.openConnection();
        connection.setUseCaches(false);
        if (connection instanceof JarURLConnection inJar) {
            try (JarFile jar = inJar.getJarFile()) {
                return inJar(jar);
            }
        }
        try {
            return folder.getProtocol().equals("file") ? inFolder(Path.of(new URI(folder.toString()))) : Set.of();
        } catch (URISyntaxException e) {
            throw new IOException("no folder: " + folder, e);
        }
    }

    private static Set<String> inFolder(Path folder) throws IOException {
        Set<String> names = new TreeSet<>();
        if (Files.isDirectory(folder)) {
            try (Stream<Path> files = Files.list(folder)) {
                files.filter(Files::isRegularFile)
                        .map(f -> f.getFileName().toString())
                        .filter(PolicyFiles::isYaml)
                        .forEach(n -> names.add(FOLDER + n));
            }
        }
        return names;
    }

    private static Set<String> inJar(JarFile jar) {
        return jar.stream()
                .map(JarEntry::getName)
                .filter(n -> n.startsWith(FOLDER) && n.indexOf('/', FOLDER.length()) < 0 && isYaml(n))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
