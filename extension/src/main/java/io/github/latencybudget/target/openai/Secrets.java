package io.github.latencybudget.target.openai;

import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/** Keeps keys out of what is said. A server may repeat the one it was sent, or another. */
final class Secrets {

    private static final String HIDDEN = "***";
    private static final int LEAST_LENGTH = 4;

    /** What looks like a key: a known beginning, the words before one, or a long run of letters and digits together. */
    private static final Pattern LIKE_A_KEY =
            Pattern.compile("(?i)\\b(?:sk|pk|rk|hf|gsk|xai|nvapi|pplx|r8)[-_][\\w*.-]{6,}|\\bAIza[\\w-]{10,}"
                    + "|\\b(?:key|api|tok|token)[-_](?=\\S*\\d)[\\w*.-]{6,}"
                    + "|(?<=\\bbearer )[^\\s\"'<>,]{4,}|(?<=\\bbasic )[\\w+/=]{8,}"
                    + "|\\beyJ[\\w.-]{10,}"
                    + "|\\b(?=\\w*\\d)(?=\\w*[A-Za-z])\\w{32,}\\b"
                    + "|(?<=://)[^\\s/@]+@");

    private final List<String> known;

    /** @param known the keys that are sent, and the values of headers that may be some */
    Secrets(List<String> known) {
        this.known = known.stream()
                .filter(s -> s.length() >= LEAST_LENGTH)
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
    }

    /** {@return a foreign text without what is, or looks like, a key} */
    String hide(String text) {
        String hidden = text;
        for (String secret : known) {
            hidden = hidden.replace(secret, HIDDEN);
        }
        return LIKE_A_KEY.matcher(hidden).replaceAll(HIDDEN);
    }

    /** Says nothing. */
    @Override
    public String toString() {
        return HIDDEN;
    }
}
