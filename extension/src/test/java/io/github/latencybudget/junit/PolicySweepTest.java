package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectFile;

import io.github.latencybudget.budget.Status;
import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.SweepEntry.StepEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

/** Policies under one load after the other. TTFT of the fake target grows by a second with each step, its gaps do not. */
class PolicySweepTest {

    private static final String POLICY = """
            version: 1
            name: chat
            targets:
              fake: {type: %s, model: "fake:policy-sweep", options: {slowerByMs: 0.001, maxConcurrency: 3}}
            scenario: {promptTokens: 8, outputTokens: 3, sweep: %s}
            rules:
              ttft: {metric: ttft, promptTokens: 8, atMostMs: 500}
              itl: {metric: itl, atMostMs: 50}
            """;

    @TempDir
    Path folder;

    private EngineExecutionResults run(String sweep) throws IOException {
        Path file = Files.writeString(folder.resolve("chat.yaml"), POLICY.formatted(FakeTarget.class.getName(), sweep));
        return EngineTestKit.engine(PolicyTestEngine.ID)
                .configurationParameter("latencybudget.device.locks", Gates.LOCKS)
                .configurationParameters(Map.of(
                        "latencybudget.output",
                        folder.resolve("out").toString(),
                        "latencybudget.run",
                        "test",
                        "latencybudget.guards.max-drift",
                        "off"))
                .selectors(selectFile(file.toFile()))
                .execute();
    }

    private GateRecord record() {
        return new Gates(folder.resolve("out")).records().get(0);
    }

    @Test
    void itPassesWhereEachRuleHoldsUpToTheLoadThatItHasTo() throws IOException {
        run("{concurrency: [1, 2, 3]}")
                .testEvents()
                .assertStatistics(s -> s.started(2).succeeded(2));

        assertThat(record().judgement().status()).isEqualTo(Status.PASS);
        assertThat(record().sweep().steps()).extracting(StepEntry::load).containsExactly(1.0, 2.0);
        assertThat(record().side()).isNull();
    }

    @Test
    void aRuleThatWasNotMeasuredUpToThereIsNotShownToHold() throws IOException {
        List<Throwable> failures = Gates.failures(run("{concurrency: [1, 2, 3], atLeast: 3}"));

        assertThat(failures).hasSize(2).allMatch(f -> f instanceof AssertionError);
        assertThat(failures.get(0)).hasMessageContaining("BREACH  TTFT P95 at most 500.0 ms");
        assertThat(record().judgement().status()).isEqualTo(Status.BREACH);
        assertThat(record().measurement().concurrency()).isEqualTo(2);
    }

    @Test
    void itMayGoOnBeyondABreach() throws IOException {
        List<Throwable> failures = Gates.failures(run("{concurrency: [1, 2, 3], atLeast: 3, stopAtBreach: false}"));

        assertThat(failures.get(0))
                .hasMessageContaining(
                        "the highest load that was shown to hold is concurrency 1; concurrency 2 is BREACH; it has to hold up to concurrency 3");
        assertThat(record().sweep().steps()).extracting(StepEntry::load).containsExactly(1.0, 2.0, 3.0);
    }
}
