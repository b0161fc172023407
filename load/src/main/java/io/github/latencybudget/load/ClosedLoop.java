package io.github.latencybudget.load;

import io.github.latencybudget.trace.TokenTrace;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Keeps as many requests in flight as it is made for: whenever one ends, the next starts. */
interface ClosedLoop {

    /**
     * Runs requests until there is no next one. Where the caller is interrupted, so are all requests; what was measured until then is
     * the result, and the caller stays interrupted. Returns or throws only after all have come back.
     *
     * @param next the next request; may be asked by several threads, and no more by one that was told that there is none
     * @param ended takes each request as soon as it is over
     */
    void run(Supplier<Optional<Request>> next, EndedRequests ended);

    /** {@return the traces of the requests that were started, in the order of their start, once all are over} */
    default List<TokenTrace> run(Supplier<Optional<Request>> next) {
        EndedRequests ended = new EndedRequests();
        run(next, ended);
        return ended.byStart();
    }
}
