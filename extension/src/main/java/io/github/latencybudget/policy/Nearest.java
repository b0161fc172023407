package io.github.latencybudget.policy;

import java.util.Collection;
import java.util.Comparator;
import org.apiguardian.api.API;

/** Finds what somebody may have meant. */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class Nearest {

    private Nearest() {}

    /** {@return the name that takes the fewest changes of a letter (V. I. Levenshtein, 1966) to become from what was written} */
    public static String of(String written, Collection<String> names) {
        return names.stream()
                .min(Comparator.comparingInt(name -> changes(written, name)))
                .orElseThrow();
    }

    /** {@return how many letters have to be changed, added or left out to get from one name to another} */
    public static int changes(String from, String to) {
        int[] before = new int[to.length() + 1];
        for (int j = 0; j < before.length; j++) {
            before[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int[] now = new int[before.length];
            now[0] = i;
            for (int j = 1; j < now.length; j++) {
                int replaced = before[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                now[j] = Math.min(replaced, 1 + Math.min(before[j], now[j - 1]));
            }
            before = now;
        }
        return before[to.length()];
    }
}
