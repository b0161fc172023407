package io.github.latencybudget.metric;

import static io.github.latencybudget.trace.Traces.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.trace.Exchange;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenTrace;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class TtftPartsTest {

    private static final OptionalLong ROUND_TRIP = OptionalLong.of(2 * MS);

    @Test
    void whatIsNeitherTheNetworksNorTheServersIsLeft() {
        TtftParts parts = parts(Map.of("queue ms", 10.0, "prompt ms", 80.0));

        assertThat(parts).isEqualTo(new TtftParts(100 * MS, 0, ROUND_TRIP, OptionalLong.of(90 * MS)));
        assertThat(parts.restNanos()).hasValue(8 * MS);
    }

    @Test
    void aRequestThatWasSentLateHasWaitedAtTheClient() {
        TtftParts parts = TtftParts.of(request(7L, Map.of("prompt ms", 50.0)).sentAt(30 * MS), ROUND_TRIP)
                .orElseThrow();

        assertThat(parts.delayNanos()).isEqualTo(30 * MS);
        assertThat(parts.restNanos()).hasValue(18 * MS);
    }

    @Test
    void aGatewaysWordCountsOnlyWhereTheServerHasNone() {
        assertThat(parts(Map.of("processing ms", 60.0, "upstream ms", 70.0)).serverNanos())
                .hasValue(70 * MS);
        assertThat(parts(Map.of("upstream ms", 70.0, "prompt ms", 50.0)).serverNanos())
                .hasValue(50 * MS);
    }

    /** The whole work of a request, or its output, is not before the first token. */
    @Test
    void whatIsNotBeforeTheFirstTokenSaysNothing() {
        TtftParts parts = parts(Map.of("total ms", 500.0, "output ms", 400.0, "inference ms", 480.0));

        assertThat(parts.serverNanos()).isEmpty();
        assertThat(parts.restNanos()).isEmpty();
    }

    @Test
    void partsThatAreTooLargeLeaveLessThanNothing() {
        assertThat(parts(Map.of("prompt ms", 99.5)).restNanos()).hasValue(-3 * MS / 2);
    }

    @Test
    void theRoundTripIsTheShortestConnectThatIsKnown() {
        assertThat(TtftParts.roundTripNanos(
                        List.of(request(9L, Map.of()), request(null, Map.of()), request(4L, Map.of()))))
                .hasValue(4);
        assertThat(TtftParts.roundTripNanos(List.of(request(null, Map.of()), inProcess())))
                .isEmpty();
    }

    @Test
    void withoutANetworkOrATokenThereAreNoParts() {
        TokenTrace empty = new TokenTrace(0, 32, 8, 0, new long[0], Outcome.FAILED, "broke");

        assertThat(TtftParts.of(inProcess(), ROUND_TRIP)).isEmpty();
        assertThat(TtftParts.of(empty.withExchange(exchange(1L, Map.of())), ROUND_TRIP))
                .isEmpty();
    }

    private static TtftParts parts(Map<String, Double> server) {
        return TtftParts.of(request(1L, server), ROUND_TRIP).orElseThrow();
    }

    private static TokenTrace request(Long connectNanos, Map<String, Double> server) {
        return inProcess().withExchange(exchange(connectNanos, server));
    }

    private static TokenTrace inProcess() {
        return new TokenTrace(0, 32, 2, 0, new long[] {100 * MS, 120 * MS}, Outcome.COMPLETED, null);
    }

    private static Exchange exchange(Long connectNanos, Map<String, Double> server) {
        return new Exchange(
                "usage", null, 0, false, connectNanos, null, null, null, null, null, null, new TreeMap<>(server));
    }
}
