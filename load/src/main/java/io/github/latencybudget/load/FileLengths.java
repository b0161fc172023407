package io.github.latencybudget.load;

import io.github.latencybudget.inference.Message;
import io.github.latencybudget.inference.Said;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/**
 * Finds prompt lengths to warm up that stand for those of a file: of the beginning of its shortest conversation and of one in the
 * middle, and of all of its longest. How long a text is in tokens the target says; it is sent for that with other words in front,
 * so that no prefix cache has the text itself.
 *
 * @param count sends something and says how many tokens its prompt had
 * @param outputTokens how many tokens an answer has that does not say it
 */
record FileLengths(Prompts.FromFile prompts, ToIntFunction<Said> count, int outputTokens) {

    private static final String OTHER_WORDS = "Warm-up. ";

    SortedSet<Integer> find() {
        List<Dialogue> bySize = prompts.dialogues().stream()
                .sorted(Comparator.comparingLong(FileLengths::size))
                .toList();
        SortedSet<Integer> lengths = new TreeSet<>();
        lengths.add(length(List.of(bySize.get(0).turns().get(0))));
        lengths.add(length(List.of(bySize.get(bySize.size() / 2).turns().get(0))));
        lengths.add(length(bySize.get(bySize.size() - 1).turns()));
        return lengths;
    }

    private static long size(Dialogue dialogue) {
        return dialogue.turns().stream().mapToLong(turn -> size(turn.said())).sum();
    }

    private static long size(Said said) {
        return said instanceof Said.Tokens made ? made.tokens() : text(said).length();
    }

    private int length(List<Dialogue.Turn> turns) {
        int answers = turns.subList(0, turns.size() - 1).stream()
                .mapToInt(turn -> turn.outputTokens().orElse(outputTokens))
                .sum();
        int made = turns.stream()
                .mapToInt(turn -> turn.said() instanceof Said.Tokens tokens ? tokens.tokens() : 0)
                .sum();
        List<Said> texts = new ArrayList<>();
        turns.stream()
                .map(Dialogue.Turn::said)
                .filter(s -> !(s instanceof Said.Tokens))
                .forEach(texts::add);
        return answers + made + (texts.isEmpty() ? 0 : count.applyAsInt(joined(texts)));
    }

    private static Said joined(List<Said> texts) {
        String all = OTHER_WORDS + texts.stream().map(FileLengths::text).collect(Collectors.joining("\n"));
        return texts.get(0) instanceof Said.Text
                ? new Said.Text(all)
                : new Said.Messages(List.of(new Message(Message.Role.USER, all)));
    }

    private static String text(Said said) {
        if (said instanceof Said.Messages messages) {
            return messages.messages().stream().map(Message::text).collect(Collectors.joining("\n"));
        }
        return said instanceof Said.Text text ? text.text() : "";
    }
}
