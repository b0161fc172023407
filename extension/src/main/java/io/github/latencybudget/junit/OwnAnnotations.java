package io.github.latencybudget.junit;

import java.lang.annotation.Annotation;
import java.lang.annotation.Repeatable;
import java.lang.reflect.AnnotatedElement;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The annotations of this package that a gate is made of, wherever they stand. */
final class OwnAnnotations {

    private static final List<Class<? extends Annotation>> ALL = List.of(
            LatencyBudget.class,
            ThroughputBudget.class,
            GoodputBudget.class,
            TtftByPromptLength.class,
            RunBudget.class,
            WaivedLimit.class,
            OpenLoop.class,
            LoadSweep.class,
            PromptWorkload.class,
            ComparedWithBaseline.class,
            LocalAgainstServed.class,
            InferenceTarget.class);

    /** Asked about every annotation of every test class; it keeps no class from being unloaded. */
    private static final ClassValue<Set<Class<? extends Annotation>>> BROUGHT_BY = new ClassValue<>() {
        @Override
        protected Set<Class<? extends Annotation>> computeValue(Class<?> annotation) {
            Set<Class<?>> visited = new LinkedHashSet<>();
            visit(annotation, visited);
            return ALL.stream().filter(own -> isAmong(own, visited)).collect(Collectors.toUnmodifiableSet());
        }
    };

    private OwnAnnotations() {}

    private static void visit(Class<?> annotation, Set<Class<?>> visited) {
        if (visited.add(annotation)) {
            Stream.of(annotation.getDeclaredAnnotations()).forEach(a -> visit(a.annotationType(), visited));
        }
    }

    /** Itself, or what the compiler puts several of them into. */
    private static boolean isAmong(Class<? extends Annotation> own, Collection<Class<?>> annotations) {
        Repeatable repeatable = own.getDeclaredAnnotation(Repeatable.class);
        return annotations.contains(own) || repeatable != null && annotations.contains(repeatable.value());
    }

    /** {@return the first of them that an element has itself or by an annotation of the user's own; budgets come first} */
    static Optional<Class<? extends Annotation>> on(AnnotatedElement element) {
        Annotation[] declared = element.getDeclaredAnnotations();
        if (declared.length == 0) {
            return Optional.empty();
        }
        Set<Class<? extends Annotation>> brought = Stream.of(declared)
                .flatMap(a -> BROUGHT_BY.get(a.annotationType()).stream())
                .collect(Collectors.toSet());
        return ALL.stream().filter(brought::contains).findFirst();
    }

    /** {@return the first of them on a class or a method that it declares} */
    static Optional<Class<? extends Annotation>> in(Class<?> type) {
        return Stream.concat(Stream.<AnnotatedElement>of(type), Stream.of(type.getDeclaredMethods()))
                .flatMap(element -> on(element).stream())
                .findFirst();
    }
}
