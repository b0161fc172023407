package io.github.latencybudget.llama;

import java.util.Arrays;
import java.util.List;
import java.util.function.LongPredicate;

/**
 * Finds stop strings in an output while it comes, wherever they begin and end within its tokens. Special tokens have no text, so
 * a stop string cannot be one.
 *
 * <p>The text of a token depends on what comes before it: the first word has no space, and a letter can be of several tokens. So
 * each token is decoded together with the few before it that are certain, and its text is what that adds.
 */
final class StopStrings {

    private static final String UNFINISHED = "\ufffd";

    private final LlamaTokenizer tokenizer;
    private final List<String> strings;
    private final long[] prompt;
    private final int reach;

    StopStrings(LlamaTokenizer tokenizer, List<String> strings, long[] prompt) {
        this.tokenizer = tokenizer;
        this.strings = strings;
        this.prompt = prompt;
        this.reach = strings.stream().mapToInt(String::length).max().orElse(1) - 1;
    }

    /** {@return what takes each id of one output, in order, and says whether a stop string is complete with it} */
    LongPredicate start() {
        return new Output(prompt[prompt.length - 1]);
    }

    private final class Output implements LongPredicate {

        private long[] ids = new long[64];
        private int size;
        private int from;
        private int certain;
        private String tail = "";

        private Output(long lastOfPrompt) {
            add(lastOfPrompt);
            certain = size;
        }

        private void add(long id) {
            if (size == ids.length) {
                ids = Arrays.copyOf(ids, 2 * size);
            }
            ids[size++] = id;
        }

        @Override
        public boolean test(long id) {
            add(id);
            String before = text(certain);
            String all = text(size);
            String added = all.substring(common(before, all));
            String text = tail + withoutUnfinished(added);
            if (!added.isEmpty() && !added.endsWith(UNFINISHED)) {
                from = certain;
                certain = size;
                tail = text.substring(Math.max(0, text.length() - reach));
            }
            return strings.stream().anyMatch(text::contains);
        }

        private String text(int to) {
            return tokenizer.decode(Arrays.copyOfRange(ids, from, to));
        }
    }

    private static int common(String a, String b) {
        int length = 0;
        while (length < a.length() && length < b.length() && a.charAt(length) == b.charAt(length)) {
            length++;
        }
        return length;
    }

    private static String withoutUnfinished(String text) {
        int end = text.length();
        while (end > 0 && text.startsWith(UNFINISHED, end - 1)) {
            end--;
        }
        return text.substring(0, end);
    }
}
