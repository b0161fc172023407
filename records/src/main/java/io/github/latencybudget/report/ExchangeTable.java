package io.github.latencybudget.report;

import io.github.latencybudget.metric.StreamMetrics;
import io.github.latencybudget.metric.TtftParts;
import io.github.latencybudget.trace.Exchange;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.TokenTrace;
import io.github.latencybudget.trace.Visible;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All requests to endpoints as CSV, one line each, by RFC 4180. Times are in nanoseconds; what is absent is empty. */
final class ExchangeTable {

    static final String FILE = "exchanges.csv";

    private static final List<String> COLUMNS = List.of(
            "gate",
            "attempt",
            "request",
            "outcome",
            "promptTokens",
            "outputTokens",
            "tokenSource",
            "reasoningTokens",
            "chunks",
            "coalescedChunks",
            "connectionReused",
            "connectNanos",
            "tlsNanos",
            "sendNanos",
            "headNanos",
            "ttftNanos",
            "delayNanos",
            "networkNanosEstimated",
            "serverNanosBeforeFirstToken",
            "neitherNanos",
            "e2eNanos",
            "usageNanos",
            "doneNanos",
            "endNanos");

    private record Line(GateAttempt attempt, TokenTrace trace, Exchange exchange, Optional<TtftParts> parts) {}

    private ExchangeTable() {}

    /** {@return the table; empty where no gate has asked an endpoint} */
    static Optional<String> csv(List<Gate> gates) {
        List<Line> lines = gates.stream()
                .flatMap(g -> g.attempts().stream())
                .flatMap(ExchangeTable::lines)
                .toList();
        if (lines.isEmpty()) {
            return Optional.empty();
        }
        SortedSet<String> said = lines.stream()
                .flatMap(l -> l.exchange().server().keySet().stream())
                .collect(Collectors.toCollection(TreeSet::new));
        List<String> head = new ArrayList<>(COLUMNS);
        said.forEach(name -> head.add("server " + name));
        return Optional.of(Stream.concat(Stream.of(head), lines.stream().map(l -> cells(l, said)))
                .map(ExchangeTable::row)
                .collect(Collectors.joining()));
    }

    private static Stream<Line> lines(GateAttempt attempt) {
        return attempt.measurement().stream().flatMap(m -> lines(attempt, m));
    }

    private static Stream<Line> lines(GateAttempt attempt, Measurement measurement) {
        OptionalLong roundTrip = TtftParts.roundTripNanos(measurement.traces());
        return measurement.traces().stream()
                .flatMap(t -> t.exchange().map(e -> new Line(attempt, t, e, TtftParts.of(t, roundTrip))).stream());
    }

    private static List<@Nullable Object> cells(Line line, SortedSet<String> said) {
        TokenTrace trace = line.trace();
        Exchange exchange = line.exchange();
        List<@Nullable Object> cells = new ArrayList<>();
        cells.add(line.attempt().record().gate());
        cells.add(line.attempt().record().attempt());
        cells.add(trace.request());
        cells.add(trace.outcome());
        cells.add(trace.promptTokens());
        cells.add(trace.outputTokens());
        cells.add(exchange.tokenSource());
        cells.add(exchange.reasoningTokens());
        cells.add(trace.chunks().count());
        cells.add(exchange.coalescedChunks());
        cells.add(exchange.isReusedConnection());
        cells.add(exchange.connectNanos());
        cells.add(exchange.tlsNanos());
        cells.add(exchange.sendNanos());
        cells.add(exchange.headNanos());
        cells.add(orNull(StreamMetrics.ttftNanos(trace)));
        cells.add(line.parts().map(TtftParts::delayNanos).orElse(null));
        cells.add(line.parts().map(p -> orNull(p.networkNanos())).orElse(null));
        cells.add(line.parts().map(p -> orNull(p.serverNanos())).orElse(null));
        cells.add(line.parts().map(p -> orNull(p.restNanos())).orElse(null));
        cells.add(orNull(StreamMetrics.e2eNanos(trace)));
        cells.add(exchange.usageNanos());
        cells.add(exchange.doneNanos());
        cells.add(exchange.endNanos());
        said.forEach(name -> cells.add(exchange.server().get(name)));
        return cells;
    }

    private static @Nullable Long orNull(OptionalLong value) {
        return value.isPresent() ? value.getAsLong() : null;
    }

    private static String row(Collection<? extends @Nullable Object> cells) {
        return cells.stream().map(ExchangeTable::quoted).collect(Collectors.joining(",", "", "\r\n"));
    }

    private static String quoted(@Nullable Object cell) {
        if (cell == null) {
            return "";
        }
        return cell instanceof Number || cell instanceof Boolean
                ? cell.toString()
                : '"' + Visible.line(cell.toString()).replace("\"", "\"\"") + '"';
    }
}
