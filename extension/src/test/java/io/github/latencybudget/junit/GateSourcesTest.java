package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.latencybudget.budget.Status;
import io.github.latencybudget.inference.FakeTarget;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Budgets from interfaces, from several annotations at once, and in classes that are templates. */
class GateSourcesTest {

    @TempDir
    Path output;

    @LatencyBudget(promptTokens = 1, ttftMs = 1)
    @InferenceTarget(model = "interface")
    interface Sla {
        @Test
        default void fromTheInterface() {}

        @Test
        @LatencyBudget(promptTokens = 2, ttftMs = 1)
        default void ofItsOwn() {}
    }

    interface SpecialSla extends Sla {}

    @LatencyBudget(promptTokens = 3, ttftMs = 1)
    static class Parent {}

    static class Child extends Parent implements SpecialSla {}

    @LatencyBudget(promptTokens = 4, ttftMs = 1)
    static class WithItsOwn implements Sla {}

    @Test
    void aBudgetOnAnInterfaceIsCloserThanOneOnTheSuperclass() throws NoSuchMethodException {
        assertThat(lengths(Child.class, "fromTheInterface")).containsExactly(1);
        assertThat(lengths(Child.class, "ofItsOwn")).containsExactly(2);
        assertThat(find(Child.class, "fromTheInterface").target().orElseThrow().model())
                .isEqualTo("interface");
    }

    @Test
    void aClassWithABudgetTakesNoneFromItsInterface() throws NoSuchMethodException {
        assertThat(lengths(WithItsOwn.class, "fromTheInterface")).containsExactly(4);
    }

    @Retention(RetentionPolicy.RUNTIME)
    @ThroughputBudget(
            promptTokens = 8,
            outputTokens = 11,
            concurrency = 1,
            temperature = 0,
            topP = 1,
            maxDeviceMemoryGiB = 2,
            minDecodeTgs = 100)
    @interface HoldsItsRate {}

    @Retention(RetentionPolicy.RUNTIME)
    @ThroughputBudget(
            promptTokens = 8,
            outputTokens = 11,
            concurrency = 1,
            temperature = 0,
            topP = 1,
            maxDeviceMemoryGiB = 2,
            minRequestTgs = 1000)
    @interface BreaksItsRate {}

    @InferenceTarget(
            model = "fake",
            target = FakeTarget.class,
            options = {"itlMs=10", "memoryGiB=2"})
    static class TwoRates {
        @Test
        @HoldsItsRate
        @BreaksItsRate
        void gate() {}
    }

    @Test
    void ofTwoThroughputBudgetsBothAreJudged() {
        Gates gates = new Gates(output);

        gates.run(TwoRates.class).testEvents().assertStatistics(s -> s.failed(1));

        assertThat(gates.records())
                .singleElement()
                .satisfies(r -> assertThat(r.judgement().rules())
                        .extracting(rule -> rule.status())
                        .containsExactly(Status.PASS, Status.BREACH));
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class RatesOfOtherLengths {
        @Test
        @HoldsItsRate
        @ThroughputBudget(
                promptTokens = {8, 9},
                outputTokens = 11,
                concurrency = 1,
                temperature = 0,
                topP = 1,
                maxDeviceMemoryGiB = 2,
                minDecodeTgs = 100)
        void gate() {}
    }

    @Test
    void throughputBudgetsOfOtherLengthsAreRefused() {
        assertThat(new Gates(output).failure(RatesOfOtherLengths.class))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessageStartingWith(
                        "@ThroughputBudget on RatesOfOtherLengths.gate: `promptTokens = [8]` is not allowed;")
                .hasMessageContaining("name [8, 9] here");
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    @ParameterizedClass
    @ValueSource(ints = {1, 2})
    record Template(int parameter) {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() {}
    }

    /** Its second invocation would look like a rerun of the first, and hide what that has shown. */
    @Test
    void aGateInAClassTemplateIsRefused() {
        Gates gates = new Gates(output);

        assertThat(gates.failure(Template.class))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessageStartingWith("@LatencyBudget on Template.gate: a gate is a plain @Test;");
        assertThat(gates.records()).isEmpty();
    }

    @ParameterizedClass
    @ValueSource(ints = {1, 2})
    static class Around {
        @Nested
        class Inner {
            @Test
            @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
            void gate() {}
        }
    }

    @Test
    void aGateInANestedClassOfATemplateIsRefusedToo() {
        assertThat(catchThrowable(() -> find(Around.Inner.class, "gate")))
                .isInstanceOf(ExtensionConfigurationException.class);
    }

    private static List<Integer> lengths(Class<?> testClass, String method) throws NoSuchMethodException {
        return find(testClass, method).latency().stream()
                .map(LatencyBudget::promptTokens)
                .toList();
    }

    private static Gate find(Class<?> testClass, String name) throws NoSuchMethodException {
        Method method = Arrays.stream(testClass.getMethods())
                .filter(m -> m.getName().equals(name))
                .findFirst()
                .orElse(null);
        return Gate.find(testClass, method == null ? testClass.getDeclaredMethod(name) : method)
                .orElseThrow();
    }
}
