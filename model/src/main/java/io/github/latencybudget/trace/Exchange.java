package io.github.latencybudget.trace;

import java.util.Collections;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a request that went over a network, beside the arrivals of its tokens, which it never changes. Times are in
 * nanoseconds; those of the answer count from when the request was sent. What is not known is null.
 *
 * @param tokenSource where the number of output tokens comes from: {@code chunk-ids}, {@code chunk-usage}, {@code usage},
 *     {@code retokenised} or {@code chunks}, the best first
 * @param reasoningTokens how many of the output tokens the server counts as reasoning
 * @param coalescedChunks how many chunks came in one read with the chunk before, so that the gap between them is 0
 * @param isReusedConnection whether the connection was there before
 * @param connectNanos what it took to connect, before the request: about one round trip of the network; null through a
 *     proxy, where it is several
 * @param tlsNanos what the TLS handshake took, before the request; null without TLS
 * @param sendNanos what it took, before the request was sent, from when the target began with it: until its last byte was handed to
 *     the socket, behind the other requests that wait for the client
 * @param headNanos when the head of the answer came
 * @param usageNanos when the last usage came
 * @param doneNanos when {@code [DONE]} came
 * @param endNanos when the answer's end or the close of the connection came
 * @param server what the server says of its own work, by name, such as {@code prompt ms}; sorted
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Exchange(
        String tokenSource,
        @Nullable Integer reasoningTokens,
        int coalescedChunks,
        boolean isReusedConnection,
        @Nullable Long connectNanos,
        @Nullable Long tlsNanos,
        @Nullable Long sendNanos,
        @Nullable Long headNanos,
        @Nullable Long usageNanos,
        @Nullable Long doneNanos,
        @Nullable Long endNanos,
        SortedMap<String, Double> server) {

    /** @throws IllegalArgumentException for a value of the server that is no number: what is not known is absent */
    public Exchange {
        server = Collections.unmodifiableSortedMap(new TreeMap<>(server));
        server.forEach((name, value) -> {
            if (!Double.isFinite(value)) {
                throw new IllegalArgumentException(
                        String.format(Locale.ROOT, "%s = %s: must be finite, or absent", name, value));
            }
        });
    }
}
