package io.github.latencybudget.trace;

import org.apiguardian.api.API;

/** How a request ended. Only {@link #COMPLETED} requests give latencies; every other one counts against the gate. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public enum Outcome {
    /** Every token that was asked for came, or the model finished by itself where that was allowed. */
    COMPLETED,
    /** The stream ended without a finish reason, or with fewer tokens than asked for where end-of-sequence is ignored. */
    TRUNCATED,
    /** The request ended without a single token. */
    EMPTY,
    /** An error status, an error inside the stream, a broken connection, a deadline, an exception of the engine. */
    FAILED,
    /** In an open loop: the request was due and never sent, for as many as may be were in flight and the queue was full. */
    DROPPED
}
