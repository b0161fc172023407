package io.github.latencybudget.load;

import io.github.latencybudget.budget.Looks;
import io.github.latencybudget.trace.NanoClock;
import io.github.latencybudget.trace.TokenTrace;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * Which request is next: of each prompt length in turn, until all that is asked about a length is decided, or of a length that is
 * drawn or a conversation of a file, until all that is asked is; at most until as many requests were made or as much time has gone by as may be. For one run;
 * may be asked by several threads.
 */
final class Plan {

    private final List<Integer> promptTokens;
    private final Optional<LengthDraw> draw;
    private final Optional<Dialogues> dialogues;
    private final Optional<ThinkDraw> thinkTimes;
    private final int mostRequests;
    private final int concurrency;
    private final long maxNanos;
    private final NanoClock clock;
    private final long startNanos;
    private final Optional<Looks> looks;
    private final Map<Integer, Integer> made = new HashMap<>();
    /** Those that ended before one with a lower number did: to look at them first would favour the fast ones. */
    private final Map<Integer, TokenTrace> early = new HashMap<>();

    private int next;
    private int nextToLookAt;
    private int turn;

    /**
     * A request to make.
     *
     * @param promptTokens the length of its prompt; 0 in a conversation
     * @param dialogue whose turn it is; empty for a prompt by itself
     * @param thinkNanos how long its user thinks before it
     */
    record Next(int number, int promptTokens, Optional<Dialogues.Ongoing> dialogue, long thinkNanos) {

        private Next(int number, int promptTokens) {
            this(number, promptTokens, Optional.empty(), 0);
        }

        private Next after(long nanos) {
            return new Next(number, promptTokens, dialogue, nanos);
        }

        int outputTokens(Scenario scenario) {
            return dialogue.map(d -> d.turn().outputTokens().orElse(scenario.outputTokens()))
                    .orElse(scenario.outputTokens());
        }
    }

    /** @param looks tell when enough was measured; empty to measure all */
    Plan(Scenario scenario, Optional<Looks> looks, NanoClock clock) {
        this.promptTokens = List.copyOf(scenario.promptTokens());
        this.draw = scenario.prompts() instanceof Prompts.Drawn drawn
                ? Optional.of(new LengthDraw(drawn))
                : Optional.empty();
        this.dialogues = scenario.prompts() instanceof Prompts.FromFile file
                ? Optional.of(new Dialogues(file.dialogues()))
                : Optional.empty();
        this.thinkTimes = scenario.thinkTime().map(ThinkDraw::new);
        this.mostRequests = scenario.mostRequests();
        this.concurrency = scenario.concurrency();
        this.maxNanos = scenario.maxDuration().map(d -> d.toNanos()).orElse(Long.MAX_VALUE);
        this.clock = clock;
        this.startNanos = clock.nanos();
        this.looks = looks;
    }

    /** {@return what to measure next; empty where it was enough} A user asks when the answer before is there, and thinks then. */
    synchronized Optional<Next> next() {
        long think =
                next < concurrency ? 0 : thinkTimes.map(ThinkDraw::nextNanos).orElse(0L);
        if (clock.nanos() - startNanos >= maxNanos - think) {
            return Optional.empty();
        }
        return nextOfAny().map(n -> n.after(think));
    }

    private Optional<Next> nextOfAny() {
        // As many as are in flight together are begun together or not at all: fewer would be another load.
        boolean isWithinRound = next % concurrency != 0;
        if (draw.isPresent()) {
            return nextOf(draw.get(), isWithinRound);
        }
        if (dialogues.isPresent()) {
            return nextOf(dialogues.get(), isWithinRound);
        }
        return next(length -> !isDecided(length)).or(() -> isWithinRound ? next(length -> true) : Optional.empty());
    }

    /** A length that never came keeps a rule on all of them from being shown. */
    private Optional<Next> nextOf(LengthDraw lengths, boolean isWithinRound) {
        boolean isEnough = made.size() == promptTokens.size()
                && looks.filter(Looks::isDecided).isPresent();
        if (next >= mostRequests || isEnough && !isWithinRound) {
            return Optional.empty();
        }
        int length = lengths.next();
        made.merge(length, 1, Integer::sum);
        return Optional.of(new Next(next++, length));
    }

    private Optional<Next> nextOf(Dialogues file, boolean isWithinRound) {
        boolean isEnough = looks.filter(Looks::isDecided).isPresent();
        return next >= mostRequests || isEnough && !isWithinRound
                ? Optional.empty()
                : file.next(next).map(dialogue -> new Next(next++, 0, Optional.of(dialogue), 0));
    }

    private Optional<Next> next(IntPredicate isWanted) {
        for (int i = 0; i < promptTokens.size(); i++) {
            int length = promptTokens.get((turn + i) % promptTokens.size());
            if (made.getOrDefault(length, 0) < mostRequests && isWanted.test(length)) {
                turn = (turn + i + 1) % promptTokens.size();
                made.merge(length, 1, Integer::sum);
                return Optional.of(new Next(next++, length));
            }
        }
        return Optional.empty();
    }

    private boolean isDecided(int length) {
        return looks.filter(l -> l.isDecided(length)).isPresent();
    }

    /** Takes what came of a request. */
    synchronized void done(TokenTrace trace) {
        dialogues.ifPresent(d -> d.done(trace));
        if (looks.isEmpty()) {
            return;
        }
        early.put(trace.request(), trace);
        while (early.containsKey(nextToLookAt)) {
            looks.get().add(early.remove(nextToLookAt++));
        }
    }
}
