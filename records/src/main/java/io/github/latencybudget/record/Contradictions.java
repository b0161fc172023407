package io.github.latencybudget.record;

import io.github.latencybudget.record.GateRecord.Result;
import io.github.latencybudget.record.GateRecord.State;
import io.github.latencybudget.record.GateRecord.Times;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which states of a gate go with what else is in its record. */
final class Contradictions {

    private static final Set<State> STARTED = EnumSet.of(State.STARTED, State.INTERRUPTED, State.NOT_APPLICABLE);
    private static final Set<State> NOT_STARTED = EnumSet.of(State.PLANNED, State.SKIPPED);
    private static final Set<State> OPEN = EnumSet.of(State.PLANNED, State.STARTED);
    private static final Set<State> LEFT_OUT = EnumSet.of(State.SKIPPED, State.NOT_APPLICABLE);
    private static final Set<State> MEASURED = EnumSet.of(State.STARTED, State.ENDED, State.INTERRUPTED);

    private final State state;

    private Contradictions(State state) {
        this.state = state;
    }

    /** @throws IllegalArgumentException naming the state and what contradicts it */
    static void refuse(State state, Times times, @Nullable String skipReason, @Nullable String error, Result result) {
        Contradictions check = new Contradictions(state);
        check.times(times);
        boolean isJudged = result.judgement() != null;
        boolean isBroken = state == State.REFUSED || state == State.ENDED && !isJudged;
        check.require(LEFT_OUT.contains(state), "a reason for which it was left out", skipReason);
        check.require(isBroken, "an error", error);
        check.result(result);
        check.require(isJudged, "an ending of the test", result.test());
        if (isJudged) {
            check.require(state == State.ENDED, "a judgement", result.judgement());
            check.require(true, "a measurement to judge", result.measurement());
            check.require(true, "a budget to judge by", result.budget());
        }
    }

    private void times(Times times) {
        if (STARTED.contains(state) || NOT_STARTED.contains(state)) {
            require(STARTED.contains(state), "a time at which it started", times.started());
        }
        require(!OPEN.contains(state), "a time at which it ended", times.ended());
        if (times.started() == null && times.waitedNanos() > 0) {
            throw new IllegalArgumentException("it has waited for its device and has not started");
        }
    }

    private void result(Result result) {
        if (!MEASURED.contains(state)) {
            require(false, "a measurement", result.measurement());
        }
        if (result.measurement() == null) {
            require(false, "steps of a sweep without a measurement that decides", result.sweep());
            require(false, "a comparison without a measurement", result.comparison());
        }
        require(
                result.comparison() != null && result.comparison().isWithBaseline(),
                "the measurement of a baseline that it is compared with",
                result.baseline());
        if (result.judgement() == null && result.sweep() == null) {
            require(false, "a budget without anything that is judged by it", result.budget());
        }
        boolean hasBrokenOff = state == State.INTERRUPTED || state == State.ENDED && result.judgement() == null;
        if (!hasBrokenOff && result.sweep() != null) {
            require(false, "an unfinished step", result.sweep().unfinished());
        }
    }

    private void require(boolean isThere, String what, @Nullable Object value) {
        if (isThere != (value != null)) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT, "a gate that is %s has %s %s", state, isThere ? "to have" : "not", what));
        }
    }
}
