package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How outputs are counted from their text. */
class TokenizerTest {

    /** As Llama 2's: a space before any text, and spaces that belong to the word after them. */
    private static final String LIKE_LLAMA_2 = """
            {
              "version": "1.0",
              "added_tokens": [],
              "normalizer": {
                "type": "Sequence",
                "normalizers": [
                  {"type": "Prepend", "prepend": "\u2581"},
                  {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}
                ]
              },
              "pre_tokenizer": null,
              "post_processor": null,
              "decoder": null,
              "model": {
                "type": "BPE",
                "vocab": {"\u2581": 0, "w": 1, "\u2581w": 2, "\\n": 3},
                "merges": [["\u2581", "w"]]
              }
            }
            """;

    @Test
    void theSpaceThatAnOutputBeginsWithIsThatOfItsFirstWord(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("tokenizer.json"), LIKE_LLAMA_2);
        try (Tokenizer tokenizer = Tokenizer.open(file)) {
            assertThat(tokenizer.count(" w w", false))
                    .as("as a text of its own")
                    .isEqualTo(3);
            assertThat(tokenizer.countOutput(" w w")).isEqualTo(2);
            assertThat(tokenizer.countOutput("w w")).isEqualTo(2);
            assertThat(tokenizer.countOutput("")).isZero();
        }
    }
}
