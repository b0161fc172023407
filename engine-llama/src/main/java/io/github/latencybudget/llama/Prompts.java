package io.github.latencybudget.llama;

import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Prompts of an exact length: the id that starts a prompt, then random ids without a special meaning. Two prompts with
 * different numbers differ from the second id on, as long as their numbers are nearer than the vocabulary is large, so that
 * none finds a prefix of it cached.
 */
final class Prompts {

    private final int bos;
    private final long seed;
    private final int[] ordinary;

    /**
     * @param vocabulary number of ids
     * @param special ids that must not be in a prompt
     */
    Prompts(int bos, int vocabulary, Set<Integer> special, long seed) {
        this.bos = bos;
        this.seed = seed;
        int[] ordinary = IntStream.range(0, vocabulary)
                .filter(id -> id != bos && !special.contains(id))
                .toArray();
        this.ordinary = ordinary.length > 0 ? ordinary : new int[] {bos};
    }

    /** {@return the prompt with this number, {@code tokens} ids long} */
    long[] prompt(int tokens, long number) {
        SplittableRandom offset = new SplittableRandom(seed);
        int start = offset.nextInt(ordinary.length);
        SplittableRandom random = new SplittableRandom(offset.nextLong() + number);
        long[] ids = new long[tokens];
        for (int i = 0; i < tokens; i++) {
            ids[i] = ordinary[random.nextInt(ordinary.length)];
        }
        ids[0] = bos;
        if (tokens > 1) {
            ids[1] = ordinary[
                    (int) Math.floorMod(start + Math.floorMod(number, (long) ordinary.length), (long) ordinary.length)];
        }
        return ids;
    }
}
