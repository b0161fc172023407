package io.github.latencybudget.load;

import io.github.latencybudget.inference.Conversation;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The conversations of a run: whose turn is next. A user who has an answer goes on before another begins, so that as many are under
 * way as requests are in flight. For one thread at a time.
 */
final class Dialogues {

    private final Iterator<Dialogue> toCome;
    private final Queue<Ongoing> answered = new ArrayDeque<>();
    private final Map<Integer, Ongoing> inFlight = new HashMap<>();

    /** A conversation that is under way. */
    static final class Ongoing {

        private final Dialogue dialogue;
        private int turns;
        private @Nullable Conversation conversation;

        private Ongoing(Dialogue dialogue) {
            this.dialogue = dialogue;
        }

        /** {@return the turn that is taken now} */
        Dialogue.Turn turn() {
            return dialogue.turns().get(turns - 1);
        }

        boolean isMade() {
            return dialogue.isMade();
        }

        /** By whoever makes the request of the turn; never two at a time, for the next turn waits for it. */
        Conversation conversation(Supplier<Conversation> begin) {
            if (conversation == null) {
                conversation = begin.get();
            }
            return conversation;
        }

        private boolean hasMore() {
            return turns < dialogue.turns().size();
        }
    }

    Dialogues(List<Dialogue> dialogues) {
        this.toCome = dialogues.iterator();
    }

    /**
     * {@return the conversation whose turn it is; empty where none has another}
     *
     * @param number of the request that it is
     */
    Optional<Ongoing> next(int number) {
        Ongoing next = answered.poll();
        if (next == null && toCome.hasNext()) {
            next = new Ongoing(toCome.next());
        }
        if (next == null) {
            return Optional.empty();
        }
        next.turns++;
        inFlight.put(number, next);
        return Optional.of(next);
    }

    /** Takes what came of a request. Without its answer, a conversation ends. */
    void done(TokenTrace trace) {
        Ongoing ongoing = inFlight.remove(trace.request());
        if (ongoing != null && ongoing.hasMore() && trace.outcome() == Outcome.COMPLETED) {
            answered.add(ongoing);
        }
    }
}
