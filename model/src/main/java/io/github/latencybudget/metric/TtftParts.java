package io.github.latencybudget.metric;

import io.github.latencybudget.trace.Exchange;
import io.github.latencybudget.trace.TokenTrace;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.apiguardian.api.API;

/**
 * Where the TTFT of a request that went over a network goes, in nanoseconds: an estimate, for neither the network's part nor the
 * server's is measured by the client. It judges nothing.
 *
 * @param ttftNanos TTFT
 * @param delayNanos how long after it was due the request was sent; 0 in a closed loop
 * @param networkNanos one round trip: the request's way there and the first token's way back; empty where no connect time is known
 * @param serverNanos what the server says of its work before the first token; empty where it says nothing
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record TtftParts(long ttftNanos, long delayNanos, OptionalLong networkNanos, OptionalLong serverNanos) {

    private static final double NANOS_PER_MILLI = 1e6;

    /** What comes before the first token, one after the other. */
    private static final List<String> BEFORE_FIRST_TOKEN = List.of("validation ms", "queue ms", "prompt ms");

    /** Of gateways: how long what is behind them took to begin its answer. Of several, the farthest from the server has all. */
    private static final List<String> BEFORE_HEAD = List.of("upstream ms", "processing ms");

    /**
     * {@return the parts; empty for a request without a token, or one that went over no network}
     *
     * @param roundTripNanos of the run, from {@link #roundTripNanos}
     */
    public static Optional<TtftParts> of(TokenTrace trace, OptionalLong roundTripNanos) {
        OptionalLong ttft = StreamMetrics.ttftNanos(trace);
        if (ttft.isEmpty() || trace.exchange().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new TtftParts(
                ttft.getAsLong(),
                Math.max(0, trace.scheduleDelayNanos().orElse(0)),
                roundTripNanos,
                serverNanos(trace.exchange().get())));
    }

    /**
     * {@return the shortest connect time of the requests, in nanoseconds: about one round trip, for what a connect takes beyond it
     * only adds. Empty where none is known}
     */
    public static OptionalLong roundTripNanos(List<TokenTrace> traces) {
        return traces.stream()
                .flatMap(t -> t.exchange().stream())
                .flatMap(e -> Stream.ofNullable(e.connectNanos()))
                .mapToLong(Long::longValue)
                .filter(n -> n > 0)
                .min();
    }

    /**
     * {@return what is neither the client's delay nor the network's or the server's: TTFT less these, in nanoseconds. Below 0 where
     * they are estimated too high; empty where the network's or the server's part is not known}
     */
    public OptionalLong restNanos() {
        return networkNanos.isEmpty() || serverNanos.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(ttftNanos - delayNanos - networkNanos.getAsLong() - serverNanos.getAsLong());
    }

    private static OptionalLong serverNanos(Exchange exchange) {
        List<Double> said = millis(exchange, BEFORE_FIRST_TOKEN).toList();
        OptionalDouble millis = said.isEmpty()
                ? millis(exchange, BEFORE_HEAD).mapToDouble(Double::doubleValue).findFirst()
                : OptionalDouble.of(
                        said.stream().mapToDouble(Double::doubleValue).sum());
        return millis.isPresent()
                ? OptionalLong.of(Math.round(millis.getAsDouble() * NANOS_PER_MILLI))
                : OptionalLong.empty();
    }

    private static Stream<Double> millis(Exchange exchange, List<String> names) {
        return names.stream().flatMap(n -> Stream.ofNullable(exchange.server().get(n)));
    }
}
