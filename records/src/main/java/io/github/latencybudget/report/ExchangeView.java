package io.github.latencybudget.report;

import io.github.latencybudget.budget.Quantity;
import io.github.latencybudget.metric.Distribution;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.StreamMetrics;
import io.github.latencybudget.metric.TtftParts;
import io.github.latencybudget.trace.Exchange;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the requests of a gate on an endpoint beside their tokens, as text. Of the requests that completed.
 *
 * @param facts of connections, chunks and the count of tokens
 * @param times what the client saw and what the server says of itself
 * @param parts where TTFT goes
 */
record ExchangeView(List<Fact> facts, List<PercentileRow> times, TtftPartsFigure parts) {

    private static final String MILLIS = " ms";
    private static final double NANOS_PER_MILLI = 1e6;

    private record Known(TokenTrace trace, Exchange exchange) {}

    static Optional<ExchangeView> of(Measurement measurement) {
        List<Known> known = measurement.completed().stream()
                .flatMap(t -> t.exchange().map(e -> new Known(t, e)).stream())
                .toList();
        if (known.isEmpty()) {
            return Optional.empty();
        }
        OptionalLong roundTrip = TtftParts.roundTripNanos(measurement.traces());
        return Optional.of(new ExchangeView(
                facts(known, roundTrip), times(known), TtftPartsFigure.of(measurement.completed(), roundTrip)));
    }

    private static List<Fact> facts(List<Known> known, OptionalLong roundTrip) {
        List<Fact> facts = new ArrayList<>();
        facts.add(new Fact("Output tokens counted by", tokenSources(known)));
        long again =
                known.stream().filter(k -> k.exchange().isReusedConnection()).count();
        facts.add(new Fact(
                "Connections",
                String.format(Locale.ROOT, "%d opened, %d times used again", known.size() - again, again)));
        facts.add(new Fact(
                "Round trip, estimated",
                roundTrip.isPresent()
                        ? Quantity.of(Metric.Unit.NANOSECONDS, roundTrip.getAsLong())
                                + (known.size() == again
                                        ? ", a connect before the run"
                                        : known.size() == again + 1
                                                ? ", the only connect"
                                                : String.format(
                                                        Locale.ROOT,
                                                        ", the shortest of %d connects",
                                                        known.size() - again))
                        : "not known: no connect was timed"));
        facts.add(new Fact("Chunks in one read with the one before", coalesced(known)));
        int reasoning = known.stream()
                .mapToInt(k -> k.exchange().reasoningTokens() == null
                        ? 0
                        : k.exchange().reasoningTokens())
                .sum();
        if (reasoning > 0) {
            facts.add(new Fact(
                    "Reasoning tokens, says the server",
                    String.format(
                            Locale.ROOT,
                            "%d of %d",
                            reasoning,
                            known.stream()
                                    .mapToInt(k -> k.trace().outputTokens())
                                    .sum())));
        }
        names(known).filter(n -> !n.endsWith(MILLIS)).forEach(n -> facts.add(new Fact(sentence(n), range(known, n))));
        long tooHigh = known.stream()
                .flatMap(k -> TtftParts.of(k.trace(), roundTrip).stream())
                .filter(p -> p.restNanos().orElse(0) < 0)
                .count();
        if (tooHigh > 0) {
            facts.add(new Fact(
                    "Parts that are more than TTFT",
                    String.format(
                            Locale.ROOT,
                            "in %d of %d requests: the round trip is estimated too high, or the server's word is",
                            tooHigh,
                            known.size())));
        }
        return facts;
    }

    private static String tokenSources(List<Known> known) {
        Map<String, Long> sources = known.stream()
                .collect(Collectors.groupingBy(k -> k.exchange().tokenSource(), TreeMap::new, Collectors.counting()));
        return sources.size() == 1
                ? sources.keySet().iterator().next()
                : sources.entrySet().stream()
                        .map(e -> String.format(Locale.ROOT, "%s (%d requests)", e.getKey(), e.getValue()))
                        .collect(Collectors.joining(", "));
    }

    private static String coalesced(List<Known> known) {
        long coalesced =
                known.stream().mapToLong(k -> k.exchange().coalescedChunks()).sum();
        long chunks = known.stream().mapToLong(k -> k.trace().chunks().count()).sum();
        long requests =
                known.stream().filter(k -> k.exchange().coalescedChunks() > 0).count();
        return coalesced == 0
                ? String.format(Locale.ROOT, "none of %d", chunks)
                : String.format(
                        Locale.ROOT,
                        "%d of %d (%.1f%%), in %d of %d requests: the gap before each is 0",
                        coalesced,
                        chunks,
                        100.0 * coalesced / chunks,
                        requests,
                        known.size());
    }

