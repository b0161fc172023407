package io.github.latencybudget.prompts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.latencybudget.inference.Message;
import io.github.latencybudget.inference.Message.Role;
import io.github.latencybudget.inference.Said;
import io.github.latencybudget.load.Dialogue;
import io.github.latencybudget.load.Prompts;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PromptFilesTest {

    private static final String SECRET = "my secret prompt";

    @TempDir
    Path folder;

    private Prompts.FromFile read(String text, int most) throws IOException {
        Path file = Files.writeString(folder.resolve("p.jsonl"), text);
        return PromptFiles.read(file.toString(), most, 42);
    }

    private Dialogue only(String text) throws IOException {
        List<Dialogue> dialogues = read(text, 10).dialogues();
        assertThat(dialogues).hasSize(1);
        return dialogues.get(0);
    }

    private static Dialogue of(OptionalInt outputTokens, Said... said) {
        return new Dialogue(
                Stream.of(said).map(s -> new Dialogue.Turn(s, outputTokens)).toList());
    }

    private static Said user(String text) {
        return new Said.Messages(List.of(new Message(Role.USER, text)));
    }

    @Test
    void anEntryIsATextMessagesOrACount() throws IOException {
        assertThat(only("{\"prompt\": \"a text\", \"id\": 7}\n"))
                .isEqualTo(of(OptionalInt.empty(), new Said.Text("a text")));
        assertThat(only("{\"promptTokens\": 512, \"outputTokens\": 64}"))
                .isEqualTo(of(OptionalInt.of(64), new Said.Tokens(512)));
        assertThat(
                        only(
                                "{\"messages\": [{\"role\": \"system\", \"content\": \"be short\"}, {\"role\": \"user\", \"content\": \"a\"}, {\"role\": \"assistant\", \"content\": \"b\"}, {\"role\": \"user\", \"content\": \"c\"}]}"))
                .isEqualTo(of(
                        OptionalInt.empty(),
                        new Said.Messages(List.of(
                                new Message(Role.SYSTEM, "be short"),
                                new Message(Role.USER, "a"),
                                new Message(Role.ASSISTANT, "b"),
                                new Message(Role.USER, "c")))));
    }

    @Test
    void anEntryMayHaveSeveralTurns() throws IOException {
        assertThat(
                        only(
                                "{\"turns\": [{\"promptTokens\": 128, \"outputTokens\": 8}, {\"promptTokens\": 32, \"outputTokens\": 8}]}"))
                .isEqualTo(of(OptionalInt.of(8), new Said.Tokens(128), new Said.Tokens(32)));
    }

    @Test
    void ofShareGptEachMessageOfAUserIsATurn() throws IOException {
        Prompts.FromFile read = read("""
                [
                  {"id": "a", "conversations": [
                    {"from": "gpt", "value": "what came before"},
                    {"from": "system", "value": "be short"},
                    {"from": "human", "value": "a"},
                    {"from": "gpt", "value": "b"},
                    {"from": "human", "value": "c"},
                    {"from": "gpt", "value": "d"}]},
                  {"id": "b", "conversations": []},
                  {"id": "c", "conversations": [{"from": "gpt", "value": "alone"}]}
                ]
                """, 10);

        assertThat(read.dialogues())
                .containsExactly(of(
                        OptionalInt.empty(),
                        new Said.Messages(List.of(new Message(Role.SYSTEM, "be short"), new Message(Role.USER, "a"))),
                        user("c")));
        assertThat(read.file().toString())
                .endsWith(", 1 conversation of up to 2 turns, 2 entries without a prompt passed over");
    }

    @Test
    void theFileIsKnownByItsBytes() throws IOException {
        Prompts.FromFile read = read("{\"prompt\":\"a\"}\n{\"prompt\":\"b\"}\n{\"prompt\":\"a\"}\n", 10);

        // By sha256sum.
        assertThat(read.file().sha256()).isEqualTo("982c47b07140b87110c368a5fba65f854b264e9cc39be3afd8aa634615f635c1");
        assertThat(read.file().repeated()).isEqualTo(1);
        assertThat(read.file().toString())
                .isEqualTo("file %s, sha256 %s, 3 conversations of 1 turn, 1 of them repeated"
                        .formatted(
                                folder.resolve("p.jsonl"), read.file().sha256().substring(0, 12)));
    }

    @Test
    void ofMoreThanAreAskedForSomeAreDrawn() throws IOException {
        String many = IntStream.rangeClosed(1, 1000)
                .mapToObj("{\"promptTokens\": %d}\n"::formatted)
                .collect(Collectors.joining());

        List<Integer> drawn = lengths(read(many, 100));

        assertThat(drawn).hasSize(100).doesNotHaveDuplicates().isEqualTo(lengths(read(many, 100)));
        assertThat(drawn.stream().mapToInt(Integer::intValue).average().orElseThrow())
                .isBetween(400.0, 600.0);
        assertThat(drawn).isNotEqualTo(drawn.stream().sorted().toList());
        assertThat(new TreeSet<>(lengths(read(many, 2000)))).hasSize(1000);
    }

    private static List<Integer> lengths(Prompts.FromFile prompts) {
        return prompts.dialogues().stream()
                .map(d -> ((Said.Tokens) d.turns().get(0).said()).tokens())
                .toList();
    }

    @Test
    void aResourceOfTheClassPathIsFound() {
        assertThat(PromptFiles.read("prompts/mixed.jsonl", 10, 1).file().name()).isEqualTo("prompts/mixed.jsonl");
    }

    static Stream<Arguments> damaged() {
        return Stream.of(
                arguments(
                        "",
                        "p.jsonl has no prompt; write one a line, such as {\"promptTokens\": 512} or {\"prompt\": \"a text\"}"),
                arguments(
                        "\n \n",
                        "p.jsonl has no prompt; write one a line, such as {\"promptTokens\": 512} or {\"prompt\": \"a text\"}"),
                arguments(
                        "[]",
                        "p.jsonl has no prompt; write one a line, such as {\"promptTokens\": 512} or {\"prompt\": \"a text\"}"),
                arguments(
                        "{\"prompt\": \"a\"}\n{\"prompt\": \"%s".formatted(SECRET),
                        "p.jsonl:2: this is no JSON, or breaks off; correct it, or take the entry out"),
                arguments(
                        "{\"prompt\": \"a\"}\n%s\n".formatted(SECRET),
                        "p.jsonl:2: this is no JSON, or breaks off; correct it, or take the entry out"),
                arguments(
                        "{\"prompt\": \"a\"}\n\"%s\"\n".formatted(SECRET),
                        "p.jsonl:2: this is no JSON object; write each prompt as one, such as {\"promptTokens\": 512}"),
                arguments(
                        "{\"text\": \"%s\"}".formatted(SECRET),
                        "p.jsonl:1: an entry has one of `prompt`, `messages`, `promptTokens`, `turns` and `conversations`, and this has none"),
                arguments(
                        "\n{\"prompt\": \"%s\", \"promptTokens\": 5}".formatted(SECRET),
                        "p.jsonl:2: an entry has one of `prompt`, `messages`, `promptTokens`, `turns` and `conversations`, and this has several"),
                arguments("{\"prompt\": \"\"}", "p.jsonl:1: `prompt` has to be a text that is not empty"),
                arguments("{\"promptTokens\": 0}", "p.jsonl:1: `promptTokens` has to be a whole number, at least 1"),
                arguments("{\"promptTokens\": 1.5}", "p.jsonl:1: `promptTokens` has to be a whole number, at least 1"),
                arguments(
                        "{\"prompt\": \"%s\", \"outputTokens\": \"many\"}".formatted(SECRET),
                        "p.jsonl:1: `outputTokens` has to be a whole number, at least 1"),
                arguments("{\"turns\": []}", "p.jsonl:1: `turns` has to be a list of at least one turn"),
                arguments(
                        "{\"messages\": [{\"role\": \"user\", \"content\": \"a\"}, {\"role\": \"assistant\", \"content\": \"%s\"}]}"
                                .formatted(SECRET),
                        "p.jsonl:1: the last of `messages` has to be the user's, for it is what is answered"),
                arguments(
                        "{\"messages\": [{\"role\": \"%s\", \"content\": \"a\"}]}".formatted(SECRET),
                        "p.jsonl:1: the `role` of message 1 is none of system, user, human, assistant, gpt, chatgpt, bing and bard"),
                arguments(
                        "{\"messages\": [{\"role\": \"user\", \"content\": 5}]}",
                        "p.jsonl:1: `content` of message 1 has to be a text"),
                arguments(
                        "[{\"promptTokens\": 5}]\n[{\"promptTokens\": 6}]",
                        "p.jsonl:2: something comes after the end of the list; put all entries into one"),
                arguments("{\"conversations\": 5}", "p.jsonl:1: `conversations` has to be a list"),
                arguments("{\"messages\": 5}", "p.jsonl:1: `messages` has to be a list"));
    }

    @ParameterizedTest
    @MethodSource("damaged")
    void whatIsDamagedIsNamedByItsLineAndNotByWhatItSays(String text, String message) {
        assertThatThrownBy(() -> read(text, 10))
                .isInstanceOf(PromptFileException.class)
                .hasMessage(
                        "%s",
                        message.replace("p.jsonl", folder.resolve("p.jsonl").toString()))
                .satisfies(e -> assertThat(stackTrace(e)).doesNotContain(SECRET));
    }

    private static String stackTrace(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    @Test
    void whatIsNotUtf8IsRefused() throws IOException {
        Path file = Files.write(
                folder.resolve("latin.jsonl"),
                "{\"prompt\": \"gr\u00fc\u00df\"}".getBytes(StandardCharsets.ISO_8859_1));

        assertThatThrownBy(() -> PromptFiles.read(file.toString(), 1, 1))
                .isInstanceOf(PromptFileException.class)
                .hasMessage("%s", file + " is not UTF-8 after line 1; save it as UTF-8");
    }

    @Test
    void aByteOrderMarkIsNoPartOfTheFirstPrompt() throws IOException {
        assertThat(only("\uFEFF{\"prompt\": \"a text\"}\n"))
                .isEqualTo(of(OptionalInt.empty(), new Said.Text("a text")));
        assertThat(only("\uFEFF[{\"promptTokens\": 8}]")).isEqualTo(of(OptionalInt.empty(), new Said.Tokens(8)));
    }

    @Test
    void utf16IsNamed() throws IOException {
        Path file = Files.write(folder.resolve("wide.jsonl"), "{\"prompt\": \"a\"}".getBytes(StandardCharsets.UTF_16));

        assertThatThrownBy(() -> PromptFiles.read(file.toString(), 1, 1))
                .isInstanceOf(PromptFileException.class)
                .hasMessage("%s", file + " is UTF-16, not UTF-8; save it as UTF-8");
    }

    @Test
    void whatIsNotThereIsNamed() {
        assertThatThrownBy(() -> PromptFiles.read("no/such.jsonl", 1, 1))
                .hasMessage(
                        "no/such.jsonl is neither a file below the working directory nor on the class path; correct the name, or put it into src/test/resources");
    }

    @Test
    void noneOfWhatIsSaidIsInAnyText() throws IOException {
        Prompts.FromFile read = read("{\"prompt\": \"%s\"}".formatted(SECRET), 10);

        assertThat(read.toString() + read.dialogues() + new Message(Role.USER, SECRET) + user(SECRET))
                .doesNotContain("secret");
    }
}
