package io.github.latencybudget.openai;

import io.github.latencybudget.inference.MeasurementException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Prompts of an exact number of tokens, made of words of which each is one token to the model. Which words are, and how many tokens
 * come beside them (BOS, a chat template), is found by counting. A word that is one token after another may be two at the start,
 * where no space is before it, so the first words are counted there. Two prompts with different numbers differ from the first
 * word on, as long as their numbers are nearer than there are first words, and within the first few in any case. A prompt that was
 * sent is not made again: whoever asks for its number anew begins another run, and has other prompts from then on.
 */
final class PromptWords {

    private static final List<String> CANDIDATES = List.of(
            ("time year people way day man thing woman life child world school state family student group country problem hand part place case week company system program question work government number night point home water room mother area money story fact month lot right study book eye job word business issue side kind head house service friend father power hour game line end member law car city community name president team minute idea body information back parent face level office door health person art war history party result change morning reason research girl guy moment air teacher force education "
                            + "the and was to he she it they in on a of with said had very big little happy so all but his her that for saw play one up you not went wanted then out day there could like did be")
                    .split(" "));

    private static final int ROUNDS_TO_SETTLE = 4;
    private static final int LEAST_WORDS = 2;
    private static final int GROUP = 16;

    /** Each takes a count of its own, which may be a request. */
    private static final int MOST_FIRST_WORDS = 32;

    /**
     * After so many lengths with as many tokens beside their words the others are reckoned: a file has hundreds, which come while the
     * server is measured, and to count one may take its prefill.
     */
    private static final int LENGTHS_TO_COUNT = 8;

    /** The number of the prompts that are only counted: the server may have sent them through its model, and has them in its cache. */
    private static final long COUNTED = -1;

    private final TokenCounter counter;
    private final SplittableRandom salt;
    private final Map<Integer, Integer> wordsByLength = new HashMap<>();
    private final Set<Sent> sent = new HashSet<>();
    private int beside = 1;
    private int alike;
    private long base;
    private List<String> words = List.of();
    private List<String> firstWords = List.of();

    /** Counts the tokens of a prompt as the server would, all that it adds included. */
    interface TokenCounter {
        int count(String prompt) throws Http.Failure, InterruptedException;

        /** {@return the same for a prompt whose beginning matters, which a count of its text alone may get wrong} */
        default int countInPlace(String prompt) throws Http.Failure, InterruptedException {
            return count(prompt);
        }
    }

    private record Sent(int tokens, long number) {}

    /** @param seed what the prompts follow from; one that was never used makes prompts that no server has seen */
    PromptWords(TokenCounter counter, long seed) {
        this.counter = counter;
        this.salt = new SplittableRandom(seed);
        this.base = salt.nextLong();
    }

    /**
     * {@return the prompt with this number, so many tokens long}
     *
     * @throws MeasurementException where none can be made
     */
    synchronized String prompt(int tokens, long number) throws Http.Failure, InterruptedException {
        if (words.isEmpty()) {
            List<String> found = findWords();
            firstWords = alikeAtTheStart(found);
            words = found;
        }
        if (sent.contains(new Sent(tokens, number))) {
            renew();
        }
        Integer known = wordsByLength.get(tokens);
        int count = known == null ? settle(tokens) : known;
        wordsByLength.put(tokens, count);
        return text(count, number);
    }

    /** Makes other prompts from here on. */
    synchronized void renew() {
        base = salt.nextLong();
        sent.clear();
    }

    /** Takes down that a prompt was sent, and so is in the server's cache. */
    synchronized void sent(int tokens, long number) {
        sent.add(new Sent(tokens, number));
    }

    private int settle(int tokens) throws Http.Failure, InterruptedException {
        int count = Math.max(1, tokens - beside);
        if (alike >= LENGTHS_TO_COUNT && tokens > beside) {
            return count;
        }
        int counted = 0;
        for (int round = 0; round < ROUNDS_TO_SETTLE; round++) {
            counted = counter.countInPlace(text(count, COUNTED));
            if (counted == tokens) {
                alike = tokens - count == beside ? alike + 1 : 1;
                beside = tokens - count;
                return count;
            }
            count += tokens - counted;
            if (count < 1) {
                throw new MeasurementException(String.format(
                        Locale.ROOT,
                        "promptTokens = %d: with what the server adds to a prompt of one word, it has %d tokens; ask for at least so many",
                        tokens,
                        counter.countInPlace(text(1, COUNTED))));
            }
        }
        throw new MeasurementException(String.format(
                Locale.ROOT,
                "promptTokens = %d: no prompt of this length could be made, the nearest has %d by the server's count; name the model's tokenizer.json by the option tokenizer, or ask for another length",
                tokens,
                counted));
    }

    private String text(int count, long number) {
        StringBuilder text = new StringBuilder();
        SplittableRandom random = new SplittableRandom(base + number);
        long digits = number;
        for (int i = 0; i < count; i++) {
            List<String> from = i == 0 ? firstWords : words;
            int size = from.size();
            int index = i < 3 ? (int) Math.floorMod(base + digits, (long) size) : random.nextInt(size);
            if (i < 3) {
                digits = Math.floorDiv(digits, (long) size);
            }
            text.append(i == 0 ? "" : " ").append(from.get(index));
        }
        return text.toString();
    }

    /** Words in groups: one whose sum is the number of its words holds only such. */
    private List<String> findWords() throws Http.Failure, InterruptedException {
        List<String> distinct = CANDIDATES.stream().distinct().toList();
        String anchor = "the the";
        int beside = counter.count(anchor);
        List<String> found = new ArrayList<>();
        for (int i = 0; i < distinct.size(); i += GROUP) {
            add(distinct.subList(i, Math.min(distinct.size(), i + GROUP)), anchor, beside, found);
        }
        if (found.size() < LEAST_WORDS) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "no prompt of an exact length can be made: by the server's count, hardly a word is one token (%d of %d); name the model's tokenizer.json by the option tokenizer",
                    found.size(),
                    distinct.size()));
        }
        return List.copyOf(found);
    }

    /** {@return those of which a prompt that begins with them has as many tokens as most have} */
    private List<String> alikeAtTheStart(List<String> found) throws Http.Failure, InterruptedException {
        Map<Integer, List<String>> byTokens = new TreeMap<>();
        for (String word : found.subList(0, Math.min(found.size(), MOST_FIRST_WORDS))) {
            byTokens.computeIfAbsent(counter.countInPlace(word + " the the"), tokens -> new ArrayList<>())
                    .add(word);
        }
        return byTokens.values().stream()
                .max(Comparator.comparingInt(List::size))
                .map(List::copyOf)
                .orElseThrow();
    }

    private void add(List<String> group, String anchor, int beside, List<String> found)
            throws Http.Failure, InterruptedException {
        int tokens = counter.count(anchor + " " + String.join(" ", group)) - beside;
        if (tokens == group.size()) {
            found.addAll(group);
        } else if (group.size() > 1 && tokens < 2 * group.size()) {
            add(group.subList(0, group.size() / 2), anchor, beside, found);
            add(group.subList(group.size() / 2, group.size()), anchor, beside, found);
        }
    }
}
