package io.github.latencybudget.junit;

import java.io.Console;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * The last line of a terminal, which is drawn anew in its place.
 *
 * <p>It is reached as {@code /dev/tty}, past the standard output: that is a pipe in a JVM that Surefire has started, while Maven
 * writes to a terminal, and what is captured from it, or redirected to a file, shall have no pieces of a bar in it.
 */
final class TerminalLine {

    private static final String START = "\r";

    /** What is wider than the terminal is cut off at its margin instead of running into the next line, and then as before. */
    private static final String WITHOUT_WRAPPING = "\u001b[?7l";

    private static final String WITH_WRAPPING = "\u001b[?7h";
    private static final String ERASE_TO_END = "\u001b[K";

    private final Path device;
    private final PrintStream otherwise;

    /**
     * @param device the terminal as a file
     * @param otherwise where to draw when that cannot be opened
     */
    TerminalLine(Path device, PrintStream otherwise) {
        this.device = device;
        this.otherwise = otherwise;
    }

    /** Which way to show progress. */
    enum Style {
        /** A bar where the output is read on a terminal, else lines. */
        AUTO,
        /** A bar. */
        BAR,
        /** Plain lines. */
        LINES
    }

    /** {@return where to draw a bar; empty where plain lines are right} */
    static Optional<TerminalLine> find(Style style) {
        Path device = Path.of("/dev/tty");
        boolean isWanted = switch (style) {
            case BAR -> true;
            case LINES -> false;
            case AUTO -> canDraw(System::getenv) && Files.isWritable(device) && isRead();
        };
        return isWanted ? Optional.of(new TerminalLine(device, System.out)) : Optional.empty();
    }

    /**
     * {@return whether somebody looks at a terminal that can go back to the start of a line}
     *
     * @param environment the value of a variable, null where there is none
     */
    static boolean canDraw(Function<String, String> environment) {
        String terminal = environment.apply("TERM");
        String ci = environment.apply("CI");
        return terminal != null
                && !terminal.isEmpty()
                && !terminal.equals("dumb")
                && (ci == null || ci.isEmpty() || ci.toLowerCase(Locale.ROOT).equals("false"));
    }

    /** {@return whether the standard output, or that of the Maven that has started this JVM, is a terminal} */
    private static boolean isRead() {
        if (!Files.isDirectory(Path.of("/proc/self/fd"))) {
            return isConsole();
        }
        ProcessHandle writer = ProcessHandle.current();
        if (System.getProperty("surefire.test.class.path") != null) {
            // between the two there may be a shell
            do {
                Optional<ProcessHandle> parent = writer.parent();
                if (parent.isEmpty()) {
                    return false;
                }
                writer = parent.get();
            } while (!writer.info().command().orElse("").endsWith("java"));
        }
        return isTerminal(Path.of("/proc", String.valueOf(writer.pid()), "fd", "1"));
    }

    private static boolean isTerminal(Path descriptor) {
        try {
            String file = Files.readSymbolicLink(descriptor).toString();
            return file.startsWith("/dev/pts/") || file.startsWith("/dev/tty") || file.equals("/dev/console");
        } catch (IOException | SecurityException e) {
            return false;
        }
    }

    /** From JDK 22 on there may be a console without a terminal. */
    private static boolean isConsole() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    void draw(String text) {
        write(START + WITHOUT_WRAPPING + text + ERASE_TO_END + WITH_WRAPPING);
    }

    void clear() {
        write(START + ERASE_TO_END);
    }

    private void write(String text) {
        // opened each time: nothing stays open, and a few times a second that costs nothing
        try (OutputStream terminal = Files.newOutputStream(device, StandardOpenOption.WRITE)) {
            terminal.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            otherwise.print(text);
            otherwise.flush();
        }
    }
}
