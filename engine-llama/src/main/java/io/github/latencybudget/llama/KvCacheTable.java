package io.github.latencybudget.llama;

import io.github.latencybudget.llama.KvCacheAnalysis.Expected;
import io.github.latencybudget.llama.KvCacheAnalysis.Layer;
import io.github.latencybudget.llama.KvCacheAnalysis.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** An analysis as text: a table for people, whose rows as expected are folded, and all rows for programs. */
final class KvCacheTable {

    /** Steps at the start and at the end of the first generation that are shown even where all is as expected. */
    private static final int SHOWN = 4;

    private static final String ROW = "%-10s %-11s %-7s %-20s %-5s %14s %15s %16s %13s\n";

    private KvCacheTable() {}

    static String text(KvCacheAnalysis analysis) {
        Expected expected = analysis.expected();
        StringBuilder text = new StringBuilder();
        add(
                text,
                "KV cache of %s, %s, on %s: use_cache %s, prompt %d, output %d\n",
                expected.model(),
                expected.dtype(),
                expected.device(),
                expected.mode(),
                expected.promptTokens(),
                expected.outputTokens());
        formula(text, expected);
        add(text, ROW, "generation", "step", "layers", "shape", "type", "bytes", "filled", "all caches", "memory");
        int folded = 0;
        for (Step step : analysis.steps()) {
            if (isShown(expected, step)) {
                folded = fold(text, folded);
                rows(text, expected, step);
            } else {
                folded++;
            }
        }
        fold(text, folded);
        analysis.notes().forEach(note -> add(text, "note: %s\n", note));
        analysis.findings().forEach(finding -> add(text, "FINDING %s: %s\n", finding.kind(), finding.text()));
        if (analysis.findings().isEmpty()) {
            add(
                    text,
                    "no finding: %d readings of %d layers are as expected\n",
                    analysis.steps().size(),
                    expected.layers());
        }
        return text.toString();
    }

    private static void formula(StringBuilder text, Expected expected) {
        add(
                text,
                "a token in a layer: 2 x %d KV heads x %d x %d bytes = %,d bytes%s; in %d layers %,d bytes\n",
                expected.kvHeads(),
                expected.headDim(),
                expected.numberBytes(),
                expected.layerBytesPerToken(),
                expected.heads() == expected.kvHeads()
                        ? ""
                        : String.format(Locale.ROOT, " (%d query heads do not count)", expected.heads()),
                expected.layers(),
                expected.bytesPerToken());
        if (expected.cached()) {
            add(
                    text,
                    "expected: %s in each layer, %,d bytes, %,d in all; filled after step n: %d + n places\n",
                    expected.layer(0).shape(),
                    expected.layer(0).bytes(),
                    expected.bytes(),
                    expected.promptTokens());
        } else {
            add(text, "expected: no cache; each step takes all tokens again\n");
        }
    }

    private static boolean isShown(Expected expected, Step step) {
        boolean ends = step.step() < SHOWN || step.step() >= expected.outputTokens() - SHOWN;
        return step.generation() == 1 && ends || isLast(expected, step) || !isAsExpected(expected, step);
    }

    private static boolean isLast(Expected expected, Step step) {
        return step.generation() > 0 && step.step() == expected.outputTokens() - 1;
    }

    private static boolean isAsExpected(Expected expected, Step step) {
        Layer wanted = expected.layer(step.step());
        return step.heldBytes() == expected.bytes()
                && step.layers().size() == expected.layers()
                && step.layers().stream().allMatch(wanted::equals);
    }

    private static int fold(StringBuilder text, int folded) {
        if (folded > 0) {
            add(text, "%-10s (%d as expected)\n", "...", folded);
        }
        return 0;
    }

    private static void rows(StringBuilder text, Expected expected, Step step) {
        Layer wanted = expected.layer(step.step());
        List<Integer> alike = IntStream.range(0, step.layers().size())
                .filter(i -> step.layers().get(i).equals(wanted))
                .boxed()
                .toList();
        if (!alike.isEmpty()) {
            row(text, step, ranges(alike), wanted, wanted);
        }
        for (int i = 0; i < step.layers().size(); i++) {
            if (!alike.contains(i)) {
                row(text, step, String.valueOf(i), step.layers().get(i), wanted);
            }
        }
    }

    private static void row(StringBuilder text, Step step, String layers, Layer layer, Layer wanted) {
        String gap = layer.filledEnd() == layer.filled() ? "" : " to " + layer.filledEnd();
        add(
                text,
                ROW,
                step.generation() == 0 ? "warm-up" : step.generation(),
                step.name(),
                layers,
                layer.shape(),
                layer.dtype(),
                number(layer.bytes()),
                String.format(Locale.ROOT, "%d%s of %d", layer.filled(), gap, wanted.filled()),
                number(step.heldBytes()),
                memory(step.memoryBytes()));
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static String memory(OptionalLong bytes) {
        return bytes.isEmpty() ? "unknown" : String.format(Locale.ROOT, "%,.2f MiB", bytes.getAsLong() / 1048576.);
    }

    private static void add(StringBuilder text, String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values));
    }

    /** {@return numbers in rising order, such as {@code 0-2,5}} */
    static String ranges(List<Integer> numbers) {
        List<String> ranges = new ArrayList<>();
        for (int i = 0; i < numbers.size(); ) {
            int end = i;
            while (end + 1 < numbers.size() && numbers.get(end + 1) == numbers.get(end) + 1) {
                end++;
            }
            ranges.add(end == i ? String.valueOf(numbers.get(i)) : numbers.get(i) + "-" + numbers.get(end));
            i = end + 1;
        }
        return String.join(",", ranges);
    }

    /** {@return a line for each layer of each reading, with {@code \n} as its end; a shape is such as {@code 24x8x32}} */
    static String csv(KvCacheAnalysis analysis) {
        StringBuilder csv = new StringBuilder(
                "generation,step,layer,expected_shape,shape,expected_dtype,dtype,expected_bytes,bytes,expected_filled,filled,filled_end,expected_all_caches_bytes,all_caches_bytes,memory_bytes\n");
        for (Step step : analysis.steps()) {
            Layer wanted = analysis.expected().layer(step.step());
            for (int i = 0; i < step.layers().size(); i++) {
                Layer layer = step.layers().get(i);
                List<Object> values = List.of(
                        step.generation(),
                        step.step(),
                        i,
                        shape(wanted),
                        shape(layer),
                        wanted.dtype(),
                        layer.dtype(),
                        wanted.bytes(),
                        layer.bytes(),
                        wanted.filled(),
                        layer.filled(),
                        layer.filledEnd(),
                        analysis.expected().bytes(),
                        step.heldBytes(),
                        step.memoryBytes().isPresent() ? step.memoryBytes().getAsLong() : "");
                csv.append(values.stream().map(String::valueOf).collect(Collectors.joining(",")))
                        .append('\n');
            }
        }
        return csv.toString();
    }

    private static String shape(Layer layer) {
        return layer.shape().stream().map(String::valueOf).collect(Collectors.joining("x"));
    }
}
