package io.github.latencybudget.inference;

/** Counts what is said. */
final class FakeWords {

    private FakeWords() {}

    static int of(Said said) {
        if (said instanceof Said.Tokens made) {
            return made.tokens();
        }
        if (said instanceof Said.Messages messages) {
            return messages.messages().stream().mapToInt(m -> words(m.text())).sum();
        }
        return words(((Said.Text) said).text());
    }

    private static int words(String text) {
        return text.split("\\s+").length;
    }
}
