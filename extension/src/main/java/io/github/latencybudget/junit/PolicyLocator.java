package io.github.latencybudget.junit;

import static org.junit.platform.engine.support.discovery.SelectorResolver.Resolution.unresolved;

import io.github.latencybudget.policy.PolicyFiles;
import io.github.latencybudget.policy.PolicySource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.discovery.ClassSelector;
import org.junit.platform.engine.discovery.ClasspathResourceSelector;
import org.junit.platform.engine.discovery.ClasspathRootSelector;
import org.junit.platform.engine.discovery.DirectorySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.discovery.FileSelector;
import org.junit.platform.engine.discovery.MethodSelector;
import org.junit.platform.engine.discovery.ModuleSelector;
import org.junit.platform.engine.discovery.NestedClassSelector;
import org.junit.platform.engine.discovery.NestedMethodSelector;
import org.junit.platform.engine.discovery.PackageSelector;
import org.junit.platform.engine.discovery.UniqueIdSelector;
import org.junit.platform.engine.discovery.UriSelector;
import org.junit.platform.engine.support.discovery.SelectorResolver;

/** Turns whatever selects policies into the policies that are meant, and what selects classes into what is wrong with those. */
final class PolicyLocator implements SelectorResolver {

    private final UniqueId engine;
    private final Predicate<String> classNames;

    private final MissingGates missing;

    /** @param classNames which classes may be selected, by their names */
    PolicyLocator(UniqueId engine, Predicate<String> classNames, MissingGates missing) {
        this.engine = engine;
        this.classNames = classNames;
        this.missing = missing;
    }

    @Override
    public Resolution resolve(ClassSelector selector, Context context) {
        return loaded(selector::getJavaClass)
                .map(type -> of(inClass(type).stream()))
                .orElseGet(Resolution::unresolved);
    }

    @Override
    public Resolution resolve(NestedClassSelector selector, Context context) {
        return loaded(selector::getNestedClass)
                .map(type -> of(inClass(type).stream()))
                .orElseGet(Resolution::unresolved);
    }

    @Override
    public Resolution resolve(MethodSelector selector, Context context) {
        return ofMethod(selector::getJavaClass, selector::getJavaMethod);
    }

    @Override
    public Resolution resolve(NestedMethodSelector selector, Context context) {
        return ofMethod(selector::getNestedClass, selector::getMethod);
    }

    private Resolution ofMethod(Supplier<Class<?>> type, Supplier<Method> method) {
        return loaded(type)
                .flatMap(t -> loaded(method)
                        .map(m -> of(selectors(misplaced(t)
                                .filter(found ->
                                        found.method().filter(m::equals).isPresent())))))
                .orElseGet(Resolution::unresolved);
    }

    /** Jupiter reports a class that cannot be loaded. */
    private static <T> Optional<T> loaded(Supplier<T> load) {
        try {
            return Optional.of(load.get());
        } catch (RuntimeException | LinkageError e) {
            return Optional.empty();
        }
    }

    private Set<DiscoverySelector> inClass(Class<?> type) {
        return Stream.of(
                        AnnotationSupport.findAnnotation(type, LatencyPolicies.class).stream()
                                .flatMap(policies -> ofClass(type, policies)),
                        selectors(misplaced(type)),
                        classNames.test(type.getName())
                                ? missing.in(type).stream()
                                        .map(m -> DiscoverySelectors.selectUniqueId(
                                                m.id(MissingDescriptor.id(engine, type))))
                                : Stream.<UniqueIdSelector>empty())
                .flatMap(selectors -> selectors)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private Stream<Misplaced> misplaced(Class<?> type) {
        return classNames.test(type.getName()) ? Placement.in(type).stream() : Stream.empty();
    }

    private Stream<UniqueIdSelector> selectors(Stream<Misplaced> misplaced) {
        return misplaced.map(m -> DiscoverySelectors.selectUniqueId(MisplacedDescriptor.id(engine, m)));
    }

    private static Stream<PolicySelector> ofClass(Class<?> type, LatencyPolicies policies) {
        Collection<String> names = policies.value().length > 0
                ? new LinkedHashSet<>(List.of(policies.value()))
                : read(() -> PolicyFiles.onClassPath(loader()));
        // A class that stands for no policy would be a green build that shows nothing.
        return (names.isEmpty() ? List.of(PolicyFiles.AT_ROOT) : names)
                .stream()
                        .map(name -> new PolicySelector(
                                PolicySource.resource(name, loader()), name, Optional.of(type.getName())));
    }

    @Override
    public Resolution resolve(ClasspathResourceSelector selector, Context context) {
        String name = selector.getClasspathResourceName();
        return PolicyFiles.isYaml(name) ? of(Stream.of(resource(name))) : unresolved();
    }

    @Override
    public Resolution resolve(ClasspathRootSelector selector, Context context) {
        Path root = Path.of(selector.getClasspathRoot());
        return of(Stream.concat(
                read(() -> PolicyFiles.belowRoot(root)).stream().map(PolicyLocator::resource),
                ofClasses(ReflectionSupport.findAllClassesInClasspathRoot(
                        selector.getClasspathRoot(), this::hasAny, classNames))));
    }

    @Override
    public Resolution resolve(PackageSelector selector, Context context) {
        return of(ofClasses(
                ReflectionSupport.findAllClassesInPackage(selector.getPackageName(), this::hasAny, classNames)));
    }

    @Override
    public Resolution resolve(ModuleSelector selector, Context context) {
        return of(ofClasses(
                ReflectionSupport.findAllClassesInModule(selector.getModuleName(), this::hasAny, classNames)));
    }

    private boolean hasAny(Class<?> type) {
        return loaded(() -> !inClass(type).isEmpty()).orElse(false);
    }

    private static Stream<ClassSelector> ofClasses(List<Class<?>> types) {
        return types.stream().map(DiscoverySelectors::selectClass);
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

    private static Resolution of(Stream<? extends DiscoverySelector> found) {
        Set<DiscoverySelector> all = found.collect(Collectors.toCollection(LinkedHashSet::new));
        return all.isEmpty() ? unresolved() : Resolution.selectors(all);
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
