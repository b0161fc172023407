package io.github.latencybudget.openai;

import io.github.latencybudget.trace.ServerMetrics;
import io.github.latencybudget.trace.ServerMetrics.Bucket;
import io.github.latencybudget.trace.ServerMetrics.Histogram;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the histograms of servers from the text format of Prometheus. Those of several labels, such as one per engine, are added
 * up: whose requests they are is not in it.
 */
final class PrometheusText {

    /** By what they are about, the newest name first. */
    private static final Map<String, List<String>> NAMES = Map.of(
            "TTFT", List.of("vllm:time_to_first_token_seconds", "sglang:time_to_first_token_seconds"),
            "ITL",
                    List.of(
                            "vllm:inter_token_latency_seconds",
                            "vllm:time_per_output_token_seconds",
                            "sglang:inter_token_latency_seconds"),
            "TPOT", List.of("vllm:request_time_per_output_token_seconds"),
            "E2E",
                    List.of(
                            "vllm:e2e_request_latency_seconds",
                            "sglang:e2e_request_latency_seconds",
                            "tgi_request_duration"),
            "queue time",
                    List.of(
                            "vllm:request_queue_time_seconds",
                            "sglang:queue_time_seconds",
                            "tgi_request_queue_duration"),
            // Of a whole request, so that the time of its prompt is in it.
            "mean time per token", List.of("tgi_request_mean_time_per_token_duration"));

    /** Nothing in the labels is tried in a second way: that takes stack for each character. */
    private static final Pattern SAMPLE =
            Pattern.compile("([A-Za-z_:][A-Za-z0-9_:]*)(\\{(?:[^\"}]++|\"(?:[^\"\\\\]++|\\\\.)*+\")*+})?\\s+(\\S+).*");

    private static final Pattern BOUND = Pattern.compile("[{,]\\s*le\\s*=\\s*\"([^\"]*)\"");

    private final Map<String, Sums> byName = new LinkedHashMap<>();

    /** Of one histogram, over its labels. */
    private static final class Sums {
        private final SortedMap<Double, Double> buckets = new TreeMap<>();
        private double sum;
        private double count;
    }

    private PrometheusText() {}

    /** {@return the histograms that are known, from where they were read} */
    static ServerMetrics read(String text, String source) {
        PrometheusText read = new PrometheusText();
        text.lines().forEach(read::line);
        SortedMap<String, Histogram> histograms = new TreeMap<>();
        NAMES.forEach((about, names) -> names.stream()
                .flatMap(name -> read.histogram(name).stream())
                .findFirst()
                .ifPresent(histogram -> histograms.put(about, histogram)));
        return new ServerMetrics(source, histograms);
    }

    /** {@return whether it is of that format: a comment or a sample is in it, or nothing is counted yet} */
    static boolean isSuch(String text) {
        return text.isBlank()
                || text.lines()
                        .anyMatch(line -> line.startsWith("# HELP ") || line.startsWith("# TYPE ") || isSample(line));
    }

    /** Text of any other kind has a word and another one after it, too; what is counted is a number. */
    private static boolean isSample(String line) {
        Matcher sample = SAMPLE.matcher(line);
        return sample.matches()
                && (sample.group(3).equals("NaN") || number(sample.group(3)).isPresent());
    }

    private void line(String line) {
        Matcher sample = SAMPLE.matcher(line);
        if (!sample.matches()) {
            // A comment, or a line that means nothing here.
            return;
        }
        Optional<Double> value = number(sample.group(3));
        if (value.isEmpty()) {
            return;
        }
        String name = sample.group(1);
        if (name.endsWith("_bucket") && sample.group(2) != null) {
            Matcher bound = BOUND.matcher(sample.group(2));
            if (bound.find()) {
                number(bound.group(1))
                        .ifPresent(le -> sums(name, "_bucket").buckets.merge(le, value.get(), Double::sum));
            }
        } else if (name.endsWith("_sum")) {
            sums(name, "_sum").sum += value.get();
        } else if (name.endsWith("_count")) {
            sums(name, "_count").count += value.get();
        }
    }

    private Sums sums(String name, String suffix) {
        return byName.computeIfAbsent(name.substring(0, name.length() - suffix.length()), n -> new Sums());
    }

    private static Optional<Double> number(String text) {
        try {
            double value = text.endsWith("Inf")
                    ? text.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY
                    : Double.parseDouble(text);
            return Double.isNaN(value) ? Optional.empty() : Optional.of(value);
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private Optional<Histogram> histogram(String name) {
        Sums sums = byName.get(name);
        if (sums == null || sums.buckets.isEmpty()) {
            return Optional.empty();
        }
        List<Bucket> buckets = new ArrayList<>();
        sums.buckets.forEach((le, count) -> buckets.add(new Bucket(le.isInfinite() ? null : le, count.longValue())));
        return Optional.of(new Histogram(name, (long) sums.count, sums.sum, buckets));
    }
}
