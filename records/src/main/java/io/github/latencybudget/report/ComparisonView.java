package io.github.latencybudget.report;

import io.github.latencybudget.baseline.ChangeStatus;
import io.github.latencybudget.record.ComparisonEntry;
import io.github.latencybudget.record.ComparisonEntry.ChangeEntry;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A run beside its baseline, as text.
 *
 * @param status such as {@code WORSE}; {@code STORED} where the run has become the baseline
 * @param method how changes are tested
 * @param remarks why nothing is compared, what is left out, and what else differs
 * @param figure null where nothing is compared
 */
record ComparisonView(
        String status,
        String style,
        String said,
        List<Row> rows,
        String method,
        List<Fact> remarks,
        @Nullable ComparisonFigure figure) {

    /** One metric at one prompt length. */
    record Row(String status, String style, String name, String change, String evidence, String judged) {

        private static Row of(ChangeEntry change) {
            return new Row(
                    change.status().words(),
                    ComparisonView.style(change.status()),
                    change.name(),
                    afterColon(change.line()),
                    change.evidence() + (change.judged() && change.reason() != null ? "; " + change.reason() : ""),
                    change.judged() ? "yes" : "no");
        }

        /** What a line says behind status and name. */
        private static String afterColon(String line) {
            return line.substring(line.indexOf(": ") + 2);
        }
    }

    static ComparisonView of(ComparisonEntry comparison) {
        String gating =
                comparison.gating() || comparison.status() == null ? "" : " (told only: it does not fail the gate)";
        return new ComparisonView(
                comparison.status() == null ? "STORED" : comparison.status().words(),
                comparison.status() == null ? GateStatus.SKIPPED.style() : style(comparison.status()),
                comparison.line().replaceFirst("^[A-Z ]+  ", "") + gating,
                comparison.changes().stream().map(Row::of).toList(),
                comparison.method(),
                Stream.of(
                                facts("Not compared, because", comparison.refusals()),
                                facts("Left out", comparison.leftOut()),
                                facts("Environment", comparison.environment()))
                        .flatMap(s -> s)
                        .toList(),
                comparison.changes().isEmpty() ? null : ComparisonFigure.of(comparison));
    }

    boolean hasRows() {
        return !rows.isEmpty();
    }

    /** {@return the rows that the verdict rests on, as the summary shows them} */
    List<Row> judgedRows() {
        return rows.stream().filter(r -> r.judged().equals("yes")).toList();
    }

    boolean hasRemarks() {
        return !remarks.isEmpty();
    }

    static String style(ChangeStatus status) {
        return switch (status) {
            case IMPROVED, SAME, NOT_WORSE -> GateStatus.PASSED.style();
            case WORSE -> GateStatus.BREACHED.style();
            case INCONCLUSIVE -> GateStatus.INCONCLUSIVE.style();
        };
    }

    private static Stream<Fact> facts(String name, List<String> values) {
        return values.stream().map(v -> new Fact(name, v));
    }
}
