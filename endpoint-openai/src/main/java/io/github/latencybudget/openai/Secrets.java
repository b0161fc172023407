package io.github.latencybudget.openai;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Keeps keys out of what is said. A server may repeat the one it was sent, in any encoding, or another. */
final class Secrets {

    private static final String HIDDEN = "***";

    /** No message shows more of a text. */
    private static final int MOST_CHARACTERS = 8_192;

    private static final Pattern SCHEME_AND_CREDENTIAL = Pattern.compile("[A-Za-z]+\\s+(\\S.*)");

    /** What looks like a key: a known beginning, the words before one, or a long run of letters and digits together. */
    private static final Pattern LIKE_A_KEY =
            Pattern.compile("(?i)\\b(?:sk|pk|rk|hf|gsk|xai|nvapi|pplx|r8)[-_][\\w*.-]{6,}|\\bAIza[\\w-]{10,}"
                    + "|\\b(?:key|api|tok|token)[-_](?=\\S*\\d)[\\w*.-]{6,}"
                    + "|(?<=\\bbearer )[^\\s\"'<>,]{4,}|(?<=\\bbasic )[\\w+/=]{8,}"
                    + "|\\beyJ[\\w.-]{10,}"
                    + "|\\b(?=\\w*\\d)(?=\\w*[A-Za-z])\\w{32,}\\b"
                    + "|(?<=://)[^\\s/@]+@");

    private final SecretForms forms;

    /** @param known the keys that are sent, and the values of headers that may be some */
    Secrets(Collection<String> known) {
        List<String> parts = new ArrayList<>();
        known.forEach(secret -> addParts(secret.strip(), parts));
        this.forms = new SecretForms(parts);
    }

    /** The name of a scheme is no secret; a user and password are one, and the password is one by itself. */
    private static void addParts(String secret, List<String> parts) {
        Matcher scheme = SCHEME_AND_CREDENTIAL.matcher(secret);
        String credential = scheme.matches() ? scheme.group(1) : secret;
        parts.add(credential);
        if (secret.regionMatches(true, 0, "basic ", 0, 6)) {
            DecodedText.of(credential).fromBase64().stream()
                    .limit(1)
                    .map(DecodedText::toString)
                    .forEach(login -> {
                        parts.add(login);
                        parts.add(login.substring(login.indexOf(':') + 1));
                    });
        }
    }

    /** {@return the beginning of a foreign text without what is, or looks like, a key} */
    String hide(String text) {
        return LIKE_A_KEY.matcher(hideKnown(text)).replaceAll(HIDDEN);
    }

    /** {@return the beginning of a text without the keys, for names that have to stay what they are} */
    String hideKnown(String text) {
        String said = text.substring(0, Math.min(text.length(), MOST_CHARACTERS));
        BitSet secret = forms.in(said);
        StringBuilder shown = new StringBuilder();
        int at = 0;
        while (at < said.length()) {
            int begin = secret.nextSetBit(at);
            if (begin < 0) {
                break;
            }
            shown.append(said, at, begin).append(HIDDEN);
            at = secret.nextClearBit(begin);
        }
        return shown.append(said, Math.min(at, said.length()), said.length()).toString();
    }

    /** Says nothing. */
    @Override
    public String toString() {
        return HIDDEN;
    }
}
