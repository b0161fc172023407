package io.github.latencybudget.junit;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestTemplate;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/** Jupiter's rules of which classes and methods it runs. It reports the others in its log only. */
final class JupiterRules {

    private static final List<Class<? extends Annotation>> LIFECYCLE =
            List.of(BeforeAll.class, BeforeEach.class, AfterEach.class, AfterAll.class);
    private static final List<Class<? extends Annotation>> TESTS =
            List.of(Test.class, TestTemplate.class, TestFactory.class);

    private JupiterRules() {}

    /** {@return whether a class may have tests: a base of others has none, nor has one that a compiler made} */
    static boolean isConcrete(Class<?> type) {
        boolean isOfKotlin = type.getSimpleName().equals("DefaultImpls")
                && type.isMemberClass()
                && Modifier.isStatic(type.getModifiers());
        return !Modifier.isAbstract(type.getModifiers())
                && !type.isAnonymousClass()
                && !type.isLocalClass()
                && !type.isSynthetic()
                && !isOfKotlin;
    }

    /** {@return why nothing of a concrete class is run, and what to do; empty where it is run} */
    static Optional<String> refusal(Class<?> type) {
        boolean isNested = AnnotationSupport.isAnnotated(type, Nested.class);
        if (Modifier.isPrivate(type.getModifiers())) {
            return Optional.of("JUnit runs no private class; remove `private`");
        }
        if (isInner(type) && !isNested) {
            return Optional.of("JUnit runs an inner class only with @Nested; add it");
        }
        if (isNested && type.isMemberClass() && !isInner(type)) {
            return Optional.of("JUnit runs no static class as a @Nested one; remove `static`");
        }
        return Optional.empty();
    }

    static boolean isInner(Class<?> type) {
        return type.isMemberClass() && !Modifier.isStatic(type.getModifiers());
    }

    /** {@return the member classes that are run with a class, or were meant to be} */
    static List<Class<?>> inner(Class<?> type) {
        return ReflectionSupport.findNestedClasses(
                type, c -> isConcrete(c) && (isInner(c) || AnnotationSupport.isAnnotated(c, Nested.class)));
    }

    /** {@return the methods of a class, with those that it inherits and does not override} */
    static List<Method> methods(Class<?> type) {
        return ReflectionSupport.findMethods(type, m -> true, HierarchyTraversalMode.TOP_DOWN);
    }

    /** {@return the kind of test that a method is to be, such as {@code ParameterizedTest}; empty where it is none} */
    static Optional<String> kind(Method method) {
        return Stream.of(method.getDeclaredAnnotations())
                .map(Annotation::annotationType)
                .filter(a -> TESTS.stream().anyMatch(t -> t == a || AnnotationSupport.isAnnotated(a, t)))
                .map(Class::getSimpleName)
                .findFirst();
    }

    /** {@return why a method is not run as a test, and what to do; empty where it is run} */
    static Optional<String> refusal(Method method) {
        Optional<String> kind = kind(method);
        if (Modifier.isAbstract(method.getModifiers())) {
            return Optional.of(
                    "JUnit takes no annotation from an abstract method; put it on the one that implements it");
        }
        if (kind.isEmpty()) {
            return Optional.of(LIFECYCLE.stream()
                    .filter(l -> AnnotationSupport.isAnnotated(method, l))
                    .findFirst()
                    .map(l -> "a @" + l.getSimpleName() + " method is no test; put it on a @Test method")
                    .orElse("the method is no @Test of JUnit Jupiter; add @Test"));
        }
        if (Modifier.isPrivate(method.getModifiers())) {
            return refusal("private @%s; remove `private`", kind.get());
        }
        if (Modifier.isStatic(method.getModifiers())) {
            return refusal("static @%s; remove `static`", kind.get());
        }
        if (!AnnotationSupport.isAnnotated(method, TestFactory.class)
                && method.getReturnType() != void.class
                && !suspends(method)) {
            return refusal("@%s that returns a value; let it return `void`", kind.get());
        }
        return Optional.empty();
    }

    private static Optional<String> refusal(String of, String kind) {
        return Optional.of("JUnit runs no " + String.format(Locale.ROOT, of, kind));
    }

    /** JUnit 6 runs these functions of Kotlin. */
    private static boolean suspends(Method method) {
        Class<?>[] parameters = method.getParameterTypes();
        return parameters.length > 0
                && parameters[parameters.length - 1].getName().equals("kotlin.coroutines.Continuation");
    }
}
