package io.github.latencybudget.junit;

import io.github.latencybudget.record.GateId;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * A test method with a budget, and the annotations that make it one.
 *
 * @param id which gate
 * @param where the method, in words
 * @param latency the latency budgets of the closest element that has a budget
 * @param throughput the throughput budget of that element
 * @param target of the closest element that names one
 */
record Gate(
        GateId id,
        String where,
        List<LatencyBudget> latency,
        Optional<ThroughputBudget> throughput,
        Optional<InferenceTarget> target) {

    /** {@return the gate that a test method is; empty where neither it nor a class around it has a budget} */
    static Optional<Gate> find(Class<?> testClass, Method method) {
        List<AnnotatedElement> elements = closestFirst(testClass, method);
        Optional<AnnotatedElement> budgeted =
                elements.stream().filter(Gate::hasBudget).findFirst();
        if (budgeted.isEmpty() || !(isPlainTest(method) || budgeted.get() == method)) {
            return Optional.empty();
        }
        String where = testClass.getSimpleName() + "." + method.getName();
        if (!isPlainTest(method)) {
            throw ConfigurationErrors.annotation(
                    latency(method).isEmpty() ? ThroughputBudget.class : LatencyBudget.class,
                    where,
                    "a gate is a plain @Test; a template such as @ParameterizedTest or @RepeatedTest would measure again for every invocation. Use @Test, and repeat the annotation for further prompt lengths");
        }
        return Optional.of(new Gate(
                id(testClass, method),
                where,
                latency(budgeted.get()),
                declared(budgeted.get(), ThroughputBudget.class),
                elements.stream()
                        .map(e -> declared(e, InferenceTarget.class))
                        .flatMap(Optional::stream)
                        .findFirst()));
    }

    private static GateId id(Class<?> testClass, Method method) {
        return new GateId(
                testClass.getName(),
                method.getName()
                        + Stream.of(method.getParameterTypes())
                                .map(Class::getSimpleName)
                                .collect(Collectors.joining(", ", "(", ")")));
    }

    private static List<AnnotatedElement> closestFirst(Class<?> testClass, Method method) {
        List<AnnotatedElement> elements = new ArrayList<>();
        elements.add(method);
        for (Class<?> c = testClass; c != null; c = isNested(c) ? c.getEnclosingClass() : null) {
            for (Class<?> s = c; s != null && s != Object.class; s = s.getSuperclass()) {
                elements.add(s);
            }
        }
        return elements;
    }

    private static boolean isNested(Class<?> c) {
        return AnnotationSupport.isAnnotated(c, Nested.class);
    }

    private static boolean isPlainTest(Method method) {
        return AnnotationSupport.isAnnotated(method, Test.class);
    }

    private static boolean hasBudget(AnnotatedElement element) {
        return !latency(element).isEmpty()
                || declared(element, ThroughputBudget.class).isPresent();
    }

    private static List<LatencyBudget> latency(AnnotatedElement element) {
        return AnnotationSupport.findRepeatableAnnotations(element, LatencyBudget.class);
    }

    private static <A extends Annotation> Optional<A> declared(AnnotatedElement element, Class<A> type) {
        return AnnotationSupport.findAnnotation(element, type);
    }
}
