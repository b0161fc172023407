package io.github.latencybudget.load;

import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** The lengths that requests draw, one after the other. Independent of one another, so that each is a sample of the whole. */
final class LengthDraw {

    private final Prompts.Drawn prompts;
    private final SplittableRandom random;

    LengthDraw(Prompts.Drawn prompts) {
        this.prompts = prompts;
        this.random = new SplittableRandom(prompts.seed());
    }

    int next() {
        return prompts.shares().at(random.nextLong(prompts.shares().total()));
    }

    /** {@return how often each length is drawn by the first so many requests; 0 for one that is never} */
    static SortedMap<Integer, Integer> planned(Prompts.Drawn prompts, int requests) {
        SortedMap<Integer, Integer> planned = new TreeMap<>();
        prompts.shares().weights().keySet().forEach(length -> planned.put(length, 0));
        LengthDraw draw = new LengthDraw(prompts);
        for (int i = 0; i < requests; i++) {
            planned.merge(draw.next(), 1, Integer::sum);
        }
        return planned;
    }
}
