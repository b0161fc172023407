package io.github.latencybudget.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.latencybudget.budget.Status;
import io.github.latencybudget.budget.Waiver;
import io.github.latencybudget.inference.FakeTarget;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.JudgementEntry.RuleEntry;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.report.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.LocalDate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WaivedLimitTest {

    private static final String PLAN = "https://tracker.example.com/KV-12";

    @TempDir
    Path output;

    @InferenceTarget(model = "fake", target = FakeTarget.class, options = "itlMs=60")
    static class Slow {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 50, ttftMs = 100)
        @WaivedLimit(
                attribute = "itlP95Ms",
                owner = "kv-team",
                reason = "the cache is copied as it grows",
                plan = "KV-cache paging",
                remediation = PLAN,
                expires = "2999-12-31",
                upTo = 60)
        void waived() {}
    }

    @Test
    void aWaivedBreachDoesNotFailAndIsNeverShownAsPassed() throws IOException {
        Gates gates = new Gates(output);
        gates.run(Slow.class).testEvents().assertStatistics(s -> s.succeeded(1));

        GateRecord record = gates.records().get(0);
        assertThat(record.judgement().status()).isEqualTo(Status.WAIVED);
        RuleEntry rule = record.judgement().rules().stream()
                .filter(r -> r.waiver() != null)
                .findFirst()
                .orElseThrow();
        assertThat(rule.status()).isEqualTo(Status.WAIVED);
        assertThat(rule.waiver().owner()).isEqualTo("kv-team");
        assertThat(rule.waiver().reason()).isEqualTo("the cache is copied as it grows");
        assertThat(rule.waiver().plan()).isEqualTo("KV-cache paging");
        assertThat(rule.waiver().remediation()).hasToString(PLAN);
        assertThat(rule.waiver().expires()).isEqualTo(LocalDate.of(2999, 12, 31));
        assertThat(rule.waiver().upTo()).isEqualTo(60e6);
        Gates.report(output);
        assertThat(Files.readString(output.resolve("summary.md")))
                .startsWith("## Broken, and waived: 1 of 1 gate waived")
                .contains("1 gate: 0 passed, 0 breached, 0 inconclusive, 1 waived, 0 skipped")
                .contains("| WAIVED | WaivedLimitTest$Slow.waived() | ITL P95".replace("$", "\\$"))
                .contains("waived up to 60.0 ms until 2999-12-31 (UTC, that day included) by kv-team");
        assertThat(Files.readString(output.resolve("index.html")))
                .contains("<a href=\"https://tracker.example.com/KV-12\">KV-cache paging</a>");
        assertThat(Files.readString(output.resolve("report.json"))).contains("\"status\" : \"WAIVED\"");
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class, options = "itlMs=60")
    @WaivedLimit(attribute = "itlP95Ms", owner = "kv-team", reason = "slow", remediation = PLAN, expires = "2020-01-31")
    @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 50)
    static class Expired {
        @Test
        void gate() {}
    }

    @Test
    void anExpiredWaiverFailsWithItsDate() {
        assertThat(new Gates(output).failure(Expired.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("BREACH  ITL P95 at most 50.0 ms")
                .hasMessageContaining("its waiver by kv-team expired on 2020-01-31, and today is ");
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class, options = "itlMs=40")
    static class Fast {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 50)
        @WaivedLimit(
                attribute = "itlP95Ms",
                owner = "kv-team",
                reason = "slow",
                remediation = PLAN,
                expires = "2999-12-31")
        void gate() {}
    }

    @Test
    void aWaiverThatIsNotNeededFailsTheGate() throws IOException {
        assertThat(new Gates(output).failure(Fast.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("UNUSED WAIVER  ITL P95 at most 50.0 ms")
                .hasMessageContaining(
                        "the rule holds, and a waiver by kv-team says that it does not: remove the waiver");
        Report.write(new RecordStore(output.resolve("records"), "test", Clock.systemUTC()), output);
        assertThat(Files.readString(output.resolve("summary.md")))
                .startsWith(
                        "## The gate fails: with an unused waiver\n\n1 gate: 0 passed, 0 breached, 0 inconclusive, 1 with an unused waiver");
    }

    /** Each has what its name says, and is refused before anything is measured. */
    @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 50)
    @LatencyBudget(promptTokens = 16, outputTokens = 3, itlP95Ms = 50)
    @InferenceTarget(model = "fake", target = FakeTarget.class)
    static class Malformed {
        @Test
        @WaivedLimit(attribute = "itlP59Ms", owner = "a", reason = "b", remediation = PLAN, expires = "2999-12-31")
        void attribute() {}

        @Test
        @WaivedLimit(attribute = "itlP95Ms", owner = "a", reason = "b", remediation = PLAN, expires = "2999-12-31")
        void whichLength() {}

        @Test
        @WaivedLimit(
                attribute = "itlP95Ms",
                promptTokens = 8,
                owner = " ",
                reason = "b",
                remediation = PLAN,
                expires = "2999-12-31")
        void owner() {}

        @Test
        @WaivedLimit(
                attribute = "itlP95Ms",
                promptTokens = 8,
                owner = "a",
                reason = "b",
                remediation = "next week",
                expires = "2999-12-31")
        void remediation() {}

        @Test
        @WaivedLimit(
                attribute = "itlP95Ms",
                promptTokens = 8,
                owner = "a",
                reason = "b",
                remediation = PLAN,
                expires = "31.12.2999")
        void expires() {}

        @Test
        @WaivedLimit(
                attribute = "itlP95Ms",
                promptTokens = 8,
                owner = "a",
                reason = "b",
                remediation = PLAN,
                expires = "2999-12-31",
                upTo = 49)
        void upTo() {}
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "attribute: `attribute = itlP59Ms` is not allowed; no budget of this gate sets such a limit; it sets `itlP95Ms`",
                "whichLength: `promptTokens = 0` is not allowed; `itlP95Ms` is set for prompts of 8 tokens, prompts of 16 tokens; name a length that one of them is about",
                "owner: `owner =  ` is not allowed; name who answers for it",
                "remediation: `remediation = next week` is not allowed; must be a link to the plan, such as https://tracker.example.com/KV-12",
                "expires: `expires = 31.12.2999` is not allowed; must be the last day that the waiver holds on, such as 2027-01-31",
                "upTo: a waiver up to 49.0 ms covers no breach of \"ITL P95 at most 50.0 ms for prompts of 8 tokens\": raise what it covers, or remove it"
            })
    void aMalformedWaiverIsRefusedByAnnotationAttributeAndValue(String message) {
        assertThat(Gates.failures(new Gates(output).run(Malformed.class)))
                .allMatch(t -> t instanceof ExtensionConfigurationException)
                .extracting(Throwable::getMessage)
                .contains("@WaivedLimit on Malformed." + message);
    }

    @InferenceTarget(model = "fake", target = FakeTarget.class)
    @WaivedLimit(attribute = "itlP95Ms", owner = "a", reason = "b", remediation = PLAN, expires = "2999-12-31")
    static class OutOfPlace {
        @Test
        @LatencyBudget(promptTokens = 8, outputTokens = 3, itlP95Ms = 50)
        void farther() {}
    }

    static class WithoutBudget {
        @Test
        @WaivedLimit(attribute = "itlP95Ms", owner = "a", reason = "b", remediation = PLAN, expires = "2999-12-31")
        void nothingToWaive() {}
    }

    @Test
    void aWaiverOfNothingIsRefused() {
        assertThat(new Gates(output).failure(OutOfPlace.class))
                .hasMessage(
                        "@WaivedLimit on OutOfPlace.farther: it is farther from the test than the closest budget, and waives no limit of it; put it beside that budget");
        assertThat(new Gates(output).failure(WithoutBudget.class))
                .hasMessage(
                        "@WaivedLimit on WithoutBudget.nothingToWaive: there is no budget here, so there is no limit to waive; put it beside a budget");
    }

    /** The date is the one that it is given: nothing here asks what day it is. */
    @Test
    void theLastDayCounts() throws NoSuchMethodException {
        Gate gate = Gate.find(Expired.class, Expired.class.getDeclaredMethod("gate"))
                .orElseThrow();
        Waiver waiver = new BudgetReader(gate, 42, LocalDate.of(2020, 1, 31))
                .read()
                .budget()
                .waivers()
                .byRule()
                .values()
                .iterator()
                .next();

        assertThat(waiver.holdsOn(LocalDate.of(2020, 1, 31))).isTrue();
        assertThat(waiver.holdsOn(LocalDate.of(2020, 2, 1))).isFalse();
    }
}
