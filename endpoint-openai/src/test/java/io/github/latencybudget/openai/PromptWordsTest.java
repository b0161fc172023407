package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.trace.Sampling;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PromptWordsTest {

    private final PromptWords prompts = new PromptWords(prompt -> prompt.split(" ").length, 42);

    @Test
    void whoAsksForOneThatWasSentHasOthersFromThenOn() throws Exception {
        String first = prompts.prompt(24, 6);
        prompts.sent(24, 7);

        prompts.prompt(24, 7);

        assertThat(prompts.prompt(24, 6)).isNotEqualTo(first);
    }

    @Test
    void onceRenewedTheyStayAsTheyAre() throws Exception {
        prompts.prompt(24, 6);
        prompts.sent(24, 7);
        prompts.renew();
        String first = prompts.prompt(24, 6);

        prompts.prompt(24, 7);

        assertThat(prompts.prompt(24, 6)).isEqualTo(first);
    }

    /** As it is in many vocabularies, which have a word with a space before it and not without. */
    @Test
    void noneBeginsWithAWordThatIsMoreTokensThere() throws Exception {
        PromptWords.TokenCounter counter = prompt -> prompt.split(" ").length + (prompt.matches("[g-m].*") ? 1 : 0);
        PromptWords words = new PromptWords(counter, 42);

        for (int number = 0; number < 200; number++) {
            assertThat(counter.count(words.prompt(24, number))).isEqualTo(24);
        }
    }

    /** As a tokenizer does that does not know the chat template. */
    @Test
    void whatIsCountedWithoutItsPlaceIsCountedInItsPlaceWhereThatMatters() throws Exception {
        PromptWords.TokenCounter counter = new PromptWords.TokenCounter() {
            @Override
            public int count(String prompt) {
                return prompt.split(" ").length;
            }

            @Override
            public int countInPlace(String prompt) {
                return count(prompt) + 3 + (prompt.matches("[g-m].*") ? 1 : 0);
            }
        };
        PromptWords words = new PromptWords(counter, 42);

        for (int number = 0; number < 200; number++) {
            assertThat(counter.countInPlace(words.prompt(24, number))).isEqualTo(24);
        }
    }

    /** A length may be asked for the first time by a request that is measured, such as one of a file. */
    @Test
    void whatWasCountedIsNotSent() throws Exception {
        List<String> counted = new ArrayList<>();
        PromptWords words = new PromptWords(
                prompt -> {
                    counted.add(prompt);
                    return prompt.split(" ").length;
                },
                42);

        String prompt = words.prompt(24, 500_007);

        String beginning = String.join(" ", List.of(prompt.split(" ")).subList(0, 4));
        assertThat(counted).anyMatch(c -> c.split(" ").length == 24).noneMatch(c -> c.startsWith(beginning));
    }

    @Test
    void ofManyLengthsOnlyTheFirstAreCounted() throws Exception {
        List<Integer> counted = new ArrayList<>();
        PromptWords.TokenCounter counter = prompt -> {
            counted.add(prompt.split(" ").length + 5);
            return prompt.split(" ").length + 5;
        };
        PromptWords words = new PromptWords(counter, 42);

        for (int tokens = 100; tokens < 300; tokens++) {
            assertThat(words.prompt(tokens, tokens).split(" ")).hasSize(tokens - 5);
        }
        assertThat(counted.stream().filter(c -> c >= 100).distinct())
                .containsExactlyInAnyOrder(104, 100, 101, 102, 103, 105, 106, 107);
    }

    /** A template may have more before a long message. */
    @Test
    void lengthsThatDifferByMoreThanTheirWordsAreAllCounted() throws Exception {
        PromptWords.TokenCounter counter = prompt -> {
            int words = prompt.split(" ").length;
            return words + words / 10;
        };
        PromptWords words = new PromptWords(counter, 42);

        for (int tokens = 110; tokens < 300; tokens += 11) {
            assertThat(counter.count(words.prompt(tokens, tokens))).isEqualTo(tokens);
        }
    }

    @Test
    void promptsNearEachOtherDifferFromTheFirstWordOn() throws Exception {
        Set<String> first = new HashSet<>();
        for (int number = 0; number < 32; number++) {
            first.add(prompts.prompt(24, number).split(" ")[0]);
        }

        assertThat(first).hasSize(32);
    }

    /** What is to be found in a cache has to stay what it is. */
    @Test
    void thoseOfAWarmCacheAreNotRenewed() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0))) {
            assertThat(staysWhenRenewed(server, "warm")).isTrue();
            assertThat(staysWhenRenewed(server, "cold")).isFalse();
        }
    }

    private static boolean staysWhenRenewed(ScriptedServer server, String cache) {
        try (TargetSession session = Requests.open(server.url(), Map.of("prefixCache", cache))) {
            String before = text(session);
            session.renewPrompts();
            return text(session).equals(before);
        }
    }

    private static String text(TargetSession session) {
        return session.promptText(new GenerationRequest(24, 2, true, Sampling.GREEDY, 7))
                .orElseThrow();
    }
}
