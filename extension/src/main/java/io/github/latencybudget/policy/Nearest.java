package io.github.latencybudget.policy;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the name that a misspelt one may stand for. */
final class Nearest {

    private Nearest() {}

    /** {@return the nearest known name, by the fewest changes of a letter; empty where all are far} */
    static Optional<String> of(String name, Collection<String> known) {
        return known.stream()
                .filter(k -> distance(name, k) <= Math.max(1, Math.min(name.length(), k.length()) / 2))
                .min(Comparator.comparing(k -> distance(name, k)));
    }

    private static int distance(String a, String b) {
        String from = a.toLowerCase(Locale.ROOT);
        String to = b.toLowerCase(Locale.ROOT);
        int[] row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[to.length()];
    }
}
