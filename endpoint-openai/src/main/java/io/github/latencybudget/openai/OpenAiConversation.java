package io.github.latencybudget.openai;

import io.github.latencybudget.inference.Conversation;
import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Message;
import io.github.latencybudget.inference.Said;
import io.github.latencybudget.inference.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A conversation with a server, which is sent all of it in each turn. How long the prompt is, the server says with the answer. By
 * the completions API, which knows no messages, their texts are sent one after the other, each on a line of its own. Reasoning is no
 * part of what was said: the clients of a chat API do not send it back, and chat templates leave that of earlier turns out.
 */
final class OpenAiConversation implements Conversation {

    private final Requests requests;
    private final Words words;
    private final List<Message> history = new ArrayList<>();
    private boolean isAnswered = true;
    private boolean isAnswerKnown = true;

    /** Makes a request whose prompt the server counts. */
    interface Requests {
        Generation of(GenerationRequest request, List<Message> messages, Consumer<Optional<String>> answered);
    }

    /** Makes a prompt of an exact number of tokens. */
    interface Words {
        String of(int tokens, long number) throws Http.Failure, InterruptedException;
    }

    OpenAiConversation(Requests requests, Words words) {
        this.requests = requests;
        this.words = words;
    }

    @Override
    public Generation prepare(Turn turn) {
        if (!isAnswered) {
            throw new MeasurementException(
                    "the turn before has no answer, so there is nothing to go on with: begin another conversation");
        }
        if (!isAnswerKnown) {
            return new Unsent(
                    0,
                    "the text of the answer before is not known (it has a tool call), so this turn cannot be sent with it; leave tools out of what is sent, or measure single prompts");
        }
        history.addAll(messages(turn));
        isAnswered = false;
        // The length is not declared, but counted by the server.
        GenerationRequest request =
                new GenerationRequest(0, turn.outputTokens(), turn.ignoreEos(), turn.sampling(), turn.promptNumber());
        return requests.of(request, List.copyOf(history), this::answered);
    }

    private void answered(Optional<String> text) {
        text.ifPresent(t -> history.add(new Message(Message.Role.ASSISTANT, t)));
        isAnswerKnown = text.isPresent();
        isAnswered = true;
    }

    private List<Message> messages(Turn turn) {
        if (turn.said() instanceof Said.Messages said) {
            return said.messages();
        }
        return List.of(new Message(
                Message.Role.USER,
                turn.said() instanceof Said.Text text
                        ? text.text()
                        : made(((Said.Tokens) turn.said()).tokens(), turn.promptNumber())));
    }

    private String made(int tokens, long number) {
        try {
            return words.of(tokens, number);
        } catch (Http.Failure e) {
            throw new MeasurementException(String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MeasurementException("interrupted while a prompt was made", e);
        }
    }
}
