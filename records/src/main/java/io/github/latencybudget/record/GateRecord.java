package io.github.latencybudget.record;

import io.github.latencybudget.budget.Status;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * One gate and attempt, as its file holds it. A state that contradicts what else is there is refused.
 *
 * @param schema {@link #SCHEMA}
 * @param source which run and machine it is of
 * @param gate which gate
 * @param displayName the gate's name for people
 * @param attempt from 1; above it where the gate was run again in the same run
 * @param state how far it came
 * @param times when it came there
 * @param skipReason why it was skipped or is not applicable; null unless it was or is
 * @param error what broke, or why the configuration was refused, in words; null unless nothing could be judged because of it
 * @param side which of several targets of one load it is about; null for a gate by itself
 * @param result what was measured and shown
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record GateRecord(
        String schema,
        Source source,
        GateId gate,
        String displayName,
        int attempt,
        State state,
        Times times,
        @Nullable String skipReason,
        @Nullable String error,
        @Nullable SideEntry side,
        Result result) {

    /** The name and version of this format. */
    public static final String SCHEMA = "latency-budget/record/2";

    /**
     * @throws NullPointerException where a file leaves out what every record has
     * @throws IllegalArgumentException for a state that contradicts what else is there
     */
    public GateRecord {
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(gate, "gate");
        Objects.requireNonNull(displayName, "displayName");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(times, "times");
        Objects.requireNonNull(result, "result");
        if (attempt < 1) {
            throw new IllegalArgumentException("attempt = " + attempt + ": must be at least 1");
        }
        Contradictions.refuse(state, times, skipReason, error, result);
    }

    /** How far a gate came. */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public enum State {
        /** It is part of the run, and its turn has not come. */
        PLANNED,
        /** Its measurement has started. A record that stays here is of a gate that was killed. */
        STARTED,
        /** It came to its end: with a judgement, or with an error. */
        ENDED,
        /** It was not run, for a reason. */
        SKIPPED,
        /** It was not measured, because its limits hold for another device. */
        NOT_APPLICABLE,
        /** It was not measured, because its configuration was refused. */
        REFUSED,
        /** A signal stopped it. What was measured until then is there. */
        INTERRUPTED
    }

    /**
     * When a gate came how far, by the wall clock.
     *
     * @param planned when it was planned
     * @param started when its measurement started; null before
     * @param ended when it ended, was interrupted, skipped or refused; null before
     * @param waitedNanos how long it waited for its device before it started, in nanoseconds
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record Times(
            Instant planned,
            @Nullable Instant started,
            @Nullable Instant ended,
            long waitedNanos) {

        /**
         * @throws NullPointerException where a file leaves out when the gate was planned
         * @throws IllegalArgumentException for a wait that is negative
         */
        public Times {
            Objects.requireNonNull(planned, "planned");
            if (waitedNanos < 0) {
                throw new IllegalArgumentException("waitedNanos = " + waitedNanos + ": must not be negative");
            }
        }

        private Times startedAt(Instant now, long waitedNanos) {
            return new Times(planned, now, null, waitedNanos);
        }

        private Times endedAt(Instant now) {
            return new Times(planned, started, now, waitedNanos);
        }
    }

    /**
     * How the test's own body ended, beside the gate's verdict.
     *
     * @param status how
     * @param exception the class of what it threw; null where it passed. Its message stays with the test's own report
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record TestEnding(Status status, @Nullable String exception) {

        /**
         * @throws NullPointerException without a status
         * @throws IllegalArgumentException for an exception of a test that passed
         */
        public TestEnding {
            Objects.requireNonNull(status, "status");
            boolean mayHaveThrown = status == Status.FAILED || status == Status.ABORTED;
            if (exception != null && !mayHaveThrown) {
                throw new IllegalArgumentException("a test that is " + status + " has thrown " + exception);
            }
        }

        /** How a test's body can end. */
        @API(status = API.Status.EXPERIMENTAL, since = "0.1")
        public enum Status {
            /** Without an exception. */
            PASSED,
            /** By an assumption that did not hold. */
            ABORTED,
            /** By an assertion or another exception. */
            FAILED,
            /** Of a policy: without an exception, and some of its rules are not about the device. */
            PARTLY_APPLICABLE,
            /** Of a policy: without an exception, and some of its rules were left out by a tag or another choice of tests. */
            PARTLY_SELECTED
        }
    }

    /**
     * What was measured and what was shown.
     *
     * @param measurement what was measured; null before, and where nothing was
     * @param sweep the steps of a sweep, of which the measurement and the judgement are those that decide; null for a single run
     * @param budget what the measurement was judged by; null where nothing was judged
     * @param judgement what was shown; null where nothing was judged
     * @param baseline what the baseline measured, without the engine's steps; null where the run is not compared with one
     * @param comparison the run beside its baseline; null where it is not to be compared with one
     * @param test how the test's own body ended; null where nothing was judged
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record Result(
            @Nullable MeasurementEntry measurement,
            @Nullable SweepEntry sweep,
            @Nullable BudgetEntry budget,
            @Nullable JudgementEntry judgement,
            @Nullable MeasurementEntry baseline,
            @Nullable ComparisonEntry comparison,
            @Nullable TestEnding test) {

        /** Nothing yet. */
        static final Result NONE = new Result(null, null, null, null, null, null, null);

        private Result measured(MeasurementEntry entry) {
            return new Result(entry, sweep, budget, judgement, baseline, comparison, test);
        }

        private Result measuredUntil(MeasurementEntry entry) {
            return sweep == null
                    ? measured(entry)
                    : new Result(measurement, sweep.with(entry), budget, null, null, null, null);
        }

        private Result swept(SweepEntry entry, MeasurementEntry deciding, BudgetEntry by) {
            return new Result(deciding, entry, by, judgement, baseline, comparison, test);
        }

        private Result judged(BudgetEntry by, JudgementEntry entry, TestEnding ending) {
            return new Result(measurement, sweep, by, entry, baseline, comparison, ending);
        }

        private Result ending(TestEnding ending) {
            return new Result(measurement, sweep, budget, judgement, baseline, comparison, ending);
        }

        private Result compared(ComparisonEntry entry, @Nullable MeasurementEntry with) {
            return new Result(measurement, sweep, budget, judgement, with, entry, test);
        }

        private Result withoutJudgement() {
            return new Result(measurement, sweep, budget, null, null, null, null);
        }
    }

    /** {@return which run of the build it belongs to} */
    public String run() {
        return source.run();
    }

    /** {@return what was measured; null before, and where nothing was} */
    public @Nullable MeasurementEntry measurement() {
        return result.measurement();
    }

    /** {@return the steps of a sweep; null for a single run} */
    public @Nullable SweepEntry sweep() {
        return result.sweep();
    }

    /** {@return what the measurement was judged by; null where nothing was judged} */
    public @Nullable BudgetEntry budget() {
        return result.budget();
    }

    /** {@return what was shown; null where nothing was judged} */
    public @Nullable JudgementEntry judgement() {
        return result.judgement();
    }

    /** {@return the run beside its baseline; null where it is not compared with one} */
    public @Nullable ComparisonEntry comparison() {
        return result.comparison();
    }

    /** {@return how the test's own body ended; null where nothing was judged} */
    public @Nullable TestEnding test() {
        return result.test();
    }

    /** Judges the measurement once more by the budget, each step of a sweep too, and compares it with its baseline. Pure. */
    public JudgedAgain judgeAgain() {
        return JudgedAgain.of(this);
    }

    /** {@return whether its verdict and its test let it pass} */
    boolean passes() {
        Status status = judgement() == null ? Status.INCONCLUSIVE : judgement().status();
        return state == State.ENDED
                && (status == Status.PASS || status == Status.WAIVED)
                && test() != null
                && test().status() != TestEnding.Status.FAILED;
    }

    GateRecord failedAfterVerdict(@Nullable String exception) {
        return next(
                state,
                times,
                skipReason,
                error,
                side,
                result.ending(new TestEnding(TestEnding.Status.FAILED, exception)));
    }

    static GateRecord planned(Source source, GateId gate, String displayName, int attempt, Instant now) {
        Times times = new Times(now, null, null, 0);
        return new GateRecord(
                SCHEMA, source, gate, displayName, attempt, State.PLANNED, times, null, null, null, Result.NONE);
    }

    GateRecord started(Instant now, long waitedNanos) {
        return next(State.STARTED, times.startedAt(now, waitedNanos), null, null, side, result);
    }

    GateRecord skipped(Instant now, String reason) {
        return next(State.SKIPPED, times.endedAt(now), reason, null, side, result);
    }

    GateRecord notApplicable(Instant now, String reason) {
        return next(State.NOT_APPLICABLE, times.endedAt(now), reason, null, side, result);
    }

    GateRecord refused(Instant now, String reason) {
        return next(State.REFUSED, times.endedAt(now), null, reason, side, Result.NONE);
    }

    GateRecord interrupted(Instant now, Optional<MeasurementEntry> soFar) {
        Result until = soFar.map(result::measuredUntil).orElse(result).withoutJudgement();
        return next(State.INTERRUPTED, times.endedAt(now), null, null, side, until);
    }

    GateRecord broken(Instant now, String message, Optional<MeasurementEntry> soFar) {
        Result until = soFar.map(result::measuredUntil).orElse(result).withoutJudgement();
        return next(State.ENDED, times.endedAt(now), null, message, side, until);
    }

    GateRecord measured(MeasurementEntry entry) {
        return next(state, times, null, null, side, result.measured(entry));
    }

    GateRecord swept(SweepEntry entry, MeasurementEntry deciding, BudgetEntry budget) {
        return next(state, times, null, null, side, result.swept(entry, deciding, budget));
    }

    GateRecord compared(ComparisonEntry entry, @Nullable MeasurementEntry with) {
        return next(state, times, skipReason, error, side, result.compared(entry, with));
    }

    GateRecord beside(SideEntry entry) {
        return next(state, times, skipReason, error, entry, result);
    }

    GateRecord judged(Instant now, BudgetEntry budget, JudgementEntry entry, TestEnding ending) {
        return next(State.ENDED, times.endedAt(now), null, null, side, result.judged(budget, entry, ending));
    }

    private GateRecord next(
            State state,
            Times times,
            @Nullable String skipReason,
            @Nullable String error,
            @Nullable SideEntry side,
            Result result) {
        return new GateRecord(
                schema, source, gate, displayName, attempt, state, times, skipReason, error, side, result);
    }
}
