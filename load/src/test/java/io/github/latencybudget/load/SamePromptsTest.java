package io.github.latencybudget.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.inference.Conversation;
import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Said;
import io.github.latencybudget.inference.TargetDescription;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenSink;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SamePromptsTest {

    private final AtomicInteger discarded = new AtomicInteger();

    @Test
    void aTextOfAsManyTokensIsThePrompt() {
        Generation generation = new SamePrompts(new Words(), new Words()).prepare(request(4, 7));

        assertThat(generation.promptTokens()).isEqualTo(4);
    }

    @Test
    void aTextOfAnotherLengthSaysWhatToDoAndIsGivenBack() {
        assertThatThrownBy(() -> new SamePrompts(new Words(), new Words()).prepare(request(5, 7)))
                .isInstanceOf(MeasurementException.class)
                .hasMessage(
                        "promptTokens = 5: the text that the other target makes of it has 4 tokens by the count of words: name a model with the same tokenizer, and where a chat template adds tokens there, the option api=completions; or let both have prompts of their own, of the same lengths");
        assertThat(discarded).hasValue(1);
    }

    /** One that it leaves to the interface would be answered by the default and not by the session. */
    @Test
    void itHasEveryMethodOfASession() {
        assertThat(Arrays.stream(TargetSession.class.getDeclaredMethods()).filter(m -> !m.isSynthetic()))
                .isNotEmpty()
                .allSatisfy(SamePromptsTest::requireOwn);
    }

    private static void requireOwn(Method method) {
        assertThat(Arrays.stream(SamePrompts.class.getDeclaredMethods())
                        .anyMatch(m -> m.getName().equals(method.getName())
                                && Arrays.equals(m.getParameterTypes(), method.getParameterTypes())))
                .as(method.toString())
                .isTrue();
    }

    private static GenerationRequest request(int promptTokens, long number) {
        return new GenerationRequest(promptTokens, 2, true, Sampling.GREEDY, number);
    }

    /** Has one text for all its prompts, and takes each word for a token. */
    private final class Words implements TargetSession {

        @Override
        public Optional<String> promptText(GenerationRequest request) {
            return Optional.of("one text for all");
        }

        @Override
        public Conversation converse() {
            return turn -> new Generation() {
                @Override
                public int promptTokens() {
                    return ((Said.Text) turn.said()).text().split(" ").length;
                }

                @Override
                public void run(TokenSink sink) {}

                @Override
                public void discard() {
                    discarded.incrementAndGet();
                }
            };
        }

        @Override
        public TargetDescription description() {
            return new TargetDescription("words", "none", "fp32", "fake device", "cpu", 4096, new TreeMap<>());
        }

        @Override
        public Generation prepare(GenerationRequest request) {
            throw new AssertionError("its own prompts are not asked for");
        }

        @Override
        public OptionalLong deviceMemoryBytes() {
            return OptionalLong.empty();
        }

        @Override
        public void close() {}
    }
}
