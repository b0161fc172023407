package io.github.latencybudget.load;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Said;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** How many tokens a text is to the target, by sending it. */
record TextLength(Preparation preparation, ClosedLoop alone, PeakMemory memory) {

    private static final int OUTPUT_TOKENS = WarmUpPhase.LEAST_OUTPUT_TOKENS;

    /** @throws MeasurementException where it did not complete, or the target does not say how long it was */
    int of(Said said, long promptNumber) {
        AtomicBoolean isSent = new AtomicBoolean();
        TokenTrace trace = alone
                .run(() -> isSent.getAndSet(true) ? Optional.empty() : Optional.of(request(said, promptNumber)))
                .stream()
                .findFirst()
                .orElseThrow(() -> new MeasurementException(
                        "interrupted while the lengths of a file's prompts were looked at: run the gate again"));
        if (trace.outcome() != Outcome.COMPLETED) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "the warm-up with a prompt like those of the file did not complete (%s): %s",
                    trace.outcome(),
                    trace.reason().orElseThrow()));
        }
        if (trace.promptTokens() < 1) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "the target does not say how many tokens a text has: correct its %s, as Conversation says",
                    preparation.session().getClass().getName()));
        }
        return trace.promptTokens();
    }

    private Request request(Said said, long promptNumber) {
        return new Request(
                0,
                0,
                OUTPUT_TOKENS,
                0,
                () -> preparation.of(preparation.session().converse(), said, OUTPUT_TOKENS, promptNumber),
                () -> {},
                trace -> memory.look());
    }
}
