package io.github.latencybudget.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.latencybudget.budget.Sweep;
import io.github.latencybudget.load.Scenario;
import io.github.latencybudget.load.SweepPlan;
import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.Load;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SweepReaderTest {

    private static final String POLICY = """
            version: 1
            targets: {tiny: {}}
            scenario: {promptTokens: 8, %s}
            rules: {%s}
            """;

    private static final String ITL = "itl: {metric: itl, atMostMs: 1}";
    private static final String TGS =
            "tgs: {metric: system-tgs, atLeastTokensPerSecond: 10, conditions: {promptTokens: 8, sampling: {temperature: 0, topP: 1}, concurrency: 1, maxDeviceMemoryGiB: 2}}";
    private static final String WAIVER =
            "waivers: [{rules: itl, owner: me, reason: slow, remediation: \"https://example.com/1\", expires: 2027-01-31}]\n";

    @TempDir
    Path folder;

    private Policy read(String text) throws IOException {
        return Policy.read(PolicySource.file(Files.writeString(folder.resolve("p.yaml"), text)));
    }

    private SweepPlan sweep(String loads) throws IOException {
        return read(POLICY.formatted("sweep: " + loads, ITL)).scenario().sweep().orElseThrow();
    }

    @Test
    void itsLoadsAreThoseOfAClosedOrOfAnOpenLoop() throws IOException {
        assertThat(sweep("{concurrency: [1, 2, 4]}"))
                .isEqualTo(new SweepPlan(Sweep.Unit.CONCURRENCY, List.of(1.0, 2.0, 4.0), 1, true, true, 0));
        assertThat(sweep("{requestsPerSecond: [0.5, 2], arrivals: constant, atLeast: 2, stopAtBreach: false}"))
                .isEqualTo(new SweepPlan(Sweep.Unit.REQUESTS_PER_SECOND, List.of(0.5, 2.0), 2, false, false, 0));
    }

    @Test
    void itsArrivalsFollowFromTheSeedOfTheTarget() throws IOException {
        Policy policy = read(POLICY.formatted("sweep: {requestsPerSecond: [1, 2]}", ITL));
        Scenario scenario = policy.scenario().withSeed(42);

        assertThat(policy.scenario()
                        .sweep()
                        .orElseThrow()
                        .withSeed(42)
                        .at(2, scenario)
                        .load())
                .isEqualTo(new Load.Open(new Arrivals.Poisson(2, 42), OptionalInt.empty(), 100));
    }

    static Stream<Arguments> refusals() {
        String twice =
                "name the loads either by `concurrency` or by `requestsPerSecond`, such as {concurrency: [1, 2, 4, 8]}";
        return Stream.of(
                arguments("sweep: {}", ITL, ":3:36: `scenario.sweep` is not allowed; " + twice),
                arguments(
                        "sweep: {concurrency: [1, 2], requestsPerSecond: [1, 2]}",
                        ITL,
                        ":3:50: `scenario.sweep.concurrency` is not allowed; " + twice),
                arguments(
                        "sweep: {concurrency: 4}",
                        ITL,
                        ":3:50: `scenario.sweep.concurrency = 4` is not allowed; a sweep has two loads at least; for one, give the scenario its `concurrency` or an `openLoop`"),
                arguments(
                        "sweep: {concurrency: [2, 2]}",
                        ITL,
                        ":3:54: `scenario.sweep.concurrency[1] = 2` is not allowed; put the loads in ascending order, each once"),
                arguments(
                        "sweep: {concurrency: [1, 2.5]}",
                        ITL,
                        ":3:54: `scenario.sweep.concurrency[1] = 2.5` is not allowed; it is how many requests are in flight at a time, at least 1"),
                arguments(
                        "sweep: {requestsPerSecond: [0, 2]}",
                        ITL,
                        ":3:57: `scenario.sweep.requestsPerSecond[0] = 0` is not allowed; must be above 0 and at most 1000000"),
                arguments(
                        "sweep: {concurrency: [1, 2], atLeast: 3}",
                        ITL,
                        ":3:67: `scenario.sweep.atLeast = 3` is not allowed; it is one of the loads that are measured, [1.0, 2.0]"),
                arguments(
                        "sweep: {concurrency: [1, 2], stopAtBreach: 1}",
                        ITL,
                        ":3:72: `scenario.sweep.stopAtBreach = 1` is not allowed; it is `true` or `false`"),
                arguments(
                        "sweep: {concurrency: [1, 2], arrivals: constant}",
                        ITL,
                        ":3:68: `scenario.sweep.arrivals = constant` is not allowed; a closed loop has none; leave it out, or name the loads by `requestsPerSecond`"),
                arguments(
                        "sweep: {requestsPerSecond: [1, 2], arrivals: ramp}",
                        ITL,
                        ":3:74: `scenario.sweep.arrivals = ramp` is not allowed; it is one of `poisson`, `constant`"),
                arguments(
                        "concurrency: 2, sweep: {concurrency: [1, 2]}",
                        ITL,
                        ":3:42: `scenario.concurrency = 2` is not allowed; the sweep has loads of its own; leave one of the two out"),
                arguments(
                        "openLoop: {requestsPerSecond: 1}, sweep: {concurrency: [1, 2]}",
                        ITL,
                        ":3:39: `scenario.openLoop` is not allowed; the sweep has loads of its own; leave one of the two out"),
                arguments(
                        "prompts: p.jsonl, sweep: {concurrency: [1, 2]}",
                        ITL,
                        ":3:38: `scenario.prompts = p.jsonl` is not allowed; each load of the sweep would be sent the same prompts again, which a server may have cached by then; have prompts made by `promptTokens`, or measure the file under one load"),
                arguments(
                        "thinkMs: 5, sweep: {requestsPerSecond: [1, 2]}",
                        ITL,
                        ":3:38: `scenario.thinkMs = 5` is not allowed; in an open loop, requests are due at a rate, however long somebody thinks; leave it out"),
                arguments(
                        "sweep: {concurrency: [1, 2]}",
                        TGS,
                        ":4:143: `rules.tgs.conditions.concurrency = 1` is not allowed; the scenario is a sweep of several loads, and a rate in tokens holds for one concurrency; move the rule to a policy of its own, or leave it out by `without`"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void whatCannotBeMeantIsRefused(String scenario, String rules, String message) {
        assertThatThrownBy(() -> read(POLICY.formatted(scenario, rules)))
                .isInstanceOf(PolicyException.class)
                .hasMessageEndingWith("p.yaml" + message);
    }

    @Test
    void aWaiverIsRefused() {
        assertThatThrownBy(() -> read(POLICY.formatted("sweep: {concurrency: [1, 2]}", ITL) + WAIVER))
                .isInstanceOf(PolicyException.class)
                .hasMessageEndingWith(
                        "p.yaml:5:11: `waivers[0]` is not allowed; under a low load of the sweep a waived rule may hold, under a high one not; move it to a policy of one load");
    }
}
