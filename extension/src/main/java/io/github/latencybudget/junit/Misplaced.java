package io.github.latencybudget.junit;

import io.github.latencybudget.record.GateId;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.TestTag;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;

/**
 * An annotation that measures nothing where it stands.
 *
 * @param type the test class
 * @param method the method; empty where it is about the class itself
 * @param annotation the annotation
 * @param where where that stands, in words
 * @param problem why nothing is measured, and what to do
 */
record Misplaced(
        Class<?> type, Optional<Method> method, Class<? extends Annotation> annotation, String where, String problem) {

    /** In place of a method, and the name of none. */
    private static final String CLASS = "class";

    /** {@return the gate that it would have made} */
    GateId id() {
        return method.map(m -> Gate.id(type, m)).orElseGet(() -> new GateId(type.getName(), CLASS));
    }

    String name() {
        return String.format(Locale.ROOT, "@%s on %s is measured", annotation.getSimpleName(), where);
    }

    String message() {
        return ConfigurationErrors.annotation(annotation, where, problem).getMessage();
    }

    TestSource source() {
        return method.<TestSource>map(m -> MethodSource.from(type, m)).orElseGet(() -> ClassSource.from(type));
    }

    /** {@return those of the method and its classes: whoever leaves a test out leaves out what is wrong with it} */
    Set<TestTag> tags() {
        return Stream.<AnnotatedElement>concat(method.stream(), Gate.classAndThoseAround(type))
                .flatMap(e -> AnnotationSupport.findRepeatableAnnotations(e, Tag.class).stream())
                .map(Tag::value)
                .filter(TestTag::isValid)
                .map(TestTag::create)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }
}
