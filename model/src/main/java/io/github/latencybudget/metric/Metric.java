package io.github.latencybudget.metric;

import io.github.latencybudget.trace.TokenTrace;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;
import org.apiguardian.api.API;

/** A metric that one stream gives. Times are in nanoseconds, rates in tokens per second. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public enum Metric implements PerRequest {
    /** Time to the first token, one value per request. */
    TTFT("TTFT", Unit.NANOSECONDS, t -> values(StreamMetrics.ttftNanos(t))),
    /** Inter-token latency: every gap between two tokens of a request, so {@code N - 1} values per request. */
    ITL("ITL", Unit.NANOSECONDS, t -> values(StreamMetrics.gapNanos(t))),
    /** Time to the first token of the visible answer, one value per request. */
    TTFO("TTFO", Unit.NANOSECONDS, t -> values(StreamMetrics.ttfoNanos(t))),
    /** Inter-chunk latency: every gap between two chunks of a request as they arrived. ITL where each holds one token. */
    ICL("ICL", Unit.NANOSECONDS, t -> values(StreamMetrics.chunkGapNanos(t))),
    /** Time per output token, one value per request. */
    TPOT("TPOT", Unit.NANOSECONDS, t -> values(StreamMetrics.tpotNanos(t))),
    /** End to end, one value per request. */
    E2E("E2E", Unit.NANOSECONDS, t -> values(StreamMetrics.e2eNanos(t))),
    /** Tokens per second after the first token, one value per request. */
    DECODE_TGS("decode TGS", Unit.TOKENS_PER_SECOND, t -> values(StreamMetrics.decodeTgs(t))),
    /** Tokens per second of the whole request, one value per request. */
    REQUEST_TGS("request TGS", Unit.TOKENS_PER_SECOND, t -> values(StreamMetrics.requestTgs(t)));

    /** What a metric's values are in. */
    @API(status = API.Status.EXPERIMENTAL, since = "0.1")
    public enum Unit {
        /** A time: less is better. */
        NANOSECONDS,
        /** A rate: more is better. */
        TOKENS_PER_SECOND,
        /** A share, from 0 to 1. */
        SHARE,
        /** An amount of memory. */
        BYTES
    }

    private final String label;
    private final Unit unit;
    private final Function<TokenTrace, double[]> values;

    Metric(String label, Unit unit, Function<TokenTrace, double[]> values) {
        this.label = label;
        this.unit = unit;
        this.values = values;
    }

    @Override
    public String label() {
        return label;
    }

    @Override
    public Unit unit() {
        return unit;
    }

    @Override
    public boolean isClusteredByRequest() {
        return this == ITL || this == ICL;
    }

    @Override
    public double[] of(TokenTrace trace) {
        return values.apply(trace);
    }

    private static double[] values(long[] nanos) {
        double[] values = new double[nanos.length];
        for (int i = 0; i < nanos.length; i++) {
            values[i] = nanos[i];
        }
        return values;
    }

    private static double[] values(OptionalLong value) {
        return value.isPresent() ? new double[] {value.getAsLong()} : new double[0];
    }

    private static double[] values(OptionalDouble value) {
        return value.isPresent() ? new double[] {value.getAsDouble()} : new double[0];
    }
}
