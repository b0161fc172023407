package io.github.latencybudget.llama;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.trace.IoFault;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** SHA-256 digests of a model's folder: a quick one that tells models apart, and one of every byte. */
final class ModelHash {

    private static final int SHORT = 12;

    private static final int BUFFER_BYTES = 1 << 23;

    /** What a folder has beside its weights; whatever of it is there. */
    private static final List<String> SMALL_FILES = List.of(
            "config.json",
            "generation_config.json",
            Checkpoint.INDEX,
            "special_tokens_map.json",
            "tokenizer.json",
            "tokenizer.model",
            "tokenizer_config.json");

    private ModelHash() {}

    /**
     * {@return the first 12 hex digits of a digest of the configuration, the index, and the names and sizes of the weights'
     * files; the weights themselves are not read}
     *
     * @param sizes the bytes of each file with weights, by its name
     */
    static String ofLayout(Path folder, Map<String, Long> sizes) {
        MessageDigest digest = sha256();
        for (String name : List.of("config.json", Checkpoint.INDEX)) {
            Path file = folder.resolve(name);
            if (Files.isRegularFile(file)) {
                digest.update(read(file));
            }
        }
        sizes.forEach((name, size) -> digest.update((name + ' ' + size + '\n').getBytes(UTF_8)));
        return HexFormat.of().formatHex(digest.digest()).substring(0, SHORT);
    }

    /**
     * {@return the digest of every file of the model by the file's name, as {@code sha256sum} prints it}
     *
     * @param model what the progress calls it
     * @param weights the names of the files with weights
     * @param progress told of the bytes
     */
    static SortedMap<String, String> ofFiles(Path folder, String model, Collection<String> weights, Progress progress) {
        TreeSet<String> names = new TreeSet<>(weights);
        SMALL_FILES.stream()
                .filter(name -> Files.isRegularFile(folder.resolve(name)))
                .forEach(names::add);
        long total =
                names.stream().mapToLong(name -> size(folder.resolve(name))).sum();
        String what = "hashing " + model;
        progress.step(what, 0, total, "bytes");
        SortedMap<String, String> digests = new TreeMap<>();
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        long done = 0;
        for (String name : names) {
            Path file = folder.resolve(name);
            MessageDigest digest = sha256();
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                while (channel.read(buffer.clear()) >= 0) {
                    done += buffer.position();
                    digest.update(buffer.flip());
                    progress.step(what, done, total, "bytes");
                }
            } catch (IOException e) {
                throw unreadable(file, e);
            }
            digests.put(name, HexFormat.of().formatHex(digest.digest()));
        }
        return digests;
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private static MeasurementException unreadable(Path file, IOException e) {
        return new MeasurementException(
                String.format(
                        Locale.ROOT,
                        "%s cannot be read%s",
                        file,
                        IoFault.because(e, "check the file and its permissions")),
                e);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
