package io.github.latencybudget.openai;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What a user wrote and was sent. A server may repeat it in an error, and it belongs into no record, report or log.
 *
 * @param texts of the messages; none where the prompt was made for the measurement
 */
record SentText(List<String> texts) {

    static final SentText NONE = new SentText(List.of());

    private static final String CUT = "[sent]";

    /** Shorter ones are words that any sentence has. */
    private static final int LEAST_RUN = 16;

    /** More of it is not shown, and need not be searched. */
    private static final int MOST_CHARACTERS = 2_000;

    /** {@return whether a user wrote it} */
    boolean isOfUser() {
        return !texts.isEmpty();
    }

    /** {@return the beginning of what a server says, without what is repeated in it} */
    String cutFrom(String said) {
        if (!isOfUser()) {
            return said;
        }
        String text = said.substring(0, Math.min(said.length(), MOST_CHARACTERS));
        Set<String> repeated = repeated(text);
        StringBuilder kept = new StringBuilder();
        int cutUntil = 0;
        for (int i = 0; i < text.length(); i++) {
            if (i + LEAST_RUN <= text.length() && repeated.contains(text.substring(i, i + LEAST_RUN))) {
                kept.append(i >= cutUntil ? CUT : "");
                cutUntil = i + LEAST_RUN;
            }
            if (i >= cutUntil) {
                kept.append(text.charAt(i));
            }
        }
        return kept.toString();
    }

    private Set<String> repeated(String text) {
        Set<String> runs = new HashSet<>();
        for (int i = 0; i + LEAST_RUN <= text.length(); i++) {
            runs.add(text.substring(i, i + LEAST_RUN));
        }
        Set<String> repeated = new HashSet<>();
        for (String sent : texts) {
            for (int i = 0; i + LEAST_RUN <= sent.length(); i++) {
                String run = sent.substring(i, i + LEAST_RUN);
                if (runs.contains(run)) {
                    repeated.add(run);
                }
            }
        }
        return repeated;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s texts", texts.size());
    }
}
