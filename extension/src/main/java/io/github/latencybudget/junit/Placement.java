package io.github.latencybudget.junit;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * Finds the annotations that measure nothing where they stand, in a class and those in it. It leaves out those on a method that
 * Jupiter runs as a test, because the gate refuses them by itself.
 */
final class Placement {

    private final List<Misplaced> found = new ArrayList<>();

    private Placement() {}

    /** {@return what is misplaced in a class that is selected; nothing where the class is a base of others, or cannot be read} */
    static List<Misplaced> in(Class<?> type) {
        try {
            if (!JupiterRules.isConcrete(type) || !hasAny(type, new HashSet<>())) {
                return List.of();
            }
            Placement placement = new Placement();
            placement.look(type);
            return List.copyOf(placement.found);
        } catch (LinkageError | RuntimeException e) {
            // It names a class that is missing. Jupiter reports that if it runs the test.
            return List.of();
        }
    }

    /** {@return what is misplaced in this class itself; nothing where there is no such class} */
    static List<Misplaced> of(String className) {
        return ReflectionSupport.tryToLoadClass(className).toOptional().stream()
                .flatMap(type -> in(type).stream())
                .filter(m -> m.type().getName().equals(className))
                .toList();
    }

    /** Most classes have none, and cost no more than a look at their annotations. */
    private static boolean hasAny(Class<?> type, Set<Class<?>> visited) {
        if (type == null || type.getClassLoader() == null || !visited.add(type)) {
            return false;
        }
        return OwnAnnotations.in(type).isPresent()
                || AnnotationSupport.isAnnotated(type, LatencyPolicies.class)
                || hasAny(type.getSuperclass(), visited)
                || hasAny(type.getEnclosingClass(), visited)
                || Stream.of(type.getInterfaces()).anyMatch(i -> hasAny(i, visited))
                || Stream.of(type.getDeclaredClasses())
                        .filter(c -> !Modifier.isStatic(c.getModifiers()) || isNested(c))
                        .anyMatch(c -> hasAny(c, visited));
    }

    private static boolean isNested(Class<?> type) {
        return AnnotationSupport.isAnnotated(type, Nested.class);
    }

    private void look(Class<?> type) {
        if (isDisabled(type)) {
            return;
        }
        int before = found.size();
        if (JupiterRules.isInner(type) && AnnotationSupport.isAnnotated(type, LatencyPolicies.class)) {
            add(
                    type,
                    LatencyPolicies.class,
                    name(type),
                    "build tools select no inner class, so its policies are not run; put it on a class that is no inner one");
        }
        Optional<String> refusal = JupiterRules.refusal(type);
        if (refusal.isPresent()) {
            within(type).ifPresent(annotation -> add(type, annotation, name(type), refusal.get()));
            return;
        }
        JupiterRules.methods(type).stream().filter(m -> !isDisabled(m)).forEach(m -> look(type, m));
        abstractMethods(type).forEach(m -> refuse(type, m));
        JupiterRules.inner(type).forEach(this::look);
        // A misplaced annotation on a method explains why its class has no gate; one error is enough.
        if (found.size() == before) {
            lookAtTheClassItself(type);
        }
    }

    private static boolean isDisabled(AnnotatedElement element) {
        return AnnotationSupport.isAnnotated(element, Disabled.class);
    }

    /** {@return the first annotation in a class that is not run as a whole} */
    private static Optional<Class<? extends Annotation>> within(Class<?> type) {
        return OwnAnnotations.in(type)
                .or(() -> JupiterRules.inner(type).stream()
                        .flatMap(c -> within(c).stream())
                        .findFirst());
    }

    private void look(Class<?> type, Method method) {
        if (refuse(type, method) || JupiterRules.refusal(method).isPresent() || Gate.isPlainTest(method)) {
            return;
        }
        Optional<Class<?>> budgeted =
                Gate.around(type).stream().filter(Gate::hasBudget).findFirst();
        if (budgeted.isPresent() && !isGate(type, method)) {
            String problem = String.format(
                    Locale.ROOT,
                    "it does not measure %1$s.%2$s, which is a @%3$s: a gate is a plain @Test. Put the budget on the @Test methods, or move %2$s to a class without a budget",
                    name(type),
                    method.getName(),
                    JupiterRules.kind(method).orElseThrow());
            add(type, method, OwnAnnotations.on(budgeted.get()).orElseThrow(), name(budgeted.get()), problem);
        }
    }

    /** {@return whether a method has an annotation, and is not run as a test} */
    private boolean refuse(Class<?> type, Method method) {
        Optional<Class<? extends Annotation>> annotation = OwnAnnotations.on(method);
        Optional<String> refusal = annotation.flatMap(a -> JupiterRules.refusal(method));
        refusal.ifPresent(
                problem -> add(type, method, annotation.orElseThrow(), name(type) + "." + method.getName(), problem));
        return refusal.isPresent();
    }

    /** {@return the abstract methods of its bases that are implemented by one which says nothing itself} */
    private static Stream<Method> abstractMethods(Class<?> type) {
        return Gate.withSupertypes(type).stream()
                .flatMap(t -> Stream.of(t.getDeclaredMethods()))
                .filter(m -> Modifier.isAbstract(m.getModifiers())
                        && OwnAnnotations.on(m).isPresent())
                .filter(m -> ReflectionSupport.findMethod(type, m.getName(), m.getParameterTypes())
                        .filter(own -> OwnAnnotations.on(own).isPresent() && !own.equals(m))
                        .isEmpty());
    }

    private void lookAtTheClassItself(Class<?> type) {
        Optional<Class<? extends Annotation>> here = OwnAnnotations.on(type);
        Optional<Class<?>> budgeted =
                Gate.withSupertypes(type).stream().filter(Gate::hasBudget).findFirst();
        if (here.isEmpty() && budgeted.isEmpty() || hasGate(type)) {
            return;
        }
        if (budgeted.isPresent()) {
            Class<?> of = budgeted.get();
            add(
                    type,
                    OwnAnnotations.on(of).orElseThrow(),
                    name(of),
                    (of == type ? "it" : name(type))
                            + " has no @Test method, so nothing is measured; add one, or make it abstract if it is a base of others");
        } else {
            add(
                    type,
                    here.orElseThrow(),
                    name(type),
                    "no @Test method in it has a budget, so nothing is measured; add a budget, or make it abstract if it is a base of others");
        }
    }

    private static boolean hasGate(Class<?> type) {
        return JupiterRules.methods(type).stream().anyMatch(m -> isGate(type, m))
                || JupiterRules.inner(type).stream().anyMatch(Placement::hasGate);
    }

    /** {@return whether a method is run as a gate, or refused by it} */
    private static boolean isGate(Class<?> type, Method method) {
        if (JupiterRules.refusal(method).isPresent()) {
            return false;
        }
        try {
            return Gate.find(type, method).isPresent();
        } catch (ExtensionConfigurationException e) {
            return true;
        }
    }

    private void add(Class<?> type, Class<? extends Annotation> annotation, String where, String problem) {
        found.add(new Misplaced(type, Optional.empty(), annotation, where, problem));
    }

    private void add(
            Class<?> type, Method method, Class<? extends Annotation> annotation, String where, String problem) {
        found.add(new Misplaced(type, Optional.of(method), annotation, where, problem));
    }

    private static String name(Class<?> type) {
        return type.getSimpleName();
    }
}
