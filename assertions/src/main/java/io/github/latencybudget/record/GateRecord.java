package io.github.latencybudget.record;

import java.time.Instant;
import java.util.Objects;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * One gate and attempt, as its file holds it.
 *
 * @param schema {@link #SCHEMA}
 * @param run which run of the build it belongs to
 * @param gate which gate
 * @param displayName the gate's name for people
 * @param attempt from 1; above it where the gate was run again in the same run
 * @param state how far it came
 * @param times when it came there
 * @param skipReason why it was skipped or is not applicable; null unless it was or is
 * @param error what broke, in words; null unless the measurement could not be made
 * @param test how the test's own body ended; null before
 * @param measurement what was measured; null before, and where nothing was
 * @param judgement what was shown; null where nothing was judged
 * @param comparison the run beside its baseline; null where it is not compared with one, and in older files
 * @param sweep the steps of a sweep, of which the measurement and the judgement are those that decide; null for a single run, and
 *     in older files
 * @param side which of several targets of one load it is about; null for a gate by itself, and in older files
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record GateRecord(
        String schema,
        String run,
        GateId gate,
        String displayName,
        int attempt,
        State state,
        Times times,
        @Nullable String skipReason,
        @Nullable String error,
        @Nullable TestEnding test,
        @Nullable MeasurementEntry measurement,
        @Nullable JudgementEntry judgement,
        @Nullable ComparisonEntry comparison,
        @Nullable SweepEntry sweep,
        @Nullable SideEntry side) {

    /** The name and version of this format. */
    public static final String SCHEMA = "latency-budget/record/1";

    /** @throws NullPointerException where a file leaves out what every record has */
    public GateRecord {
        Objects.requireNonNull(run, "run");
        Objects.requireNonNull(gate, "gate");
        Objects.requireNonNull(displayName, "displayName");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(times, "times");
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
        /** It was not measured, for its limits hold for another device. */
        NOT_APPLICABLE,
        /** A signal stopped it. What was measured until then is there. */
        INTERRUPTED
    }

    /**
     * When a gate came how far, by the wall clock.
     *
     * @param planned when it was planned
     * @param started when its measurement started; null before
     * @param ended when it ended or was skipped; null before
     */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public record Times(
            Instant planned,
            @Nullable Instant started,
            @Nullable Instant ended) {

        /** @throws NullPointerException where a file leaves out when the gate was planned */
        public Times {
            Objects.requireNonNull(planned, "planned");
        }

        private Times endedAt(Instant now) {
            return new Times(planned, started, now);
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

    static GateRecord planned(String run, GateId gate, String displayName, int attempt, Instant now) {
        Times times = new Times(now, null, null);
        return new GateRecord(
                SCHEMA,
                run,
                gate,
                displayName,
                attempt,
                State.PLANNED,
                times,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null);
    }

    GateRecord started(Instant now) {
        return next(State.STARTED, new Times(times.planned(), now, null), null, null, null, null, null);
    }

    GateRecord skipped(Instant now, String reason) {
        return next(State.SKIPPED, times.endedAt(now), reason, null, null, null, null);
    }

    GateRecord notApplicable(Instant now, String reason) {
        return next(State.NOT_APPLICABLE, times.endedAt(now), reason, null, null, null, null);
    }

    GateRecord measured(MeasurementEntry entry) {
        return next(state, times, null, null, null, entry, null);
    }

    GateRecord judged(Instant now, JudgementEntry entry, TestEnding ending) {
        return next(State.ENDED, times.endedAt(now), null, null, ending, measurement, entry);
    }

    GateRecord compared(ComparisonEntry entry) {
        return new GateRecord(
                schema,
                run,
                gate,
                displayName,
                attempt,
                state,
                times,
                skipReason,
                error,
                test,
                measurement,
                judgement,
                entry,
                sweep,
                side);
    }

    GateRecord swept(SweepEntry entry, MeasurementEntry deciding) {
        return new GateRecord(
                schema,
                run,
                gate,
                displayName,
                attempt,
                state,
                times,
                skipReason,
                error,
                test,
                deciding,
                judgement,
                comparison,
                entry,
                side);
    }

    GateRecord beside(SideEntry entry) {
        return new GateRecord(
                schema,
                run,
                gate,
                displayName,
                attempt,
                state,
                times,
                skipReason,
                error,
                test,
                measurement,
                judgement,
                comparison,
                sweep,
                entry);
    }

    GateRecord measuredUntil(MeasurementEntry entry) {
        return sweep == null ? measured(entry) : swept(sweep.with(entry), measurement);
    }

    GateRecord interrupted(Instant now) {
        return next(State.INTERRUPTED, times.endedAt(now), null, null, null, measurement, null);
    }

    GateRecord broken(Instant now, String message) {
        return next(State.ENDED, times.endedAt(now), null, message, null, measurement, null);
    }

    private GateRecord next(
            State state,
            Times times,
            @Nullable String skipReason,
            @Nullable String error,
            @Nullable TestEnding test,
            @Nullable MeasurementEntry measurement,
            @Nullable JudgementEntry judgement) {
        return new GateRecord(
                schema,
                run,
                gate,
                displayName,
                attempt,
                state,
                times,
                skipReason,
                error,
                test,
                measurement,
                judgement,
                comparison,
                sweep,
                side);
    }
}
