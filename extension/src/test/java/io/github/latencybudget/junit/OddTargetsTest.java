package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.Target;
import io.github.latencybudget.inference.TargetDescription;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.inference.TargetSpec;
import io.github.latencybudget.trace.NanoClock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Targets that do not keep their contract: a gate on them does not pass, and says whose fault it is. */
class OddTargetsTest {

    @TempDir
    Path output;

    /** The fake target, of whose session one method does something else. */
    public static final class OddTarget implements Target {

        private static final Map<String, Callable<?>> ODD = Map.of(
                "description", () -> null,
                "prepare", () -> null,
                "clock", () -> (NanoClock) null,
                "deviceMemoryBytes", () -> OptionalLong.of(-1),
                "close",
                        () -> {
                            throw new IllegalStateException("closing failed");
                        });

        @Override
        public TargetSession open(TargetSpec spec, Progress progress) {
            TargetSession session = new FakeTarget().open(spec, progress);
            return (TargetSession) Proxy.newProxyInstance(
                    OddTarget.class.getClassLoader(),
                    new Class<?>[] {TargetSession.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals(spec.model())) {
                            return ODD.get(spec.model()).call();
                        }
                        try {
                            return method.invoke(session, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }
    }

    @InferenceTarget(target = OddTarget.class)
    static class Odd {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() {}
    }

    @ParameterizedTest
    @CsvSource({
        "description, TargetDescription",
        "prepare, Generation",
        "clock, NanoClock",
        "deviceMemoryBytes, peakDeviceMemoryBytes = 0: must be at least 1",
    })
    void whatTheTargetMustNotGiveIsItsOwnFault(String method, String named) {
        Gates gates = new Gates(output).with("latencybudget.model", method);

        assertThat(gates.failure(Odd.class))
                .isInstanceOf(MeasurementException.class)
                .hasMessageStartingWith("the target broke off outside a request (")
                .hasMessageContaining(named)
                .hasMessageContaining("as TargetSession and Generation say");
        assertThat(gates.records())
                .singleElement()
                .satisfies(r -> assertThat(r.error()).contains(named));
    }

    @Test
    void aTargetThatCannotBeClosedTakesNoResultAway() {
        Gates gates = new Gates(output).with("latencybudget.model", "close");

        gates.run(Odd.class).testEvents().assertStatistics(s -> s.succeeded(1));
        assertThat(gates.records())
                .singleElement()
                .satisfies(r -> assertThat(r.judgement()).isNotNull());
    }

    @Test
    void aDescriptionHasNoHoles() {
        org.assertj.core.api.Assertions.assertThatThrownBy(
                        () -> new TargetDescription("m", "w", null, "d", "cpu", 9, new TreeMap<>()))
                .hasMessage("dtype");
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class Talkative {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 10)
        void gate() {}
    }

    /** Case 14, for what is no exception. */
    @Test
    void anErrorInARequestIsAFailedRequest() {
        Gates gates = new Gates(output).with("latencybudget.options", "failEvery=10,error=no more memory");

        assertThat(gates.failure(Talkative.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("7 of 71 requests did not complete: 7 x FAILED: no more memory");
        assertThat(gates.records())
                .singleElement()
                .satisfies(r -> assertThat(r.measurement().requests()).hasSize(71));
    }

    @Test
    void aLongReasonWithControlCharactersIsCutToASentence() {
        String reason = "a\u001b[31m\nb " + "y".repeat(100_000);
        Throwable failure = new Gates(output)
                .with("latencybudget.options", "failEvery=10,failure=" + reason)
                .failure(Talkative.class);

        assertThat(failure)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("7 x FAILED: a\\u001B[31m b yyy")
                .hasMessageContaining("... (100009 characters)");
        assertThat(failure.getMessage()).hasSizeLessThan(5000);
    }
}
