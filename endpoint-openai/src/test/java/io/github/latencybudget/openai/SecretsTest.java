package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys that a server repeats. The words around them have to stay, so that not simply everything is hidden. */
class SecretsTest {

    private static final String KEY = "Qx7/canary+5f2A9c.Zz";

    private final EncodedKeys encoded = new EncodedKeys(7);

    @ParameterizedTest
    @CsvSource({
        "Qx7/canary+5f2A9c.Zz, ***",
        "Qx7\\/canary+5f2A9c.Zz, ***",
        "QX7/CANARY+5F2A9C.ZZ, ***",
        "qx7\\\\/canary+5f2a9c.zz, ***",
        "Qx7%2Fcanary%2B5f2A9c.Zz, ***",
        "Qx7%252fcanary%252b5f2A9c.Zz, ***",
        "\\u0051\\u0078\\u0037\\u002fcanary+5f2A9c.Zz, ***",
        "Qx7&#x2F;canary&#43;5f2A9c.Zz, ***",
        "Qx7/can ary+5f2A 9c.Zz, ***",
        "canary+5f2, ***",
        "Qx7/canarX+5f2A9c.ZX, ***X***X",
        "UXg3L2NhbmFyeSs1ZjJBOWMuWno=, ***=",
        "UXg3L2NhbmFyeSs1ZjJBOWMuWno, ***",
        "UXG3L2NHBMFYESS1ZJJBOWMUWNO=, ***=",
        "canary + 5f2, ***",
        "canary is no word of it, canary is no word of it",
    })
    void aKeyIsFoundInAnyEncoding(String repeated, String shown) {
        assertThat(new Secrets(List.of(KEY)).hide("the key " + repeated + " is wrong"))
                .isEqualTo("the key " + shown + " is wrong");
    }

    @Test
    void ofAUserAndPasswordOnlyTheUserMayBeLeft() {
        String login = Base64.getEncoder().encodeToString(("user:" + KEY).getBytes(StandardCharsets.UTF_8));

        assertThat(new Secrets(List.of(KEY)).hide("token " + login)).isEqualTo("token dXNlcj***==");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Basic dXNlcjpzM2NyZXQtcGFzcw==", "basic  dXNlcjpzM2NyZXQtcGFzcw=="})
    void thePasswordInAHeaderIsHiddenByItself(String header) {
        assertThat(new Secrets(List.of(header)).hide("password s3cret-pass of user"))
                .isEqualTo("password *** of user");
    }

    @Test
    void everyMixtureOfEncodingsIsHiddenAsAWhole() {
        for (int i = 0; i < 3_000; i++) {
            String key = encoded.key(encoded.between(4, 80));
            String repeated = encoded.mixed(key);

            assertThat(new Secrets(List.of(key)).hideKnown("{" + repeated + "}"))
                    .as("%s as %s", key, repeated)
                    .matches("\\{\\*\\*\\*[ \u200B]?\\}");
        }
    }

    @Test
    void encodingsWithinEncodingsLeaveNoPartOfAKey() {
        for (int i = 0; i < 3_000; i++) {
            String key = encoded.key(encoded.between(8, 80));
            String repeated = encoded.nested(key);
            String said = new Secrets(List.of(key)).hideKnown("{" + repeated + "}");

            assertThat(said)
                    .as("%s as %s", key, repeated)
                    .contains("***")
                    .startsWith("{")
                    .endsWith("}");
            assertThat(new SecretForms(List.of(key)).in(said).isEmpty())
                    .as("%s as %s, shown as %s", key, repeated, said)
                    .isTrue();
        }
    }

    @Test
    void aPartOfEightCharactersIsHiddenAndAShorterOneIsNot() {
        for (int i = 0; i < 1_000; i++) {
            String key = encoded.key(encoded.between(9, 40));
            int begin = encoded.between(0, key.length() - 8);
            String part = key.substring(begin, begin + 8).toUpperCase(Locale.ROOT);

            assertThat(new Secrets(List.of(key)).hideKnown("{" + part + "}")).isEqualTo("{***}");
            assertThat(new Secrets(List.of(key)).hideKnown("{" + part.substring(1) + "}"))
                    .isEqualTo("{" + part.substring(1) + "}");
        }
    }

    /** Else every message would be of stars. */
    @Test
    void ordinaryTextStays() {
        String text = "http://localhost:8000/v1/chat/completions: the connection broke after 12 chunks (it was reset); "
                + "see the server's log for why it ended the request of meta-llama/Llama-3.1-8B-Instruct \\u00e9 100% &amp;";
        for (int i = 0; i < 500; i++) {
            assertThat(new Secrets(List.of(encoded.key(encoded.between(8, 80)))).hide(text))
                    .isEqualTo(text);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "abc", "   "})
    void whatIsTooShortForAKeyHidesNothing(String key) {
        assertThat(new Secrets(List.of(key)).hide("a text with abc in it")).isEqualTo("a text with abc in it");
    }
}
