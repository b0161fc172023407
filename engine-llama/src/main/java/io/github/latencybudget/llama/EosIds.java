package io.github.latencybudget.llama;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.latencybudget.inference.MeasurementException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The ids that end an output. A model's folder names them in up to three files; an id that any of them names ends an output, and
 * where they disagree, the description says so.
 *
 * @param ids the ids, possibly none
 * @param description the ids, and what is said of them, in words
 */
record EosIds(SortedSet<Integer> ids, String description) {

    EosIds {
        ids = Collections.unmodifiableSortedSet(new TreeSet<>(ids));
    }

    /** {@return those of a shape} */
    static EosIds of(LlamaConfig config) {
        SortedSet<Integer> ids = new TreeSet<>(config.eos());
        return new EosIds(ids, words(ids));
    }

    /**
     * @param tokenizer the folder's, where it has one
     * @throws MeasurementException where a file is not JSON, or names an id that the model does not have
     */
    static EosIds read(Path folder, LlamaConfig config, Optional<TokenizerFile> tokenizer) {
        Map<String, SortedSet<Integer>> said = new LinkedHashMap<>();
        for (String name : List.of("generation_config.json", "config.json")) {
            SortedSet<Integer> ids = read(folder.resolve(name), config.vocabulary());
            if (!ids.isEmpty()) {
                said.put(name, ids);
            }
        }
        SortedSet<Integer> all = new TreeSet<>();
        said.values().forEach(all::addAll);
        boolean disagree = said.values().stream().distinct().count() > 1;
        Optional<Integer> own = tokenizer.flatMap(TokenizerFile::eos);
        if (own.isPresent()) {
            disagree |= !said.isEmpty() && !all.contains(own.get());
            said.put("tokenizer_config.json", new TreeSet<>(List.of(own.get())));
            all.add(own.get());
        }
        if (said.isEmpty()) {
            all.addAll(config.eos());
        }
        List<String> remarks = new ArrayList<>();
        if (disagree) {
            remarks.add(said.entrySet().stream()
                    .map(e -> e.getKey() + " says " + words(e.getValue()))
                    .collect(Collectors.joining(", ")));
        }
        SortedSet<Integer> ordinary = new TreeSet<>(all);
        tokenizer.map(TokenizerFile::special).ifPresent(special -> {
            if (special.isEmpty()) {
                ordinary.clear();
            }
            ordinary.removeAll(special);
        });
        if (tokenizer.isPresent() && !ordinary.isEmpty()) {
            remarks.add(String.format(Locale.ROOT, "%s is no special token of tokenizer.json", words(ordinary)));
        }
        return new EosIds(
                all,
                remarks.isEmpty()
                        ? words(all)
                        : String.format(
                                Locale.ROOT,
                                "%s, each of them ends an output; the model's files disagree: %s",
                                words(all),
                                String.join("; ", remarks)));
    }

    private static SortedSet<Integer> read(Path file, int vocabulary) {
        SortedSet<Integer> ids = new TreeSet<>();
        if (!Files.isRegularFile(file)) {
            return ids;
        }
        JsonNode node = JsonFile.read(file).path("eos_token_id");
        for (JsonNode id : node.isArray() ? node : List.of(node)) {
            if (id.isNull() || id.isMissingNode()) {
                continue;
            }
            if (!id.isInt() || id.intValue() < 0 || id.intValue() >= vocabulary) {
                throw new MeasurementException(String.format(
                        Locale.ROOT,
                        "%s: eos_token_id = %s must be a whole number from 0 on and below vocab_size = %d; correct the file",
                        file,
                        id,
                        vocabulary));
            }
            ids.add(id.intValue());
        }
        return ids;
    }

    private static String words(SortedSet<Integer> ids) {
        return ids.isEmpty() ? "none" : ids.stream().map(String::valueOf).collect(Collectors.joining(" and "));
    }
}
