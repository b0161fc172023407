package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** Case 28 and its kind: every way to put a budget on a test is found, and the closest element wins as a whole. */
class GateTest {

    @Retention(RetentionPolicy.RUNTIME)
    @Test
    @LatencyBudget(promptTokens = 64, ttftMs = 1)
    @InferenceTarget(model = "composed")
    @interface ChatSla {}

    @LatencyBudget(promptTokens = 1, ttftMs = 1)
    @InferenceTarget(model = "class")
    static class Parent {
        @Test
        void fromTheClass() {}

        @Test
        @LatencyBudget(promptTokens = 2, ttftMs = 1)
        void ofItsOwn() {}

        @Test
        @LatencyBudget(promptTokens = 2, ttftMs = 1)
        @LatencyBudget(promptTokens = 3, ttftMs = 1)
        void two() {}

        @ChatSla
        void composed() {}

        @Test
        @ThroughputBudget(
                promptTokens = 4,
                concurrency = 1,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 1,
                minDecodeTgs = 1)
        void throughputOnly() {}

        void noTest() {}

        @ParameterizedTest
        void template() {}

        @Nested
        class Inner {
            @Test
            void fromTheEnclosingClass() {}

            @Nested
            @LatencyBudget(promptTokens = 5, ttftMs = 1)
            class Innermost {
                @Test
                void fromTheNestedClass() {}
            }
        }
    }

    static class Child extends Parent {}

    @LatencyBudget(promptTokens = 6, ttftMs = 1)
    static class OtherChild extends Parent {
        @Override
        void fromTheClass() {}
    }

    static class NoBudget {
        @Test
        void test() {}
    }

    static class StaticInside {
        @LatencyBudget(promptTokens = 7, ttftMs = 1)
        static class Around {
            static class NotNested {
                @Test
                void test() {}
            }
        }
    }

    @Test
    void aBudgetOnTheMethodWinsOverTheClassAsAWhole() {
        assertThat(lengths(Parent.class, "ofItsOwn")).containsExactly(2);
        assertThat(lengths(Parent.class, "throughputOnly")).isEmpty();
        assertThat(find(Parent.class, "throughputOnly").orElseThrow().throughput())
                .isPresent();
    }

    @Test
    void aRepeatedBudgetIsFoundAsAWhole() {
        assertThat(lengths(Parent.class, "two")).containsExactly(2, 3);
    }

    @Test
    void aBudgetOnTheClassHoldsForItsTests() {
        assertThat(lengths(Parent.class, "fromTheClass")).containsExactly(1);
    }

    @Test
    void aComposedAnnotationBringsBudgetAndTarget() {
        assertThat(lengths(Parent.class, "composed")).containsExactly(64);
        assertThat(find(Parent.class, "composed")
                        .orElseThrow()
                        .target()
                        .orElseThrow()
                        .model())
                .isEqualTo("composed");
    }

    @Test
    void aBudgetIsInherited() {
        assertThat(lengths(Child.class, "fromTheClass")).containsExactly(1);
        assertThat(lengths(OtherChild.class, "ofItsOwn")).containsExactly(2);
    }

    @Test
    void aSubclassWithABudgetTakesNothingFromItsSuperclass() {
        assertThat(find(OtherChild.class, "two")).isPresent();
        assertThat(lengths(OtherChild.class, "composed")).containsExactly(64);
        // The overriding method carries no @Test, so it is none, whatever its class says.
        assertThat(find(OtherChild.class, "fromTheClass")).isEmpty();
    }

    @Test
    void aNestedClassTakesTheBudgetOfTheClassAroundIt() {
        assertThat(lengths(Parent.Inner.class, "fromTheEnclosingClass")).containsExactly(1);
        assertThat(lengths(Parent.Inner.Innermost.class, "fromTheNestedClass")).containsExactly(5);
        assertThat(find(Parent.Inner.Innermost.class, "fromTheNestedClass")
                        .orElseThrow()
                        .target()
                        .orElseThrow()
                        .model())
                .isEqualTo("class");
    }

    @Test
    void aStaticClassInsideAnotherTakesNothing() {
        assertThat(find(StaticInside.Around.NotNested.class, "test")).isEmpty();
    }

    @Test
    void whatIsNoPlainTestOrHasNoBudgetIsNoGate() {
        assertThat(find(Parent.class, "noTest")).isEmpty();
        assertThat(find(Parent.class, "template")).isEmpty();
        assertThat(find(NoBudget.class, "test")).isEmpty();
    }

    private static List<Integer> lengths(Class<?> testClass, String method) {
        return find(testClass, method).orElseThrow().latency().stream()
                .map(LatencyBudget::promptTokens)
                .toList();
    }

    private static Optional<Gate> find(Class<?> testClass, String name) {
        for (Class<?> c = testClass; c != null; c = c.getSuperclass()) {
            Optional<Method> method = Arrays.stream(c.getDeclaredMethods())
                    .filter(m -> m.getName().equals(name))
                    .findFirst();
            if (method.isPresent()) {
                return Gate.find(testClass, method.get());
            }
        }
        throw new AssertionError(name);
    }
}
