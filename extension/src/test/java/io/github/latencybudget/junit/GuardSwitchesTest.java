package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.budget.GuardReport;
import io.github.latencybudget.budget.Status;
import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.record.JudgementEntry.GuardEntry;
import io.github.latencybudget.trace.Finding;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Guards from the configuration to the record. */
class GuardSwitchesTest {

    @TempDir
    Path output;

    @InferenceTarget(model = "fake:drifts", target = FakeTarget.class, options = "slowerByMs=1")
    static class Drifting {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, ttftMs = 250)
        void gate() {}
    }

    @Test
    void aRunThatDriftsDoesNotPass() {
        Gates gates = new Gates(output);

        assertThat(gates.failure(Drifting.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("the run became slower while it lasted: median TTFT at 8 tokens ");
        assertThat(gates.records()).singleElement().satisfies(r -> {
            assertThat(r.judgement().status()).isEqualTo(Status.INCONCLUSIVE);
            assertThat(r.judgement().findings()).extracting(Finding::kind).containsExactly(Finding.Kind.SLOWED_DOWN);
        });
    }

    @Test
    void aGuardThatIsSwitchedOffIsNamedInTheRecord() {
        Gates gates = new Gates(output).with("latencybudget.guards.max-drift", "off");

        gates.run(Drifting.class);

        assertThat(gates.records().get(0).judgement().findings()).isEmpty();
        assertThat(gates.records().get(0).judgement().guards())
                .contains(new GuardEntry("max-drift", GuardReport.State.OFF, 0.1, false, null));
        assertThat(gates.records().get(0).measurement().watch().guards().off()).hasSize(1);
    }

    @Test
    void aThresholdIsTakenFromTheConfiguration() {
        Gates gates = new Gates(output).with("latencybudget.guards.max-drift", "3");

        gates.run(Drifting.class);

        assertThat(gates.records().get(0).judgement().findings()).isEmpty();
        assertThat(gates.records().get(0).judgement().guards())
                .filteredOn(g -> g.guard().equals("max-drift"))
                .singleElement()
                .satisfies(g -> {
                    assertThat(g.threshold()).isEqualTo(3);
                    assertThat(g.isDefault()).isFalse();
                    assertThat(g.state()).isEqualTo(GuardReport.State.CLEAR);
                });
    }

    @ParameterizedTest
    @CsvSource({"on", "ON", "0.1"})
    void whatIsAsByDefaultIsNotSetByHand(String value) {
        Gates gates = new Gates(output).with("latencybudget.guards.max-drift", value);
        gates.run(Drifting.class);

        assertThat(gates.records().get(0).judgement().guards()).allMatch(GuardEntry::isDefault);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "other-processes | no | it is `on` or `off`",
                "throttling | 0.5 | it is `on` or `off`",
                "min-clock-share | 70% | it is `on`, `off` or a share from 0 to 1, by default 0.7",
                "min-clock-share | 70 | it is `on`, `off` or a share from 0 to 1, by default 0.7",
                "max-drift | -0.1 | it is `on`, `off` or a share from 0 on, by default 0.1",
                "max-drift | NaN | it is `on`, `off` or a share from 0 on, by default 0.1",
            })
    void aValueThatAGuardCannotHaveIsRefused(String guard, String value, String allowed) {
        new Gates(output)
                .with("latencybudget.guards." + guard, value)
                .assertRefused(
                        Drifting.class,
                        "`latencybudget.guards.%s = %s` is not allowed; %s".formatted(guard, value, allowed));
    }

    @Test
    void aGuardThatThereIsNotIsRefusedWithTheNearest() {
        System.setProperty("latencybudget.guards.other-process", "off");
        try {
            new Gates(output)
                    .assertRefused(
                            Drifting.class,
                            "`latencybudget.guards.other-process` is not allowed; there is no such guard; did you mean `latencybudget.guards.other-processes`? There are other-processes, throttling, min-clock-share, max-memory-share, max-schedule-delay-share, max-cached-share, output-length, max-failed-share, same-target, max-drift, max-client-error-share");
        } finally {
            System.clearProperty("latencybudget.guards.other-process");
        }
    }

    @InferenceTarget(model = "fake:cached", target = FakeTarget.class, options = "cachedPromptTokens=15900")
    static class Cached {
        @Test
        @LatencyBudget(promptTokens = 16_000, outputTokens = 3, ttftMs = 1_000)
        void gate() {}
    }

    /** Case 26. */
    @Test
    void aGateThatDidNotAskForAWarmPrefixCacheIsInconclusive() {
        Gates gates = new Gates(output);

        assertThat(gates.failure(Cached.class))
                .hasMessageContaining(
                        "64 of 64 requests had more than 10.0% of their prompt served from a prefix cache, such as request 0 with 15900 of 16000 tokens");
        assertThat(gates.records().get(0).measurement().requests().get(0).cachedPromptTokens())
                .isEqualTo(15_900);
    }

    @Test
    void aGateThatAskedForItPasses() {
        new Gates(output)
                .with("latencybudget.guards.max-cached-share", "1")
                .run(Cached.class)
                .testEvents()
                .assertStatistics(s -> s.succeeded(1));
    }
}
