package io.github.latencybudget.prompts;

import io.github.latencybudget.inference.Message;
import io.github.latencybudget.inference.Said;
import io.github.latencybudget.load.Dialogue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Draws some of many conversations, each as probable as any other, and brings them into an order that is drawn too. */
final class Drawing {

    private static final long FIRST = 1_125_899_906_842_597L;
    private static final long FACTOR = 1_099_511_628_211L;

    private final int most;
    private final Random random;
    private final List<Dialogue> kept = new ArrayList<>();
    /** By hash, for a large file would not fit. */
    private final Set<Long> hashes = new HashSet<>();

    private int seen;
    private int repeated;
    private int mostTurns;

    Drawing(int most, long seed) {
        this.most = most;
        this.random = new Random(seed);
    }

    void add(Dialogue dialogue) {
        repeated += !isMade(dialogue) && !hashes.add(hash(dialogue)) ? 1 : 0;
        mostTurns = Math.max(mostTurns, dialogue.turns().size());
        seen++;
        if (kept.size() < most) {
            kept.add(dialogue);
            return;
        }
        int place = random.nextInt(seen);
        if (place < most) {
            kept.set(place, dialogue);
        }
    }

    /** Of equal token counts, each is made anew. */
    private static boolean isMade(Dialogue dialogue) {
        return dialogue.turns().stream().allMatch(t -> t.said() instanceof Said.Tokens);
    }

    /** Of 64 bits, so that two of a large file hardly have the same by chance. */
    private static long hash(Dialogue dialogue) {
        long hash = FIRST;
        for (Dialogue.Turn turn : dialogue.turns()) {
            String said = turn.said() instanceof Said.Text text ? text.text() : "";
            List<Message> messages = turn.said() instanceof Said.Messages m ? m.messages() : List.of();
            hash = hash(hash, said);
            for (Message message : messages) {
                hash = hash(hash, message.role() + message.text());
            }
        }
        return hash;
    }

    private static long hash(long before, String text) {
        long hash = before * FACTOR;
        for (int i = 0; i < text.length(); i++) {
            hash = hash * FACTOR + text.charAt(i) + 1;
        }
        return hash;
    }

    int seen() {
        return seen;
    }

    int repeated() {
        return repeated;
    }

    int mostTurns() {
        return mostTurns;
    }

    List<Dialogue> drawn() {
        List<Dialogue> drawn = new ArrayList<>(kept);
        Collections.shuffle(drawn, random);
        return drawn;
    }
}
