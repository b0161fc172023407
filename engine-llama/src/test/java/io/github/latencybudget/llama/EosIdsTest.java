package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.inference.MeasurementException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The model's {@code config.json} says that 2 ends an output. */
class EosIdsTest {

    @TempDir
    private Path folder;

    @BeforeEach
    void writeModel() throws IOException {
        ModelFolder.tied().write(folder);
    }

    private void write(String file, String json) throws IOException {
        Files.writeString(folder.resolve(file), json.replace('\'', '"'));
    }

    private void writeTokenizer(String special) throws IOException {
        write("tokenizer.json", "{'model': {'vocab': {'a': 0, '<end>': 9}}, 'added_tokens': [" + special + "]}");
    }

    private EosIds read() {
        LlamaConfig config = ConfigFile.read(folder);
        return EosIds.read(folder, config, TokenizerFile.open(folder, config));
    }

    @Test
    void theConfigAloneIsEnough() {
        assertThat(read().ids()).containsExactly(2);
        assertThat(read().description()).isEqualTo("2");
    }

    @Test
    void filesThatAgreeAreNotMentioned() throws IOException {
        write("generation_config.json", "{'eos_token_id': 2, 'temperature': 0.6}");
        write("tokenizer_config.json", "{'eos_token': {'content': '</s>'}}");
        writeTokenizer("{'id': 1, 'content': '<s>', 'special': true}, {'id': 2, 'content': '</s>', 'special': true}");

        assertThat(read().ids()).containsExactly(2);
        assertThat(read().description()).isEqualTo("2");
    }

    @Test
    void anyIdThatAFileNamesEndsAnOutputAndADisagreementIsSaid() throws IOException {
        write("generation_config.json", "{'eos_token_id': [2, 7]}");
        write("tokenizer_config.json", "{'eos_token': '<end>'}");
        writeTokenizer("{'id': 1, 'content': '<s>', 'special': true}, {'id': 2, 'content': '</s>', 'special': true},"
                + " {'id': 7, 'content': '<eot>', 'special': true}");

        assertThat(read().ids()).containsExactly(2, 7, 9);
        assertThat(read().description())
                .isEqualTo(
                        "2 and 7 and 9, each of them ends an output; the model's files disagree: generation_config.json says 2 and 7,"
                                + " config.json says 2, tokenizer_config.json says 9; 9 is no special token of tokenizer.json");
    }

    /** A tokenizer can name only one. */
    @Test
    void aTokenizerThatNamesOneOfSeveralAgrees() throws IOException {
        write("generation_config.json", "{'eos_token_id': [2, 7]}");
        write(
                "config.json",
                Files.readString(folder.resolve("config.json"))
                        .replace("\"eos_token_id\":2", "\"eos_token_id\":[7,2]"));
        write("tokenizer_config.json", "{'eos_token': '<eot>'}");
        writeTokenizer(
                "{'id': 1, 'special': true}, {'id': 2, 'special': true}, {'id': 7, 'content': '<eot>', 'special': true}");

        assertThat(read().description()).isEqualTo("2 and 7");
    }

    @Test
    void anIdThatIsNoSpecialTokenIsSaid() throws IOException {
        writeTokenizer("{'id': 1, 'special': true}, {'id': 3, 'special': true}");

        assertThat(read().description())
                .isEqualTo(
                        "2, each of them ends an output; the model's files disagree: 2 is no special token of tokenizer.json");
    }

    @Test
    void whereNoFileNamesOneTheDefaultOfTransformersHolds() throws IOException {
        String config = Files.readString(folder.resolve("config.json"));
        write("config.json", config.replace("\"eos_token_id\":2", "\"x\":2"));
        assertThat(read().description()).isEqualTo("2");

        write("generation_config.json", "{'eos_token_id': 7}");
        assertThat(read().description())
                .as("the default is no word of the model's")
                .isEqualTo("7");

        write("generation_config.json", "{'eos_token_id': null}");
        write("config.json", config.replace("\"eos_token_id\":2", "\"eos_token_id\":null"));
        assertThat(read().description()).isEqualTo("none");
    }

    @Test
    void anIdThatTheModelDoesNotHaveIsRefused() throws IOException {
        write("generation_config.json", "{'eos_token_id': 100}");
        assertThatThrownBy(this::read)
                .isInstanceOf(MeasurementException.class)
                .hasMessage(
                        "%s: eos_token_id = 100 must be a whole number from 0 on and below vocab_size = 100; correct the file",
                        folder.resolve("generation_config.json"));

        write("generation_config.json", "<html>");
        assertThatThrownBy(this::read)
                .hasMessage("%s is not JSON: download it again", folder.resolve("generation_config.json"));
    }

    @Test
    void theDetailsOfTheTargetSayIt() throws IOException {
        write("generation_config.json", "{'eos_token_id': 7}");
        try (LlamaSession session = Models.open(folder.toString())) {
            assertThat(session.description().details().get("eos"))
                    .isEqualTo(
                            "2 and 7, each of them ends an output; the model's files disagree: generation_config.json says 7, config.json says 2");
        }
    }
}
