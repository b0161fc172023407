package io.github.latencybudget.junit;

import static org.junit.platform.engine.support.discovery.SelectorResolver.Resolution.selectors;
import static org.junit.platform.engine.support.discovery.SelectorResolver.Resolution.unresolved;

import io.github.latencybudget.policy.PolicyFiles;
import io.github.latencybudget.policy.PolicySource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.ClassSelector;
import org.junit.platform.engine.discovery.ClasspathResourceSelector;
import org.junit.platform.engine.discovery.ClasspathRootSelector;
import org.junit.platform.engine.discovery.DirectorySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.discovery.FileSelector;
import org.junit.platform.engine.discovery.UriSelector;
import org.junit.platform.engine.support.discovery.SelectorResolver;

/** Turns whatever selects policies into the policies that are meant. */
final class PolicyLocator implements SelectorResolver {

    @Override
    public Resolution resolve(ClassSelector selector, Context context) {
        Class<?> type;
        try {
            type = selector.getJavaClass();
        } catch (RuntimeException e) {
            return unresolved();
        }
        return AnnotationSupport.findAnnotation(type, LatencyPolicies.class)
                .map(policies -> ofClass(type, policies))
                .orElseGet(Resolution::unresolved);
    }

    private static Resolution ofClass(Class<?> type, LatencyPolicies policies) {
        Collection<String> names = policies.value().length > 0
                ? new LinkedHashSet<>(List.of(policies.value()))
                : read(() -> PolicyFiles.onClassPath(loader()));
        // A class that stands for no policy would be a green build that shows nothing.
        return of((names.isEmpty() ? List.of(PolicyFiles.AT_ROOT) : names)
                .stream()
                        .map(name -> new PolicySelector(
                                PolicySource.resource(name, loader()), name, Optional.of(type.getName()))));
    }

    @Override
    public Resolution resolve(ClasspathResourceSelector selector, Context context) {
        String name = selector.getClasspathResourceName();
        return PolicyFiles.isYaml(name) ? of(Stream.of(resource(name))) : unresolved();
    }

    @Override
    public Resolution resolve(ClasspathRootSelector selector, Context context) {
        Path root = Path.of(selector.getClasspathRoot());
        return of(read(() -> PolicyFiles.belowRoot(root)).stream().map(PolicyLocator::resource));
    }

    @Override
    public Resolution resolve(FileSelector selector, Context context) {
        return file(selector.getPath());
    }

    @Override
    public Resolution resolve(DirectorySelector selector, Context context) {
        return of(read(() -> PolicyFiles.below(selector.getPath())).stream().map(PolicyLocator::selector));
    }

    @Override
    public Resolution resolve(UriSelector selector, Context context) {
        URI uri = selector.getUri();
        if ("classpath".equals(uri.getScheme()) && uri.getSchemeSpecificPart() != null) {
            return resolve(DiscoverySelectors.selectClasspathResource(uri.getSchemeSpecificPart()), context);
        }
        return "file".equals(uri.getScheme()) ? file(Path.of(uri)) : unresolved();
    }

    private static Resolution file(Path file) {
        return PolicyFiles.isYaml(file.getFileName().toString()) ? of(Stream.of(selector(file))) : unresolved();
    }

    private static PolicySelector selector(Path file) {
        PolicySource source = PolicySource.file(file);
        return new PolicySelector(Optional.of(source), source.location(), Optional.empty());
    }

    private static PolicySelector resource(String name) {
        String plain = name.startsWith("/") ? name.substring(1) : name;
        return new PolicySelector(PolicySource.resource(plain, loader()), plain, Optional.empty());
    }

    private static Resolution of(Stream<PolicySelector> policies) {
        Set<DiscoverySelector> all = policies.collect(Collectors.toCollection(LinkedHashSet::new));
        return all.isEmpty() ? unresolved() : selectors(all);
    }

    static ClassLoader loader() {
        return Optional.ofNullable(Thread.currentThread().getContextClassLoader())
                .orElse(PolicyLocator.class.getClassLoader());
    }

    private interface Search<T> {
        T run() throws IOException;
    }

    private static <T> T read(Search<T> search) {
        try {
            return search.run();
        } catch (IOException e) {
            throw new UncheckedIOException(
                    String.format(Locale.ROOT, "policies cannot be searched for (%s)", e.getMessage()), e);
        }
    }
}
