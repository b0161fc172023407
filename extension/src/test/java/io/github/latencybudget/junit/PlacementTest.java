package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** G1, G2 and their kind: an annotation that measures nothing where it stands is said to, and no other is. */
class PlacementTest {

    private static final String PLAIN =
            ": a gate is a plain @Test. Put the budget on the @Test methods, or move answers to a class without a budget";
    private static final String NO_TEST =
            " has no @Test method, so nothing is measured; add one, or make it abstract if it is a base of others";
    private static final String NO_BUDGET =
            ": no @Test method in it has a budget, so nothing is measured; add a budget, or make it abstract if it is a base of others";

    @Retention(RetentionPolicy.RUNTIME)
    @LatencyBudget(promptTokens = 8, ttftMs = 1)
    @InferenceTarget("composed")
    @interface ChatSla {}

    static class Forgotten {
        @LatencyBudget(promptTokens = 8, ttftMs = 1)
        void answers() {}
    }

    static class Twice {
        @LatencyBudget(promptTokens = 8, ttftMs = 1)
        @LatencyBudget(promptTokens = 9, ttftMs = 1)
        void answers() {}
    }

    static class Composed {
        @ChatSla
        void answers() {}
    }

    static class OnSetUp {
        @BeforeEach
        @GoodputBudget(promptTokens = 8, ttftMs = 1, minGoodput = 0.9)
        void setUp() {}

        @BeforeAll
        @InferenceTarget("model")
        static void setUpAll() {}
    }

    static class Companions {
        @OpenLoop(requestsPerSecond = 1)
        void answers() {}

        @PromptWorkload(file = "a.jsonl")
        void alsoAnswers() {}
    }

    static class Ignored {
        @Test
        @ChatSla
        private void hidden() {}

        @Test
        @ChatSla
        static void withoutAnObject() {}

        @Test
        @ChatSla
        int withAResult() {
            return 1;
        }

        @RepeatedTest(2)
        @ChatSla
        private void hiddenTemplate() {}
    }

    private static class Hidden {
        @Test
        @ChatSla
        void answers() {}
    }

    static class Around {
        class Inner {
            @Test
            @ChatSla
            void answers() {}
        }

        @Nested
        static class Static {
            @Test
            @ChatSla
            void answers() {}
        }

        @Nested
        private class HiddenToo {
            @Nested
            class Innermost {
                @Test
                @ChatSla
                void answers() {}
            }
        }
    }

    static class AroundPolicies {
        @Nested
        @LatencyPolicies
        class Policies {}
    }

    @LatencyBudget(promptTokens = 8, ttftMs = 1)
    static class Templates {
        @ParameterizedTest
        @ValueSource(ints = 1)
        void answers(int length) {}
    }

    @LatencyBudget(promptTokens = 8, ttftMs = 1)
    static class MixedTemplates {
        @Test
        void gate() {}

        @RepeatedTest(2)
        @InferenceTarget("model")
        void answers() {}

        @Nested
        class Inside {
            @TestFactory
            Stream<DynamicTest> answers() {
                return Stream.empty();
            }
        }
    }

    @ChatSla
    static class Empty {}

    interface Sla {
        @LatencyBudget(promptTokens = 8, ttftMs = 1)
        void answers();
    }

    static class Implementing implements Sla {
        @Test
        @Override
        public void answers() {}
    }

    @RunBudget(maxDeviceMemoryGiB = 1)
    abstract static class Base {}

    static class Extending extends Base {
        void helper() {}
    }

    @InferenceTarget("model")
    static class TargetAlone {
        @Test
        void noGate() {}

        @Nested
        class Inside {
            @Test
            void noGateEither() {}
        }
    }

    @WaivedLimit(attribute = "ttftMs", owner = "a", reason = "b", remediation = "https://c", expires = "2999-01-01")
    static class WaiverAlone {
        @Test
        void noGate() {}
    }

    static class OfJUnit4 {
        @ChatSla
        public void testAnswers() {}
    }

