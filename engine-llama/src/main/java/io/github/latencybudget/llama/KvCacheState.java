package io.github.latencybudget.llama;

import java.util.ArrayList;
import java.util.List;

/**
 * What the program really holds, as the engine says.
 *
 * @param heldBytes of the KV caches of all sequences
 * @param layers of the one that was asked for
 */
record KvCacheState(long heldBytes, List<KvCacheAnalysis.Layer> layers) {

    /** {@return what the program's method {@code cache_state} gives} */
    static KvCacheState of(long[] numbers) {
        List<KvCacheAnalysis.Layer> layers = new ArrayList<>();
        int at = 1;
        while (at < numbers.length) {
            int dimensions = Math.toIntExact(numbers[at++]);
            List<Long> shape = new ArrayList<>();
            for (int d = 0; d < dimensions; d++) {
                shape.add(numbers[at++]);
            }
            var layer = new KvCacheAnalysis.Layer(
                    shape, Dtype.label(numbers[at]), numbers[at + 1], numbers[at + 2], numbers[at + 3]);
            at += 4;
            // one object for those that are alike, so that what is kept does not grow with what is looked for
            int last = layers.size() - 1;
            layers.add(last >= 0 && layers.get(last).equals(layer) ? layers.get(last) : layer);
        }
        return new KvCacheState(numbers[0], layers);
    }
}
