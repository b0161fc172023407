package io.github.latencybudget.llama;

import io.github.latencybudget.llama.KvCacheAnalysis.Expected;
import io.github.latencybudget.llama.KvCacheAnalysis.Finding;
import io.github.latencybudget.llama.KvCacheAnalysis.Kind;
import io.github.latencybudget.llama.KvCacheAnalysis.Layer;
import io.github.latencybudget.llama.KvCacheAnalysis.Step;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Finds what is wrong with the layers of a KV cache, from what was read of them alone. */
final class KvCacheLayers {

    private final Expected expected;

    private KvCacheLayers(Expected expected) {
        this.expected = expected;
    }

    static List<Finding> findings(Expected expected, List<Step> steps) {
        return new KvCacheLayers(expected).findings(steps);
    }

    /** What is wrong with one layer, or with all of them together. */
    private record Fault(Kind kind, String text) {}

    /** A layer and a kind of fault, -1 for all layers together. */
    private record Place(int layer, Kind kind) {}

    /** The first of equal kind, and how many steps had one. */
    private record Seen(Fault fault, String first, int times) {}

    private List<Finding> findings(List<Step> steps) {
        Map<Place, Seen> seen = new LinkedHashMap<>();
        for (Step step : steps) {
            for (int layer = 0; layer < step.layers().size(); layer++) {
                add(seen, step, layer, faults(step, step.layers().get(layer)));
            }
            add(seen, step, -1, together(step));
        }
        Map<Seen, List<Integer>> layers = new LinkedHashMap<>();
        seen.forEach((place, what) ->
                layers.computeIfAbsent(what, w -> new ArrayList<>()).add(place.layer()));
        List<Finding> findings = new ArrayList<>();
        layers.forEach((what, which) -> findings.add(finding(what, which, steps.size())));
        return findings;
    }

    private static void add(Map<Place, Seen> seen, Step step, int layer, List<Fault> faults) {
        for (Fault fault : faults) {
            String first = String.format(Locale.ROOT, "generation %d, %s", step.generation(), step.name());
            seen.merge(
                    new Place(layer, fault.kind()),
                    new Seen(fault, first, 1),
                    (before, now) -> new Seen(before.fault(), before.first(), before.times() + 1));
        }
    }

    private static Finding finding(Seen seen, List<Integer> layers, int steps) {
        String who = layers.get(0) < 0
                ? ""
                : (layers.size() == 1 ? "layer " : "layers ") + KvCacheTable.ranges(layers) + " ";
        return new Finding(
                seen.fault().kind(),
                who
                        + String.format(
                                Locale.ROOT,
                                seen.fault().text(),
                                String.format(
                                        Locale.ROOT,
                                        "(first at %s; at %d of %d readings)",
                                        seen.first(),
                                        seen.times(),
                                        steps)));
    }

    private List<Fault> faults(Step step, Layer layer) {
        Layer wanted = expected.layer(step.step());
        List<Fault> faults = new ArrayList<>();
        if (!layer.shape().equals(wanted.shape())
                || !layer.dtype().equals(wanted.dtype())
                || layer.bytes() != wanted.bytes()) {
            faults.add(new Fault(
                    Kind.SIZE,
                    String.format(
                            Locale.ROOT,
                            "%s, expected %s %%s: %s",
                            size(layer),
                            size(wanted),
                            sizeHint(layer, wanted))));
        }
        boolean both = layer.bytes() > 0 && expected.cached();
        if (both && layer.filled() < wanted.filled()) {
            faults.add(new Fault(
                    Kind.NOT_FILLED,
                    text(
                            "%,d of %,d places filled %%s: attention takes the zeros of the rest for keys and values; see what the program copies into the cache, and at which places",
                            layer.filled(), wanted.filled())));
        }
        if (both && layer.filledEnd() > wanted.filledEnd()) {
            faults.add(new Fault(
                    Kind.FILLED_BEYOND,
                    text(
                            "filled up to place %,d, expected %,d %%s: %s",
                            layer.filledEnd(),
                            wanted.filledEnd(),
                            step.step() == Step.OPENED
                                    ? "a new cache is all zeros; it may be that of another sequence"
                                    : "a step wrote where no token is yet; see the places that steps start at")));
        }
        return faults;
    }

    private String sizeHint(Layer layer, Layer wanted) {
        if (!expected.cached()) {
            return String.format(
                    Locale.ROOT,
                    "use_cache is %s, and a prompt of %d tokens should have no cache; see where its slot is opened",
                    expected.mode(),
                    expected.promptTokens());
        }
        if (layer.bytes() == 0) {
            return String.format(
                    Locale.ROOT,
                    "use_cache is %s, and a prompt of %d tokens should have a cache; see where its slot is opened",
                    expected.mode(),
                    expected.promptTokens());
        }
        if (!layer.dtype().equals(wanted.dtype())) {
            return "the cache is not of the type that the model computes in; see where it is allocated";
        }
        if (expected.kvHeads() != expected.heads()
                && layer.shape()
                        .equals(List.of((long) expected.places(), 2L * expected.heads(), (long) expected.headDim()))) {
            return String.format(
                    Locale.ROOT,
                    "these are the %d query heads, but a cache has the %d KV heads (num_key_value_heads); allocate by those",
                    expected.heads(),
                    expected.kvHeads());
        }
        if (layer.shape().size() == 3 && layer.shape().get(0) != expected.places()) {
            return String.format(
                    Locale.ROOT,
                    "it has room for another number of tokens than prompt + output = %d; a cache that is made anew for each step grows like this",
                    expected.places());
        }
        return "compare num_key_value_heads and head_dim of config.json with what the program was given";
    }

    /** What is wrong with a step as a whole. */
    private List<Fault> together(Step step) {
        List<Fault> faults = new ArrayList<>();
        if (step.layers().size() != expected.layers()) {
            faults.add(new Fault(
                    Kind.SIZE,
                    text(
                            "%d layers, expected %d %%s: see num_hidden_layers of config.json",
                            step.layers().size(), expected.layers())));
        }
        long own = step.layers().stream().mapToLong(Layer::bytes).sum();
        if (step.heldBytes() != own) {
            faults.add(new Fault(
                    Kind.HELD,
                    text(
                            "the program holds %,d bytes of caches, and its only sequence has %,d %%s: a cache of a sequence that ended was not given up; see who closes its slot",
                            step.heldBytes(), own)));
        }
        return faults;
    }

    private static String size(Layer layer) {
        return layer.bytes() == 0 ? "no cache" : text("%s %s, %,d bytes", layer.shape(), layer.dtype(), layer.bytes());
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
