package io.github.latencybudget.junit;

import io.github.latencybudget.record.GateId;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.ClassTemplate;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * A test method with a budget, and the annotations that make it one.
 *
 * @param id which gate
 * @param where the method, in words
 * @param latency the latency budgets of the closest element that has a budget
 * @param throughput the throughput budgets of that element
 * @param goodput its goodput budgets
 * @param ttft its table of TTFT
 * @param run what it says of the run as a whole
 * @param workload which prompts it sends, where it says so
 * @param waivers those of that element, and of the elements closer to the test
 * @param target of the closest element that names one; empty where two are compared
 * @param compared the two targets of the closest element that names targets; empty where that names one
 * @param timeout of the closest element that has one
 * @param baseline what the method says of a comparison
 * @param openLoop of the closest element that has one
 * @param sweep of the closest element that has one
 */
record Gate(
        GateId id,
        String where,
        List<LatencyBudget> latency,
        List<ThroughputBudget> throughput,
        List<GoodputBudget> goodput,
        Optional<TtftByPromptLength> ttft,
        Optional<RunBudget> run,
        Optional<PromptWorkload> workload,
        List<WaivedLimit> waivers,
        Optional<InferenceTarget> target,
        Optional<LocalAgainstServed> compared,
        Optional<Timeout> timeout,
        Optional<ComparedWithBaseline> baseline,
        Optional<OpenLoop> openLoop,
        Optional<LoadSweep> sweep) {

    /** They say how a budget is measured, and measure nothing without one. */
    private static final List<Class<? extends Annotation>> COMPANIONS = List.of(
            OpenLoop.class,
            LoadSweep.class,
            ComparedWithBaseline.class,
            LocalAgainstServed.class,
            InferenceTarget.class);

    /** {@return what is measured on its own: all of it, or each of two runs} */
    List<GateSide> sides() {
        return compared.isPresent() ? List.of(GateSide.LOCAL, GateSide.SERVED) : List.of(GateSide.WHOLE);
    }

    /** {@return what is said of the target of a side} */
    TargetAttributes attributes(GateSide side) {
        return TargetAttributes.of(
                switch (side) {
                    case WHOLE -> target;
                    case LOCAL -> compared.map(LocalAgainstServed::local);
                    case SERVED -> compared.map(LocalAgainstServed::served);
                });
    }

    /** {@return the gate that a test method is; empty where neither it nor a class around it has a budget} */
    static Optional<Gate> find(Class<?> testClass, Method method) {
        List<AnnotatedElement> elements = closestFirst(testClass, method);
        Optional<AnnotatedElement> budgeted =
                elements.stream().filter(Gate::hasBudget).findFirst();
        String where = testClass.getSimpleName() + "." + method.getName();
        if (budgeted.isEmpty() && !of(method, WaivedLimit.class).isEmpty()) {
            throw ConfigurationErrors.annotation(
                    WaivedLimit.class,
                    where,
                    "there is no budget here, so there is no limit to waive; put it beside a budget");
        }
        for (Class<? extends Annotation> companion : COMPANIONS) {
            if (budgeted.isEmpty() && AnnotationSupport.isAnnotated(method, companion)) {
                throw ConfigurationErrors.annotation(
                        companion,
                        where,
                        "there is no budget, so nothing is measured; add @LatencyBudget or another budget");
            }
        }
        if (elements.stream()
                .anyMatch(e -> !hasBudget(e) && one(e, PromptWorkload.class).isPresent())) {
            throw ConfigurationErrors.annotation(
                    PromptWorkload.class,
                    where,
                    "there is no budget on the element that has it, so it says what nobody runs; put it beside a budget");
        }
        if (budgeted.isEmpty() || !(isPlainTest(method) || budgeted.get() == method)) {
            return Optional.empty();
        }
        if (!isPlainTest(method) || isInClassTemplate(testClass)) {
            throw ConfigurationErrors.annotation(
                    budgets(budgeted.get()).findFirst().orElseThrow(),
                    where,
                    "a gate is a plain @Test; a template such as @ParameterizedTest, @RepeatedTest or @ParameterizedClass would measure again for every invocation. Use @Test, and repeat the annotation for further prompt lengths");
        }
        Optional<AnnotatedElement> targeted = elements.stream()
                .filter(e -> AnnotationSupport.isAnnotated(e, InferenceTarget.class)
                        || AnnotationSupport.isAnnotated(e, LocalAgainstServed.class))
                .findFirst();
        Optional<InferenceTarget> target =
                targeted.flatMap(e -> AnnotationSupport.findAnnotation(e, InferenceTarget.class));
        Optional<LocalAgainstServed> compared =
                targeted.flatMap(e -> AnnotationSupport.findAnnotation(e, LocalAgainstServed.class));
        if (target.isPresent() && compared.isPresent()) {
            throw ConfigurationErrors.annotation(
                    LocalAgainstServed.class,
                    where,
                    "@InferenceTarget beside it names a third target; leave one of the two out");
        }
        return Optional.of(new Gate(
                id(testClass, method),
                where,
                of(budgeted.get(), LatencyBudget.class),
                of(budgeted.get(), ThroughputBudget.class),
                of(budgeted.get(), GoodputBudget.class),
                one(budgeted.get(), TtftByPromptLength.class),
                one(budgeted.get(), RunBudget.class),
                one(budgeted.get(), PromptWorkload.class),
                waivers(elements, budgeted.get(), where),
                target,
                compared,
                closest(elements, Timeout.class),
                AnnotationSupport.findAnnotation(method, ComparedWithBaseline.class),
                closest(elements, OpenLoop.class),
                closest(elements, LoadSweep.class)));
    }

    private static <A extends Annotation> Optional<A> closest(List<AnnotatedElement> elements, Class<A> type) {
        return elements.stream()
                .flatMap(e -> AnnotationSupport.findAnnotation(e, type).stream())
                .findFirst();
    }

    /** {@return the id of a method that is a gate or was meant to be one} */
    static GateId id(Class<?> testClass, Method method) {
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
        elements.addAll(around(testClass));
        return elements;
    }

    /** {@return the classes that a method of a class takes a budget from, the closest one first} */
    static List<Class<?>> around(Class<?> testClass) {
        return classAndThoseAround(testClass)
                .flatMap(c -> withSupertypes(c).stream())
                .toList();
    }

    /** {@return a class and all that it extends and implements, the closest one first} */
    static List<Class<?>> withSupertypes(Class<?> testClass) {
        List<Class<?>> types = new ArrayList<>();
        addWithSupertypes(testClass, types);
        return types;
    }

    /** {@return a class and those that it is a {@link Nested} one of} */
    static Stream<Class<?>> classAndThoseAround(Class<?> testClass) {
        return Stream.iterate(testClass, Objects::nonNull, c -> isNested(c) ? c.getEnclosingClass() : null);
    }

    private static void addWithSupertypes(Class<?> type, List<Class<?>> types) {
        types.add(type);
        Stream.of(type.getInterfaces()).forEach(i -> addWithSupertypes(i, types));
        if (type.getSuperclass() != null) {
            addWithSupertypes(type.getSuperclass(), types);
        }
    }

    private static boolean isNested(Class<?> c) {
        return AnnotationSupport.isAnnotated(c, Nested.class);
    }

    static boolean isPlainTest(Method method) {
        return AnnotationSupport.isAnnotated(method, Test.class);
    }

    private static boolean isInClassTemplate(Class<?> testClass) {
        return classAndThoseAround(testClass).anyMatch(c -> AnnotationSupport.isAnnotated(c, ClassTemplate.class));
    }

    private static List<WaivedLimit> waivers(List<AnnotatedElement> elements, AnnotatedElement budgeted, String where) {
        int upTo = elements.indexOf(budgeted) + 1;
        boolean isBeyond = elements.subList(upTo, elements.size()).stream()
                .anyMatch(e -> !hasBudget(e) && !of(e, WaivedLimit.class).isEmpty());
        if (isBeyond) {
            throw ConfigurationErrors.annotation(
                    WaivedLimit.class,
                    where,
                    "it is farther from the test than the closest budget, and waives no limit of it; put it beside that budget");
        }
        return elements.subList(0, upTo).stream()
                .flatMap(e -> of(e, WaivedLimit.class).stream())
                .toList();
    }

    static boolean hasBudget(AnnotatedElement element) {
        return budgets(element).findAny().isPresent();
    }

    /** {@return the kinds of budgets that an element has} */
    private static Stream<Class<? extends Annotation>> budgets(AnnotatedElement element) {
        return Stream.concat(
                Stream.of(LatencyBudget.class, ThroughputBudget.class, GoodputBudget.class)
                        .filter(type -> !of(element, type).isEmpty()),
                Stream.of(TtftByPromptLength.class, RunBudget.class)
                        .filter(type -> one(element, type).isPresent()));
    }

    private static <A extends Annotation> Optional<A> one(AnnotatedElement element, Class<A> type) {
        return Stream.concat(
                        Stream.of(element.getDeclaredAnnotationsByType(type)),
                        Stream.of(element.getDeclaredAnnotations())
                                .flatMap(a -> AnnotationSupport.findAnnotation(a.annotationType(), type).stream()))
                .findFirst();
    }

    // Not by JUnit's search from a class on, which adds what its interfaces say to what it says itself.
    private static <A extends Annotation> List<A> of(AnnotatedElement element, Class<A> repeatable) {
        return Stream.concat(
                        Stream.of(element.getDeclaredAnnotationsByType(repeatable)),
                        Stream.of(element.getDeclaredAnnotations())
                                .flatMap(a ->
                                        AnnotationSupport.findRepeatableAnnotations(a.annotationType(), repeatable)
                                                .stream()))
                .toList();
    }
}
