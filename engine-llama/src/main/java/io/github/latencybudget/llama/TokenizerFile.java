package io.github.latencybudget.llama;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import com.fasterxml.jackson.databind.JsonNode;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.trace.IoFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** A model's own {@code tokenizer.json}: what it says of its ids. The tokenizer itself is loaded only when asked for. */
final class TokenizerFile {

    private final Path file;
    private final long tokens;
    private final Set<Integer> special;
    private final Optional<Integer> eos;

    private TokenizerFile(Path file, long tokens, Set<Integer> special, Optional<Integer> eos) {
        this.file = file;
        this.tokens = tokens;
        this.special = special;
        this.eos = eos;
    }

    /**
     * Opens the tokenizer of a folder and checks that it is the configuration's.
     *
     * @return empty where the folder has no {@code tokenizer.json}
     * @throws MeasurementException where it is not the one that the configuration describes
     */
    static Optional<TokenizerFile> open(Path folder, LlamaConfig config) {
        Path file = folder.resolve("tokenizer.json");
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        JsonNode root = JsonFile.read(file);
        long highest = -1;
        for (JsonNode entry : root.path("model").path("vocab")) {
            // a map from token to id, or a list of tokens with scores
            highest = entry.isNumber() ? Math.max(highest, entry.asLong()) : highest + 1;
        }
        Set<Integer> special = new HashSet<>();
        for (JsonNode token : root.path("added_tokens")) {
            highest = Math.max(highest, token.path("id").asLong(-1));
            if (token.path("special").asBoolean(false)) {
                special.add(token.path("id").asInt(-1));
            }
        }
        if (highest < 0) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "%s names no token: download it again, or remove it, for prompts are made of ids",
                    file));
        }
        if (highest >= config.vocabulary()) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "%s has %d tokens, but config.json says vocab_size = %d: they belong to different models",
                    file,
                    highest + 1,
                    config.vocabulary()));
        }
        if (!special.isEmpty() && !special.contains(config.bos())) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "config.json says bos_token_id = %s, but the special tokens of %s are %s: correct one of them",
                    config.bos(),
                    file,
                    sorted(special)));
        }
        Optional<Integer> eos = eosText(folder).flatMap(text -> id(text, root));
        return Optional.of(new TokenizerFile(file, highest + 1, Set.copyOf(special), eos));
    }

    private static Optional<String> eosText(Path folder) {
        Path file = folder.resolve("tokenizer_config.json");
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        // a text, or an object around it
        JsonNode token = JsonFile.read(file).path("eos_token");
        return Optional.of(token.path("content").asText(token.asText(""))).filter(t -> !t.isEmpty());
    }

    private static Optional<Integer> id(String text, JsonNode root) {
        for (JsonNode token : root.path("added_tokens")) {
            if (token.path("content").asText("").equals(text)) {
                return Optional.of(token.path("id").asInt(-1));
            }
        }
        JsonNode id = root.path("model").path("vocab").path(text);
        return id.isInt() ? Optional.of(id.intValue()) : Optional.empty();
    }

    private static String sorted(Set<Integer> ids) {
        return ids.stream().sorted().map(String::valueOf).collect(Collectors.joining(", "));
    }

    /** {@return the ids that have a special meaning} */
    Set<Integer> special() {
        return special;
    }

    /** {@return the id of the token that {@code tokenizer_config.json} beside it names as end of sequence} */
    Optional<Integer> eos() {
        return eos;
    }

    /** Loads the tokenizer itself, which needs DJL's native library for it. */
    LlamaTokenizer load() {
        try {
            return new LlamaTokenizer(HuggingFaceTokenizer.newInstance(file));
        } catch (IOException | RuntimeException | LinkageError e) {
            throw new MeasurementException(
                    String.format(
                            Locale.ROOT,
                            "%s cannot be loaded%s",
                            file,
                            IoFault.because(e, "download it again, or remove it, because prompts are made of ids")),
                    e);
        }
    }

    /** {@return how many tokens it has, as results say it} */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "tokenizer.json, %d tokens", tokens);
    }
}
