package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.inference.Progress;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelHashTest {

    /** The digests of FIPS 180-2's examples. */
    private static final String OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    private static final String OF_MILLION_A = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
    private static final String OF_NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    @TempDir
    private Path folder;

    @Test
    void isThatOfTheStandardForEveryFileThatIsThere() throws IOException {
        Files.writeString(folder.resolve("config.json"), "abc");
        Files.writeString(folder.resolve("tokenizer.model"), "");
        Files.writeString(folder.resolve("a.safetensors"), "a".repeat(1_000_000));
        Files.writeString(folder.resolve("README.md"), "no file of the model");

        SortedMap<String, String> hashes = ModelHash.ofFiles(folder, "m", List.of("a.safetensors"), Progress.NONE);

        assertThat(hashes)
                .isEqualTo(Map.of("config.json", OF_ABC, "tokenizer.model", OF_NOTHING, "a.safetensors", OF_MILLION_A));
    }

    /** What {@code head -c 20000000 /dev/zero | sha256sum} prints. */
    @Test
    void tellsOfTheBytesWhileItReads() throws IOException {
        try (RandomAccessFile zeros = new RandomAccessFile(folder.resolve("z").toFile(), "rw")) {
            zeros.setLength(20_000_000);
        }
        List<String> steps = new ArrayList<>();

        SortedMap<String, String> hashes = ModelHash.ofFiles(
                folder,
                "m",
                List.of("z"),
                (what, done, total, unit) -> steps.add(what + " " + done + "/" + total + " " + unit));

        assertThat(hashes).containsEntry("z", "9e21c61969cd3e077a1b2b58ddb583b175e13c6479d2d83912eaddc23c0cdd52");
        assertThat(steps)
                .hasSizeGreaterThan(3)
                .startsWith("hashing m 0/20000000 bytes")
                .endsWith("hashing m 20000000/20000000 bytes");
    }

    /** The digests are those of {@code sha256sum}. */
    @Test
    void isInTheDetailsOfAModelOnRequest() throws IOException {
        Path model = ModelFolder.grouped(Dtype.BF16, 3).write(folder.resolve("m"));
        try (LlamaSession session = Models.open(model.toString(), "cpu", "", "hash=files")) {
            assertThat(session.description().weights()).matches("folder m, sha256 [0-9a-f]{12}");
            assertThat(session.description().details())
                    .containsEntry(
                            "sha256 of config.json", "f111482af50957d1a4fc3c70f6a28b4927bbfc89a4260d8ae02dee169bda80aa")
                    .containsEntry(
                            "sha256 of model-00001-of-00003.safetensors",
                            "a3965bd542ca54637c0fff8d51ed3d02e878fef7420cab474726be56bb87dcc6")
                    .containsEntry(
                            "sha256 of model-00002-of-00003.safetensors",
                            "03fd42c9dfee9fba721261d056f41be481efb27fa536a4837c6911f6a3029085")
                    .containsEntry(
                            "sha256 of model-00003-of-00003.safetensors",
                            "d7e16ebd181eb6c0d501d494178ed521d2f55c115b84581c2dce80d3f8009d55")
                    .containsKey("sha256 of model.safetensors.index.json");
        }
        try (LlamaSession session = Models.open(model.toString())) {
            assertThat(session.description().details().keySet()).noneMatch(name -> name.startsWith("sha256"));
        }
    }

    /** What the digest of the layout cannot see. */
    @Test
    void oneOtherBitInTheWeightsIsSeenByTheDigestsOfFilesOnly() throws IOException {
        Path model = ModelFolder.grouped(Dtype.BF16, 3).write(folder.resolve("m"));
        LlamaConfig config = ConfigFile.read(model);
        Checkpoint before = Checkpoint.open(model, config);
        SortedMap<String, String> digests = ModelHash.ofFiles(model, "m", before.files(), Progress.NONE);

        Path shard = model.resolve("model-00002-of-00003.safetensors");
        byte[] bytes = Files.readAllBytes(shard);
        bytes[bytes.length - 1] ^= 1;
        Files.write(shard, bytes);

        Checkpoint after = Checkpoint.open(model, config);
        assertThat(after.description()).isEqualTo(before.description());
        SortedMap<String, String> changed = ModelHash.ofFiles(model, "m", after.files(), Progress.NONE);
        assertThat(changed.keySet()).isEqualTo(digests.keySet());
        changed.forEach((name, digest) ->
                assertThat(digest.equals(digests.get(name))).as(name).isEqualTo(!name.contains("00002")));
    }
}
