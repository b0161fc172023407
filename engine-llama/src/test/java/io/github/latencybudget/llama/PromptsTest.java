package io.github.latencybudget.llama;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PromptsTest {

    private final Prompts prompts = new Prompts(1, 300, Set.of(0, 2), 42);

    @Test
    void hasTheExactLengthAndStartsWithBos() {
        for (int tokens : new int[] {1, 2, 3, 128, 513}) {
            assertThat(prompts.prompt(tokens, 9)).hasSize(tokens).startsWith(1);
        }
    }

    @Test
    void equalNumbersGiveEqualPrompts() {
        assertThat(new Prompts(1, 300, Set.of(0, 2), 42).prompt(64, 5)).isEqualTo(prompts.prompt(64, 5));
        assertThat(new Prompts(1, 300, Set.of(0, 2), 43).prompt(64, 5)).isNotEqualTo(prompts.prompt(64, 5));
    }

    @Test
    void theSecondIdIsAnotherForEveryNumber() {
        Set<Long> second = new HashSet<>();
        for (long number = -100; number < 197; number++) {
            second.add(prompts.prompt(2, number)[1]);
        }
        assertThat(second).as("300 ids without 0, 1 and 2").hasSize(297);
        assertThat(prompts.prompt(2, Long.MAX_VALUE)[1]).isNotEqualTo(prompts.prompt(2, Long.MAX_VALUE - 1)[1]);
        assertThat(prompts.prompt(2, Long.MIN_VALUE)[1]).isNotEqualTo(prompts.prompt(2, Long.MIN_VALUE + 1)[1]);
    }

    @Test
    void specialIdsAreLeftOut() {
        for (long number = 0; number < 20; number++) {
            long[] ids = prompts.prompt(500, number);
            for (int i = 1; i < ids.length; i++) {
                assertThat(ids[i]).isBetween(3L, 299L);
            }
        }
    }

    @Test
    void aVocabularyOfSpecialIdsOnlyStillGivesAPrompt() {
        assertThat(new Prompts(1, 3, Set.of(0, 2), 42).prompt(4, 7)).containsExactly(1, 1, 1, 1);
    }
}