    static final List<Arguments> MISPLACED = List.of(
            arguments(
                    Forgotten.class,
                    List.of("@LatencyBudget on Forgotten.answers: the method is no @Test of JUnit Jupiter; add @Test")),
            arguments(
                    Twice.class,
                    List.of("@LatencyBudget on Twice.answers: the method is no @Test of JUnit Jupiter; add @Test")),
            arguments(
                    Composed.class,
                    List.of("@LatencyBudget on Composed.answers: the method is no @Test of JUnit Jupiter; add @Test")),
            arguments(
                    OnSetUp.class,
                    List.of(
                            "@GoodputBudget on OnSetUp.setUp: a @BeforeEach method is no test; put it on a @Test method",
                            "@InferenceTarget on OnSetUp.setUpAll: a @BeforeAll method is no test; put it on a @Test method")),
            arguments(
                    Companions.class,
                    List.of(
                            "@OpenLoop on Companions.answers: the method is no @Test of JUnit Jupiter; add @Test",
                            "@PromptWorkload on Companions.alsoAnswers: the method is no @Test of JUnit Jupiter; add @Test")),
            arguments(
                    Ignored.class,
                    List.of(
                            "@LatencyBudget on Ignored.hidden: JUnit runs no private @Test; remove `private`",
                            "@LatencyBudget on Ignored.withoutAnObject: JUnit runs no static @Test; remove `static`",
                            "@LatencyBudget on Ignored.withAResult: JUnit runs no @Test that returns a value; let it return `void`",
                            "@LatencyBudget on Ignored.hiddenTemplate: JUnit runs no private @RepeatedTest; remove `private`")),
            arguments(Hidden.class, List.of("@LatencyBudget on Hidden: JUnit runs no private class; remove `private`")),
            arguments(
                    Around.class,
                    List.of(
                            "@LatencyBudget on Inner: JUnit runs an inner class only with @Nested; add it",
                            "@LatencyBudget on Static: JUnit runs no static class as a @Nested one; remove `static`",
                            "@LatencyBudget on HiddenToo: JUnit runs no private class; remove `private`")),
            arguments(
                    AroundPolicies.class,
                    List.of(
                            "@LatencyPolicies on Policies: build tools select no inner class, so its policies are not run; put it on a class that is no inner one")),
            arguments(
                    Templates.class,
                    List.of(
                            "@LatencyBudget on Templates: it does not measure Templates.answers, which is a @ParameterizedTest"
                                    + PLAIN)),
            arguments(
                    MixedTemplates.class,
                    List.of(
                            "@LatencyBudget on MixedTemplates: it does not measure MixedTemplates.answers, which is a @RepeatedTest"
                                    + PLAIN,
                            "@LatencyBudget on MixedTemplates: it does not measure Inside.answers, which is a @TestFactory"
                                    + PLAIN)),
            arguments(Empty.class, List.of("@LatencyBudget on Empty: it" + NO_TEST)),
            arguments(
                    Implementing.class,
                    List.of(
                            "@LatencyBudget on Implementing.answers: JUnit takes no annotation from an abstract method; put it on the one that implements it")),
            arguments(Extending.class, List.of("@RunBudget on Base: Extending" + NO_TEST)),
            arguments(TargetAlone.class, List.of("@InferenceTarget on TargetAlone" + NO_BUDGET)),
            arguments(WaiverAlone.class, List.of("@WaivedLimit on WaiverAlone" + NO_BUDGET)),
            arguments(
                    OfJUnit4.class,
                    List.of(
                            "@LatencyBudget on OfJUnit4.testAnswers: the method is no @Test of JUnit Jupiter; add @Test")));

    @ParameterizedTest
    @FieldSource("MISPLACED")
    void isNamedWithWhatToDo(Class<?> type, List<String> messages) {
        assertThat(messages(type)).containsExactlyInAnyOrderElementsOf(messages);
        assertThat(Placement.in(type))
                .as("found again by its class")
                .allSatisfy(m -> assertThat(Placement.of(m.type().getName())).contains(m));
    }

    private static List<String> messages(Class<?> type) {
        return Placement.in(type).stream().map(Misplaced::message).toList();
    }

