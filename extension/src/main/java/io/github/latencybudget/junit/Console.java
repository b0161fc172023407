package io.github.latencybudget.junit;

import io.github.latencybudget.trace.Visible;
import java.io.PrintStream;

/** What gates say on the standard output, into the log of a build. */
final class Console {

    private Console() {}

    static void say(String line) {
        say(System.out, line);
    }

    static void say(PrintStream out, String line) {
        out.print("[latency-budget] " + Visible.line(line) + "\n");
    }
}
