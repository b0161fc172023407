package io.github.latencybudget.openai;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import io.github.latencybudget.inference.MeasurementException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/** The model's own tokenizer, as the user names it. */
final class Tokenizer implements AutoCloseable {

    /** No token goes over it. */
    private static final String LINE_END = "\n";

    private final HuggingFaceTokenizer tokenizer;

    private Tokenizer(HuggingFaceTokenizer tokenizer) {
        this.tokenizer = tokenizer;
    }

    static Tokenizer open(Path file) {
        try {
            return new Tokenizer(
                    HuggingFaceTokenizer.newInstance(file, Map.of("padding", "false", "truncation", "false")));
        } catch (IOException | RuntimeException e) {
            throw new MeasurementException(
                    String.format(
                            Locale.ROOT,
                            "option tokenizer = %s is no tokenizer.json that can be read (%s)",
                            file,
                            e.getMessage()),
                    e);
        }
    }

    /** {@return the number of tokens of a text} */
    int count(String text, boolean withBos) {
        return tokenizer.encode(text, withBos, false).getIds().length;
    }

    /**
     * {@return the number of tokens of an output} It stands after other text, so a space that it begins with is that of its first word,
     * and not the one that tokenizers of Llama 2's kind put before any text.
     */
    int countOutput(String text) {
        return text.startsWith(" ") ? count(LINE_END + text, false) - count(LINE_END, false) : count(text, false);
    }

    @Override
    public void close() {
        tokenizer.close();
    }
}
