package io.github.latencybudget.report;

import static io.github.latencybudget.report.Samples.MILLI;
import static io.github.latencybudget.report.Samples.gate;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.record.BaselineStore;
import io.github.latencybudget.record.RecordStore;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BaselineCommandTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    Path folder;

    @Test
    void storesARecordAndComparesOthersWithIt() {
        Path before = record("before", 200);
        Path baseline = folder.resolve("baselines/chat.json");

        assertThat(run("store", before.toString(), baseline.toString())).isZero();
        assertThat(out()).isEqualTo("The run of %s is the baseline chat in %s now.\n".formatted(before, baseline));
        assertThat(BaselineStore.read(baseline).name()).isEqualTo("chat");

        assertThat(run("compare", before.toString(), baseline.toString())).isZero();
        assertThat(out()).contains("SAME  against the baseline chat of ");
        Path slower = record("slower", 230);
        assertThat(run("compare", slower.toString(), baseline.toString())).isEqualTo(1);
        assertThat(out())
                .contains("WORSE  TTFT for prompts of 128 tokens: worsened by 15.0%")
                .contains("worse is more than 10%");
        assertThat(run("compare", slower.toString(), baseline.toString(), "20")).isZero();
        assertThat(err()).isEmpty();
    }

    @Test
    void whatCannotBeUsedIsSaid() {
        Path before = record("before", 200);
        Path none = folder.resolve("none.json");
        RecordStore.Attempt started = Samples.store(folder).start(gate("killed"), "Killed");

        assertThat(run()).isEqualTo(2);
        assertThat(run("store", before.toString())).isEqualTo(2);
        assertThat(run("remove", before.toString(), none.toString())).isEqualTo(2);
        assertThat(err())
                .isEqualTo(
                        "Give one of: store RECORD BASELINE; compare RECORD BASELINE [PERCENT]. Both are files, and PERCENT is from where on a run is worse, 10 where it is left out.\n"
                                .repeat(3));

        err.reset();
        assertThat(run("compare", before.toString(), none.toString())).isEqualTo(2);
        assertThat(err()).startsWith("there is no baseline in " + none + ": store one on purpose");

        err.reset();
        assertThat(run("store", none.toString(), none.toString())).isEqualTo(2);
        assertThat(err())
                .isEqualTo("there is no record " + none
                        + ": give a file of a records folder, such as target/latency-budget/records/...json\n");

        err.reset();
        assertThat(run("store", started.path().toString(), none.toString())).isEqualTo(2);
        assertThat(err())
                .isEqualTo("nothing was measured in " + started.path()
                        + ", which is STARTED: give the record of a gate that has measured\n");

        err.reset();
        run("store", before.toString(), none.toString());
        assertThat(run("compare", before.toString(), none.toString(), "ten")).isEqualTo(2);
        assertThat(run("compare", before.toString(), none.toString(), "0")).isEqualTo(2);
        assertThat(err()).isEqualTo("PERCENT = ten: must be a number\npercent = 0.0: must be above 0 and below 100\n");
    }

    @Test
    void aBaselineIsNoRecord() {
        Path before = record("before", 200);
        Path baseline = folder.resolve("chat.json");
        run("store", before.toString(), baseline.toString());

        assertThat(run("compare", baseline.toString(), baseline.toString())).isEqualTo(2);
        assertThat(err()).startsWith(baseline + " is no record that can be read: ");
        err.reset();
        assertThat(run("compare", before.toString(), before.toString())).isEqualTo(2);
        assertThat(err())
                .startsWith("the schema of the baseline in " + before
                        + " is latency-budget/record/2, not latency-budget/baseline/1: ");
    }

    private Path record(String method, long ttftMillis) {
        RecordStore.Attempt attempt = Samples.store(folder).start(gate(method), method);
        attempt.measured(Samples.steady("Llama-2-7b", 60, 16, r -> ttftMillis * MILLI));
        return attempt.path();
    }

    private int run(String... arguments) {
        return BaselineCommand.run(
                arguments,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