    private static Stream<String> names(List<Known> known) {
        return known.stream()
                .flatMap(k -> k.exchange().server().keySet().stream())
                .collect(Collectors.toCollection(TreeSet::new))
                .stream();
    }

    private static String sentence(String name) {
        return name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1) + ", says the server";
    }

    private static String range(List<Known> known, String name) {
        List<Double> values = known.stream()
                .flatMap(k -> Stream.ofNullable(k.exchange().server().get(name)))
                .sorted()
                .toList();
        String least = number(values.get(0));
        String most = number(values.get(values.size() - 1));
        return least.equals(most) ? least : least + " to " + most;
    }

    private static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : String.format(Locale.ROOT, "%.2f", value);
    }

    private static List<PercentileRow> times(List<Known> known) {
        List<Optional<PercentileRow>> rows = new ArrayList<>();
        List<Known> opened =
                known.stream().filter(k -> !k.exchange().isReusedConnection()).toList();
        rows.add(row(
                "connect, before the request", opened, k -> nanos(k.exchange().connectNanos())));
        rows.add(row("TLS, before the request", opened, k -> nanos(k.exchange().tlsNanos())));
        rows.add(row(
                "in the client, before the request",
                known,
                k -> nanos(k.exchange().sendNanos())));
        rows.add(row(
                "request to head of the answer", known, k -> nanos(k.exchange().headNanos())));
        rows.add(row(
                "head to first token",
                known,
                k -> k.trace().chunks().isWhole()
                        ? Stream.empty()
                        : since(k.exchange().headNanos(), k, 1)));
        rows.add(row(
                "TTFT",
                known,
                k -> StreamMetrics.ttftNanos(k.trace()).stream()
                        .mapToObj(Long::valueOf)
                        .map(Long::doubleValue)));
        names(known).filter(n -> n.endsWith(MILLIS)).forEach(n -> rows.add(row(said(n), known, k -> said(k, n))));
        rows.add(row("per output token, says the server", known, ExchangeView::perOutputToken));
        rows.add(row(
                "TPOT", known, k -> StreamMetrics.tpotNanos(k.trace()).stream().boxed()));
        rows.add(row(
                "last token to [DONE]", known, k -> afterLast(k, k.exchange().doneNanos())));
        rows.add(row(
                "last token to the end", known, k -> afterLast(k, k.exchange().endNanos())));
        return rows.stream().flatMap(Optional::stream).toList();
    }

    private static Optional<PercentileRow> row(
            String name, List<Known> known, Function<Known, Stream<Double>> nanosOf) {
        return PercentileRow.of(
                name,
                Distribution.of(known.stream()
                        .flatMap(nanosOf)
                        .map(n -> new double[] {n})
                        .toArray(double[][]::new)));
    }

    private static String said(String name) {
        return name.substring(0, name.length() - MILLIS.length()) + ", says the server";
    }

    private static Stream<Double> said(Known known, String name) {
        return Stream.ofNullable(known.exchange().server().get(name)).map(ms -> ms * NANOS_PER_MILLI);
    }

    private static Stream<Double> perOutputToken(Known known) {
        Double tokens = known.exchange().server().get("output tokens");
        return tokens == null || tokens <= 0
                ? Stream.empty()
                : said(known, "output ms").map(ns -> ns / tokens);
    }

    private static Stream<Double> nanos(@Nullable Long nanos) {
        return Stream.ofNullable(nanos).map(Long::doubleValue);
    }

    /** How long after something a token came; both count from when the request was sent. */
    private static Stream<Double> since(@Nullable Long nanos, Known known, int token) {
        return nanos(nanos).map(n -> Math.max(0, sentTo(known, token) - n));
    }

    private static Stream<Double> afterLast(Known known, @Nullable Long nanos) {
        return nanos(nanos).map(n -> Math.max(0, n - sentTo(known, known.trace().outputTokens())));
    }

    private static double sentTo(Known known, int token) {
        TokenTrace trace = known.trace();
        return trace.arrivalNanos(token) - trace.sentNanos().orElse(trace.startNanos());
    }
}