    static class NoneOfOurs {
        void helper() {}

        @Test
        void test() {}
    }

    @InferenceTarget("model")
    static class Gates {
        @Test
        @LatencyBudget(promptTokens = 8, ttftMs = 1)
        void gate() {}

        @Test
        void noGate() {}

        @ParameterizedTest
        @ValueSource(ints = 1)
        void template(int length) {}

        static class Fixture {
            @ChatSla
            void isSelectedByItself() {}
        }
    }

    @InferenceTarget("model")
    static class GatesOfNested {
        @Nested
        class Inside {
            @Test
            @LatencyBudget(promptTokens = 8, ttftMs = 1)
            void gate() {}
        }

        @Nested
        class WithoutGate {
            @Test
            void test() {}
        }
    }

    @InferenceTarget("model")
    @OpenLoop(requestsPerSecond = 1)
    abstract static class BaseOfAll {
        @Test
        @ChatSla
        void gate() {}

        abstract void prepare();
    }

    static class OneOfThem extends BaseOfAll {
        @Override
        void prepare() {}
    }

    @InferenceTarget("model")
    interface OnAGpu {}

    static class Functional implements OnAGpu {
        @Test
        void noGate() {}
    }

    static class ImplementingWithItsOwn implements Sla {
        @Test
        @ChatSla
        @Override
        public void answers() {}
    }

    static class RefusedByItself {
        @ParameterizedTest
        @ValueSource(ints = 1)
        @LatencyBudget(promptTokens = 8, ttftMs = 1)
        void template(int length) {}

        @TestFactory
        @LatencyBudget(promptTokens = 8, ttftMs = 1)
        Stream<DynamicTest> factory() {
            return Stream.empty();
        }

        @Test
        @OpenLoop(requestsPerSecond = 1)
        void withoutBudget() {}
    }

    @Disabled("not yet")
    static class DisabledAsAWhole {
        @LatencyBudget(promptTokens = 8, ttftMs = 1)
        void answers() {}
    }

    static class DisabledMethod {
        @Disabled("not yet")
        @LatencyBudget(promptTokens = 8, ttftMs = 1)
        void answers() {}
    }

    @LatencyPolicies
    static class PoliciesAndTests {
        @Test
        void test() {}
    }

    static Stream<Class<?>> right() {
        return Stream.of(
                NoneOfOurs.class,
                Gates.class,
                GatesOfNested.class,
                BaseOfAll.class,
                OneOfThem.class,
                OnAGpu.class,
                Functional.class,
                ImplementingWithItsOwn.class,
                RefusedByItself.class,
                DisabledAsAWhole.class,
                DisabledMethod.class,
                PoliciesAndTests.class,
                ChatSla.class);
    }

    @ParameterizedTest
    @MethodSource("right")
    void saysNothingOfWhatMeasuresOrIsRefusedByItsGate(Class<?> type) {
        assertThat(messages(type)).isEmpty();
    }

    static class Parameter {}

    static class NeedsAClass {
        @LatencyBudget(promptTokens = 8, ttftMs = 1)
        void answers(Parameter parameter) {}
    }

    /** Jupiter reports such a class itself, if it runs it. */
    @Test
    void skipsAClassThatNeedsAMissingOne() throws ClassNotFoundException {
        Class<?> incomplete = new WithoutParameter().loadClass(NeedsAClass.class.getName());
        assertThatThrownBy(incomplete::getDeclaredMethods).isInstanceOf(NoClassDefFoundError.class);

        assertThat(Placement.in(NeedsAClass.class)).hasSize(1);
        assertThat(Placement.in(incomplete)).isEmpty();
    }

    /** As if an optional dependency were not on the class path. */
    private static final class WithoutParameter extends ClassLoader {

        WithoutParameter() {
            super(PlacementTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals(Parameter.class.getName())) {
                throw new ClassNotFoundException(name);
            }
            if (!name.equals(NeedsAClass.class.getName())) {
                return super.loadClass(name, resolve);
            }
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
