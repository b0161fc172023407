package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.inference.Conversation;
import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Message;
import io.github.latencybudget.inference.Message.Role;
import io.github.latencybudget.inference.Said;
import io.github.latencybudget.inference.Turn;
import io.github.latencybudget.trace.Sampling;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LlamaConversationTest {

    private static Turn turn(Said said) {
        return new Turn(said, 4, true, Sampling.GREEDY, 3);
    }

    private static int run(Conversation conversation, Said said) throws Exception {
        Generation generation = conversation.prepare(turn(said));
        List<Integer> tokens = new ArrayList<>();
        generation.run(() -> tokens.add(1));
        assertThat(tokens).hasSize(4);
        return generation.promptTokens();
    }

    /** What is sent is held against ids of one prompt that was put together otherwise. */
    @Test
    void aTurnIsSentWithTheIdsBeforeIt() throws Exception {
        List<long[]> sent = new ArrayList<>();
        Prompts prompts = new Prompts(1, 2048, Set.of(2), 42);
        LlamaConversation conversation = new LlamaConversation(
                (prompt, turn, token) -> {
                    sent.add(prompt);
                    token.accept(77);
                    token.accept(78);
                    return null;
                },
                prompts,
                new TextIds(
                        () -> {
                            throw new AssertionError("no text was sent");
                        },
                        1,
                        2));

        conversation.prepare(turn(new Said.Tokens(5)));
        conversation.prepare(turn(new Said.Tokens(2)));

        assertThat(sent.get(0)).containsExactly(prompts.prompt(5, 3));
        assertThat(sent.get(1)).startsWith(prompts.prompt(5, 3)).hasSize(9).containsSequence(77, 78);
        assertThat(sent.get(1)[7]).isEqualTo(prompts.prompt(3, 3)[1]);
    }

    @Test
    void theModelIsSentAllOfIt() throws Exception {
        try (LlamaSession session = Models.open("synthetic:tiny")) {
            Conversation conversation = session.converse();

            assertThat(run(conversation, new Said.Tokens(16))).isEqualTo(16);
            assertThat(run(conversation, new Said.Tokens(8))).isEqualTo(16 + 4 + 8);
        }
    }

    @Test
    void aTurnThatOutgrowsTheContextIsAFailedRequest() throws Exception {
        try (LlamaSession session = Models.open("synthetic:tiny")) {
            int context = session.config().context();
            Conversation conversation = session.converse();
            run(conversation, new Said.Tokens(16));

            Generation next = conversation.prepare(turn(new Said.Tokens(context)));

            assertThat(next.promptTokens()).isEqualTo(16 + 4 + context);
            assertThatThrownBy(() -> next.run(() -> {}))
                    .isInstanceOf(MeasurementException.class)
                    .hasMessage(
                            "a prompt of %d and an output of 4 tokens exceed the context of %s, %d tokens: ask for less",
                            20 + context, session.config().name(), context);
        }
    }

    @Test
    void withoutAnAnswerThereIsNoNextTurn() {
        try (LlamaSession session = Models.open("synthetic:tiny")) {
            Conversation conversation = session.converse();
            conversation.prepare(turn(new Said.Tokens(16)));

            assertThatThrownBy(() -> conversation.prepare(turn(new Said.Tokens(8))))
                    .isInstanceOf(MeasurementException.class)
                    .hasMessage(
                            "the turn before has no answer, so there is nothing to go on with: begin another conversation");
        }
    }

    @Test
    void aTextNeedsATokenizer() {
        try (LlamaSession session = Models.open("synthetic:tiny")) {
            assertThatThrownBy(() -> session.converse().prepare(turn(new Said.Text("a text"))))
                    .isInstanceOf(MeasurementException.class)
                    .hasMessage(
                            "a text has to be turned into the model's tokens, and there is no tokenizer.json: use prompts of token counts, or a model that has one");
        }
    }

    @Test
    void messagesAreInTheTemplateOfTheChatModels() {
        TokenizerFile file = TokenizerFile.open(Models.stories(), ConfigFile.read(Models.stories()))
                .orElseThrow();
        TorchEngine.quieten();
        try (LlamaTokenizer tokenizer = file.load()) {
            TextIds texts = new TextIds(() -> tokenizer, 1, 2);

            long[] chat = texts.chat(
                    List.of(
                            new Message(Role.SYSTEM, "be short"),
                            new Message(Role.USER, "Once"),
                            new Message(Role.ASSISTANT, " upon"),
                            new Message(Role.USER, "a time")),
                    true);

            assertThat(chat).startsWith(1).containsSequence(2, 1);
            assertThat(tokenizer.decode(chat))
                    .isEqualTo(tokenizer.decode(joined(
                            texts.further("[INST] <<SYS>>\nbe short\n<</SYS>>\n\nOnce [/INST]"),
                            texts.further(" upon"),
                            texts.further("[INST] a time [/INST]"))));
            assertThat(texts.chat(List.of(new Message(Role.USER, "more")), false))
                    .startsWith(2, 1);
            assertThat(texts.first("Once")).startsWith(1).hasSize(1 + texts.further("Once").length);
        }
    }

    private static long[] joined(long[]... parts) {
        return List.of(parts).stream().flatMapToLong(LongStream::of).toArray();
    }
}
