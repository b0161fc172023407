package io.github.latencybudget.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.TargetDescription;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenSink;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A target that tells a request's last token only when the next one runs. */
class LateTokensTest {

    private static final class LateSession implements TargetSession {

        private @Nullable TokenSink before;

        @Override
        public TargetDescription description() {
            return new TargetDescription("late", "none", "fp32", "fake device", "cpu", 4096, new TreeMap<>());
        }

        @Override
        public Generation prepare(GenerationRequest request) {
            return new Generation() {
                @Override
                public int promptTokens() {
                    return request.promptTokens();
                }

                @Override
                public void run(TokenSink sink) {
                    int tokens = request.outputTokens();
                    if (before != null) {
                        before.token();
                        tokens--;
                    }
                    before = sink;
                    for (int i = 0; i < tokens; i++) {
                        sink.token();
                    }
                }
            };
        }

        @Override
        public OptionalLong deviceMemoryBytes() {
            return OptionalLong.empty();
        }

        @Override
        public void close() {}
    }

    private static LoadDriver loop(TargetSession session, int outputTokens, int concurrency) {
        Scenario scenario = new Scenario(
                new TreeSet<>(List.of(8)),
                concurrency,
                outputTokens,
                Sampling.GREEDY,
                concurrency,
                new WarmUpPlan(1_000_000, 0, 3));
        return new LoadDriver(session, scenario, Progress.NONE);
    }

    @Test
    void aTokenThatIsToldTooLateIsNotTheFirstOfTheNextRequest() {
        assertThatExceptionOfType(MeasurementException.class)
                .isThrownBy(() -> loop(new LateSession(), 8, 1).run())
                .withMessage(
                        "the warm-up with a prompt of 8 tokens did not complete (FAILED): a token came after its request had ended: Generation.run returns once the last one was told");
    }

    @Test
    void memoryForTheRequestsIsTakenOnlyOnceTheTargetCanHaveThem() {
        assertThatExceptionOfType(MeasurementException.class)
                .isThrownBy(() -> loop(new LateSession(), 8, Integer.MAX_VALUE).run())
                .withMessageStartingWith("concurrency = 2147483647: this target can have at most 1 request in flight");
    }

    @Test
    void whetherAnOutputIsTooLongIsForTheTargetToSay() {
        ScriptedSession session = new ScriptedSession(
                1,
                p -> {
                    if (p == 3) {
                        throw new MeasurementException("too long");
                    }
                },
                p -> {});

        assertThatExceptionOfType(MeasurementException.class)
                .isThrownBy(() -> loop(session, Integer.MAX_VALUE, 1).run())
                .withMessage("too long");
        assertThat(session.prepares).hasValue(4);
    }
}
