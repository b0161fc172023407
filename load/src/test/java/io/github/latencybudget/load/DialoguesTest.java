package io.github.latencybudget.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.inference.Said;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class DialoguesTest {

    private static Dialogue of(int... tokens) {
        return new Dialogue(IntStream.of(tokens)
                .mapToObj(t -> new Dialogue.Turn(new Said.Tokens(t), OptionalInt.empty()))
                .toList());
    }

    private static int tokens(Dialogues dialogues, int number) {
        return dialogues
                .next(number)
                .map(d -> ((Said.Tokens) d.turn().said()).tokens())
                .orElse(0);
    }

    private static TokenTrace completed(int number) {
        return new TokenTrace(number, 8, 1, 0, new long[] {9}, Outcome.COMPLETED, null);
    }

    private static TokenTrace failed(int number) {
        return new TokenTrace(number, 8, 1, 0, new long[0], Outcome.FAILED, "broke");
    }

    @Test
    void aUserWaitsForTheAnswerAndGoesOnBeforeAnotherBegins() {
        Dialogues dialogues = new Dialogues(List.of(of(11, 12, 13), of(21, 22), of(31)));

        assertThat(tokens(dialogues, 0)).isEqualTo(11);
        assertThat(tokens(dialogues, 1)).isEqualTo(21);
        dialogues.done(completed(1));
        assertThat(tokens(dialogues, 2)).isEqualTo(22);
        dialogues.done(completed(0));
        assertThat(tokens(dialogues, 3)).isEqualTo(12);
        dialogues.done(completed(2));
        assertThat(tokens(dialogues, 4)).isEqualTo(31);
        assertThat(tokens(dialogues, 5))
                .as("all are said, or wait for an answer")
                .isZero();
        dialogues.done(completed(3));
        assertThat(tokens(dialogues, 6)).isEqualTo(13);
    }

    @Test
    void withoutAnAnswerAConversationEnds() {
        Dialogues dialogues = new Dialogues(List.of(of(11, 12), of(21)));

        tokens(dialogues, 0);
        dialogues.done(failed(0));

        assertThat(tokens(dialogues, 1)).isEqualTo(21);
        assertThat(tokens(dialogues, 2)).isZero();
    }

    @Test
    void lengthsThatStandForAFileAreOfItsShortestMiddleAndLongest() {
        List<Said> sent = new ArrayList<>();
        Prompts.FromFile made = prompts(of(16), of(8), of(512), of(64), of(100, 50));

        assertThat(new FileLengths(made, said -> 0, 10).find()).isEqualTo(new TreeSet<>(List.of(8, 64, 512)));
        assertThat(new FileLengths(prompts(of(100, 50)), said -> 0, 10).find())
                .as("the second turn has the first and its answer before it")
                .isEqualTo(new TreeSet<>(List.of(100, 160)));
        Dialogue text = new Dialogue(List.of(new Dialogue.Turn(new Said.Text("a text"), OptionalInt.empty())));
        new FileLengths(prompts(text), said -> sent.add(said) ? 7 : 0, 10).find();
        assertThat(sent).contains(new Said.Text("Warm-up. a text")).doesNotContain(new Said.Text("a text"));
    }

    private static Prompts.FromFile prompts(Dialogue... dialogues) {
        return new Prompts.FromFile(
                new io.github.latencybudget.trace.PromptFile("f", "0", dialogues.length, 0, 0, 2), List.of(dialogues));
    }
}
