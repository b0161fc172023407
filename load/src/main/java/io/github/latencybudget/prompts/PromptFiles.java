package io.github.latencybudget.prompts;

import io.github.latencybudget.load.Prompts;
import io.github.latencybudget.trace.IoFault;
import io.github.latencybudget.trace.OneLine;
import io.github.latencybudget.trace.PromptFile;
import io.github.latencybudget.trace.Utf8;
import java.io.BufferedInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import org.apiguardian.api.API;

/** Reads files of prompts. */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class PromptFiles {

    private PromptFiles() {}

    /**
     * Reads a file from its beginning to its end, and keeps of its conversations no more than are asked for.
     *
     * @param name a path, from the working directory where it is relative, or a resource of the class path
     * @param most how many conversations to keep at most: as many, drawn by the seed, where it has more
     * @param seed of the order too
     * @throws PromptFileException where it cannot be read, is damaged, or has nothing to send
     */
    public static Prompts.FromFile read(String name, int most, long seed) {
        MessageDigest digest = sha256();
        Drawing drawing = new Drawing(most, seed);
        int passedOver;
        try (InputStream bytes = new DigestInputStream(new BufferedInputStream(open(name)), digest)) {
            passedOver = new Entries(OneLine.of(name), bytes).forEach(drawing::add);
            // What is after the last entry is a part of the file too.
            bytes.transferTo(OutputStream.nullOutputStream());
        } catch (Utf8.Fault e) {
            throw new PromptFileException(
                    String.format(Locale.ROOT, "%s %s; save it as UTF-8", OneLine.of(name), e.getMessage()), e);
        } catch (IOException e) {
            throw new PromptFileException(
                    String.format(
                            Locale.ROOT,
                            "%s cannot be read (%s)%s",
                            OneLine.of(name),
                            e.getClass().getSimpleName(),
                            IoFault.because(e, "see its permissions")),
                    e);
        }
        if (drawing.seen() == 0) {
            throw new PromptFileException(String.format(
                    Locale.ROOT,
                    "%s has no prompt; write one a line, such as {\"promptTokens\": 512} or {\"prompt\": \"a text\"}",
                    OneLine.of(name)));
        }
        return new Prompts.FromFile(
                new PromptFile(
                        name,
                        HexFormat.of().formatHex(digest.digest()),
                        drawing.seen(),
                        drawing.repeated(),
                        passedOver,
                        drawing.mostTurns()),
                drawing.drawn());
    }

    /**
     * Reads a file of single prompts, such as an open loop sends: it cannot wait for an answer before the next turn is due.
     *
     * @param name a path, from the working directory where it is relative, or a resource of the class path
     * @param most how many prompts to keep at most
     * @param seed of the order too
     * @throws PromptFileException where it cannot be read, is damaged, has nothing to send, or has conversations of several turns
     */
    public static Prompts.FromFile readSinglePrompts(String name, int most, long seed) {
        Prompts.FromFile prompts = read(name, most, seed);
        int turns = prompts.file().mostTurns();
        if (turns > 1) {
            throw new PromptFileException(String.format(
                    Locale.ROOT,
                    "%s has conversations of up to %d turns, each sent after the answer to the one before, and requests of an open loop are due whatever was answered; measure it in a closed loop, or name a file of single prompts",
                    OneLine.of(name),
                    turns));
        }
        return prompts;
    }

    private static InputStream open(String name) throws IOException {
        try {
            Path path = Path.of(name);
            if (Files.isRegularFile(path)) {
                return Files.newInputStream(path);
            }
        } catch (InvalidPathException e) {
            // What is no path may be a resource.
        }
        InputStream resource = Thread.currentThread().getContextClassLoader().getResourceAsStream(name);
        if (resource == null) {
            throw new PromptFileException(
                    String.format(
                            Locale.ROOT,
                            "%s is neither a file below the working directory nor on the class path; correct the name, or put it into src/test/resources",
                            OneLine.of(name)),
                    new FileNotFoundException(name));
        }
        return resource;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
