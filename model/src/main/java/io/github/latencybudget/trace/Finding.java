package io.github.latencybudget.trace;

import org.apiguardian.api.API;

/**
 * Something about a run that keeps its numbers from showing that a rule holds.
 *
 * @param kind which kind of thing
 * @param sentence what it was, with its values and the next step
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Finding(Kind kind, String sentence) {

    /** The kinds of findings, and what each does to a verdict. None lets a rule pass. */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public enum Kind {
        /** Some requests did not complete. What did complete can still show a breach. */
        FAILED_REQUESTS(false),
        /** Requests of an open loop were due and never sent. What breaks a limit without them breaks it. */
        DROPPED_REQUESTS(false),
        /** The run, or the sweep that it is a step of, ended before what has to hold was measured. What breaks a limit breaks it. */
        INTERRUPTED(false),
        /** A request gave another number of output tokens than declared. */
        OUTPUT_LENGTH(true),
        /** A trace contradicts itself. */
        INVALID_SAMPLE(true),
        /** The run was not warm. */
        NOT_WARM(true),
        /** Prompts of a file have lengths that no limit is about. What breaks a limit beside them breaks it. */
        UNJUDGED_PROMPTS(false),
        /** Fewer requests were in flight than the conditions say. What breaks a limit under less load breaks it. */
        CONCURRENCY(false),
        /** Another process used the device. */
        OTHER_PROCESS(true),
        /** The hardware slowed the device down to protect itself. */
        THROTTLED(true),
        /** The device ran at a lower clock than it should. */
        LOW_CLOCK(true),
        /** The device memory was nearly full. What breaks a limit in too little memory breaks it. */
        MEMORY_NEAR_FULL(false),
        /** The client sent requests later than they were due, so times from then on are its own too. */
        CLIENT_BEHIND(true),
        /** Requests were sent later than they were due, for as many were in flight as may be, so times from then on are the limit's too. */
        NO_ROOM(true),
        /** The client's own times were not exact enough for a limit, or it had more to read than it can tell apart. */
        CLIENT_INEXACT(true),
        /** Prompts were served from a prefix cache. What breaks a limit even so breaks it. */
        PREFIX_CACHE(false),
        /** The target or its device became another. */
        TARGET_CHANGED(true),
        /** The run became slower while it lasted. What breaks a limit on its way there breaks it. */
        SLOWED_DOWN(false),
        /** The run became faster while it lasted, so it began before its steady state. */
        SPED_UP(true);

        private final boolean ruleOutBreach;

        Kind(boolean ruleOutBreach) {
            this.ruleOutBreach = ruleOutBreach;
        }

        /** {@return whether, beside a pass, a breach cannot be shown either} */
        public boolean rulesOutBreach() {
            return ruleOutBreach;
        }
    }
}
