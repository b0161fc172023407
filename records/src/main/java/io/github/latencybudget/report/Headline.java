package io.github.latencybudget.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The result of a run as a whole, in words that count everything that fails. */
final class Headline {

    private Headline() {}

    static String of(RunReport report) {
        return switch (report.status()) {
            case PASSED ->
                report.gates().size() == 1
                        ? "The gate passed"
                        : String.format(
                                Locale.ROOT,
                                "All %d gates passed",
                                report.gates().size());
            case PASSED_WITH_RESERVATIONS -> "Passed with reservations: " + reservations(report);
            case WAIVED -> "Broken, and waived: " + reservations(report);
            case NOT_SHOWN, BREACHED -> failing(report);
            case RUNNING -> running(report);
            case NOTHING_MEASURED -> "Nothing was measured: " + nothing(report);
        };
    }

    private static String nothing(RunReport report) {
        if (report.gates().isEmpty()) {
            return "there is no gate";
        }
        int notApplicable = report.counts().get(GateStatus.NOT_APPLICABLE);
        return notApplicable == 0
                ? report.gateCount() + " skipped"
                : String.format(
                        Locale.ROOT,
                        "%s, %d skipped and %d not applicable",
                        report.gateCount(),
                        report.counts().get(GateStatus.SKIPPED),
                        notApplicable);
    }

    private static String failing(RunReport report) {
        List<String> parts = new ArrayList<>();
        if (report.failing() > 0) {
            parts.add(failingGates(report));
        }
        int unreadable = report.source().unreadable().size();
        if (unreadable > 0) {
            parts.add(
                    unreadable == 1
                            ? "a record cannot be read"
                            : String.format(Locale.ROOT, "%d records cannot be read", unreadable));
        }
        if (report.isRunning()) {
            parts.add("the run has not ended");
        }
        String text = String.join("; ", parts);
        return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    }

    private static String failingGates(RunReport report) {
        String kinds = counts(report, GateStatus::fails);
        return report.gates().size() == 1
                ? "the gate fails: " + kinds.replaceFirst("^1 ", "")
                : String.format(
                        Locale.ROOT,
                        "%d of %s %s: %s",
                        report.failing(),
                        report.gateCount(),
                        report.failing() == 1 ? "fails" : "fail",
                        kinds);
    }

    /** What has not ended may be a gate that was killed, and a page cannot tell. */
    private static String running(RunReport report) {
        int open = report.counts().get(GateStatus.NOT_RUN) + report.counts().get(GateStatus.NOT_FINISHED);
        int other = report.failing() - open;
        return String.format(
                Locale.ROOT,
                "Running, or killed before its end: %d of %s ended%s",
                report.gates().size() - open,
                report.gateCount(),
                other == 0
                        ? ""
                        : "; "
                                + counts(
                                        report,
                                        s -> s.fails() && s != GateStatus.NOT_RUN && s != GateStatus.NOT_FINISHED));
    }

    private static String reservations(RunReport report) {
        List<String> reservations = new ArrayList<>();
        report.counts().forEach((status, count) -> {
            if (status.isReservation() && count > 0) {
                reservations.add(count + " of " + report.gateCount() + " " + status.participle());
            }
        });
        report.expected().values().stream()
                .filter(Expected::isReservation)
                .map(Expected::text)
                .forEach(reservations::add);
        int leftOut = report.leftOut().size();
        if (leftOut > 0) {
            reservations.add(String.format(
                    Locale.ROOT, "%d gate%s of other runs in the folder left out", leftOut, leftOut == 1 ? "" : "s"));
        }
        return String.join(", ", reservations);
    }

    private static String counts(RunReport report, Predicate<GateStatus> which) {
        return report.counts().entrySet().stream()
                .filter(c -> which.test(c.getKey()) && c.getValue() > 0)
                .map(c -> c.getValue() + " " + c.getKey().participle())
                .collect(Collectors.joining(", "));
    }
}
