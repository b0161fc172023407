package io.github.latencybudget.junit;

import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Tells whether somebody has chosen some of the tests, so that gates which are left out are no failure. */
final class Selection {

    /** What Maven's plugins hand on from the command line. */
    private static final List<String> PROPERTIES = List.of("test", "it.test", "groups", "excludedGroups");

    private static final List<String> IDES =
            List.of("com.intellij.rt.", "org.eclipse.jdt.internal.junit", "com.microsoft.java.test", "org.netbeans.");

    private Selection() {}

    /**
     * {@return which tests were asked for, such as {@code -Dtest=ChatTest}; empty where all were}
     *
     * @param property a system property, null where there is none
     */
    static Optional<String> of(UnaryOperator<String> property) {
        String chosen = PROPERTIES.stream()
                .filter(name ->
                        property.apply(name) != null && !property.apply(name).isBlank())
                .map(name -> "-D" + name + "=" + property.apply(name))
                .collect(Collectors.joining(" "));
        if (!chosen.isEmpty()) {
            return Optional.of(chosen);
        }
        String command = String.valueOf(property.apply("sun.java.command"));
        return IDES.stream().anyMatch(command::startsWith) ? Optional.of("chosen in an IDE") : Optional.empty();
    }
}
