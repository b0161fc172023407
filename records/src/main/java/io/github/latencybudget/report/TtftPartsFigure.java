package io.github.latencybudget.report;

import io.github.latencybudget.budget.Quantity;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.metric.TtftParts;
import io.github.latencybudget.trace.TokenTrace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Where the TTFT of some requests goes, as places in a figure. Each row is one request, the one that a percentile is of: the
 * medians of the parts would not add up to the median of TTFT.
 */
record TtftPartsFigure(
        String description,
        String height,
        String axisY,
        String tickY,
        String labelY,
        String unitY,
        List<Row> rows,
        List<Axis.Tick> ticks,
        List<Plot.Key> keys) {

    private static final double LEFT = 120;
    private static final double RIGHT = 462;
    private static final double FIRST = 6;
    private static final double ROW = 20;
    private static final double BAR = 13;
    private static final int MOST_LENGTHS = 6;
    private static final String UNKNOWN = "-";

    /** One request. */
    record Row(
            String label,
            String labelY,
            String ttft,
            String delay,
            String network,
            String server,
            String rest,
            List<Part> parts) {}

    /** A piece of a bar. */
    record Part(String style, String x, String y, String width) {}

    private record Request(String label, TtftParts parts) {}

    private record Piece(String style, String text, long nanos) {}

    /** {@return the figure; without a row where no request has parts} */
    static TtftPartsFigure of(List<TokenTrace> completed, OptionalLong roundTripNanos) {
        List<Request> requests = requests(completed, roundTripNanos);
        long longest =
                requests.stream().mapToLong(r -> r.parts().ttftNanos()).max().orElse(1);
        Axis axis = new Axis(0, Math.max(1, longest), LEFT, RIGHT, Axis.MILLISECONDS);
        List<Row> rows = new ArrayList<>();
        for (Request request : requests) {
            rows.add(row(request, axis, FIRST + ROW * rows.size()));
        }
        double bottom = FIRST + ROW * rows.size();
        return new TtftPartsFigure(
                rows.stream()
                        .map(r -> String.format(
                                Locale.ROOT,
                                "%s: TTFT %s, delay %s, network %s, server %s, neither %s",
                                r.label(),
                                r.ttft(),
                                r.delay(),
                                r.network(),
                                r.server(),
                                r.rest()))
                        .collect(Collectors.joining("; ")),
                Axis.text(bottom + 34),
                Axis.text(bottom),
                Axis.text(bottom + 4),
                Axis.text(bottom + 16),
                Axis.text(bottom + 29),
                rows,
                axis.ticks(),
                requests.stream()
                        .flatMap(r -> pieces(r.parts()).stream())
                        .map(p -> new Plot.Key(p.style(), p.text()))
                        .distinct()
                        .toList());
    }

    private static List<Request> requests(List<TokenTrace> completed, OptionalLong roundTripNanos) {
        TreeMap<Integer, List<TtftParts>> byLength = new TreeMap<>();
        for (TokenTrace trace : completed) {
            TtftParts.of(trace, roundTripNanos)
                    .ifPresent(p -> byLength.computeIfAbsent(trace.promptTokens(), l -> new ArrayList<>())
                            .add(p));
        }
        List<Request> requests = new ArrayList<>();
        if (byLength.size() > MOST_LENGTHS) {
            addTo(
                    requests,
                    "all lengths",
                    byLength.values().stream().flatMap(List::stream).toList());
        } else {
            byLength.forEach((length, parts) -> addTo(requests, length + " tokens", parts));
        }
        return requests;
    }

    private static void addTo(List<Request> requests, String name, List<TtftParts> parts) {
        List<TtftParts> sorted = parts.stream()
                .sorted(Comparator.comparingLong(TtftParts::ttftNanos))
                .toList();
        for (Percentile percentile : List.of(Percentile.P50, Percentile.P95)) {
            requests.add(new Request(name + ", " + percentile, sorted.get(percentile.rank(sorted.size()) - 1)));
        }
    }

    private static Row row(Request request, Axis axis, double y) {
        TtftParts parts = request.parts();
        List<Part> bar = new ArrayList<>();
        long from = 0;
        for (Piece piece : pieces(parts)) {
            long to = Math.min(parts.ttftNanos(), from + piece.nanos());
            bar.add(new Part(piece.style(), axis.at(from), Axis.text(y), Axis.text(axis.place(to) - axis.place(from))));
            from = to;
        }
        return new Row(
                request.label(),
                Axis.text(y + 10),
                text(OptionalLong.of(parts.ttftNanos())),
                parts.delayNanos() == 0 ? UNKNOWN : text(OptionalLong.of(parts.delayNanos())),
                text(parts.networkNanos()),
                text(parts.serverNanos()),
                text(parts.restNanos()),
                bar);
    }

    /** What cannot be told apart is one piece. */
    private static List<Piece> pieces(TtftParts parts) {
        List<Piece> pieces = new ArrayList<>();
        if (parts.delayNanos() > 0) {
            pieces.add(new Piece("part delay", "the client's delay", parts.delayNanos()));
        }
        parts.networkNanos().ifPresent(n -> pieces.add(new Piece("part network", "the network, estimated", n)));
        parts.serverNanos().ifPresent(n -> pieces.add(new Piece("part server", "the server, by its own word", n)));
        long known = pieces.stream().mapToLong(Piece::nanos).sum();
        String rest = parts.serverNanos().isPresent()
                ? parts.networkNanos().isPresent() ? "neither's" : "the network and the rest"
                : parts.networkNanos().isPresent() ? "the server and the rest" : "not told apart";
        if (parts.ttftNanos() > known) {
            pieces.add(new Piece("part rest", rest, parts.ttftNanos() - known));
        }
        return pieces;
    }

    private static String text(OptionalLong nanos) {
        return nanos.isPresent() ? Quantity.of(Metric.Unit.NANOSECONDS, nanos.getAsLong()) : UNKNOWN;
    }
}
