package io.github.latencybudget.report;

import static io.github.latencybudget.report.Samples.MILLI;
import static io.github.latencybudget.report.Samples.gate;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.LatencyRule;
import io.github.latencybudget.budget.PromptLength;
import io.github.latencybudget.budget.ThroughputConditions;
import io.github.latencybudget.budget.ThroughputRule;
import io.github.latencybudget.metric.Metric;
import io.github.latencybudget.metric.Percentile;
import io.github.latencybudget.record.GateId;
import io.github.latencybudget.record.GateRecord.TestEnding;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.TokenTrace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** A run in which everything happens that a report has to show. Run {@code main} with a folder to look at it. */
final class ReportExample {

    static final String HOSTILE = "status 500 | `x` <script>alert(1)</script> [link](https://example.com)\nsecond line";

    private final RecordStore store;
    private final Random random = new Random(42);

    private ReportExample(RecordStore store) {
        this.store = store;
    }

    public static void main(String[] arguments) {
        Path folder = Path.of(arguments[0]);
        write(folder);
        System.out.println(Report.write(Samples.store(folder), folder));
    }

    static void write(Path folder) {
        Samples.store(folder, "20251231T120000-1", Samples.NOON.minusSeconds(86_400))
                .start(gate("chat"), "Of an older run")
                .broken("old");
        ReportExample example = new ReportExample(Samples.store(folder));
        example.passes();
        example.growingGaps();
        example.failedRequests();
        example.error();
        example.skipped();
        example.unfinished();
        example.rerun();
        example.failedTest();
        example.store.plan(gate("neverReached"), "Never reached");
        try {
            Files.writeString(folder.resolve("records/20260101T120000-4711.Broken.off.json"), "{\"schema\":");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void passes() {
        List<TokenTrace> traces = new ArrayList<>();
        for (int i = 0; i < 360; i++) {
            int length = new int[] {128, 512, 2048}[i % 3];
            double base = new double[] {140, 280, 610}[i % 3];
            traces.addAll(Samples.traces(1, i, length, 64, r -> millis(base, 12), (r, p) -> millis(24, 1.5)));
        }
        judge(
                gate("chat"),
                "Chat answers within the SLA at three prompt lengths",
                Samples.of("Llama-2-7b", traces),
                Budget.of(
                        ttft(PromptLength.between(1, 128), 300),
                        ttft(PromptLength.between(129, 512), 450),
                        ttft(PromptLength.above(512), 800),
                        LatencyRule.itl(Percentile.P95, Duration.ofMillis(50)),
                        new ThroughputRule(
                                Metric.DECODE_TGS,
                                Percentile.P95,
                                30,
                                ThroughputConditions.of(Set.of(128, 512, 2048), Sampling.GREEDY, 1, 24L << 30))));
    }

    private void growingGaps() {
        List<TokenTrace> traces = Samples.traces(
                90, 0, 512, 256, r -> millis(r < 80 ? 300 : 900, 20), (r, p) -> millis(24 + 0.18 * p, 2));
        judge(
                gate("longAnswers"),
                "Long answers keep their pace",
                Samples.of("Llama-2-7b", traces),
                Budget.of(
                        ttft(PromptLength.exactly(512), 450), LatencyRule.itl(Percentile.P95, Duration.ofMillis(50))));
    }

    private void failedRequests() {
        List<TokenTrace> traces =
                new ArrayList<>(Samples.traces(20, 0, 128, 16, r -> millis(200, 20), (r, p) -> millis(22, 3)));
        for (int i = 20; i < 26; i++) {
            traces.add(Samples.failed(i, 128, i < 24 ? HOSTILE : "no answer within 30 s"));
        }
        judge(
                new GateId(
                        "com.example.inference.gateway.regression.VeryLongPackageNamesAreNotUnusualInJavaSlaTest$Nested",
                        "aMethodWhoseNameSaysEverythingThatThereIsToSayAboutTheGateAndThenSomeMore(Measurement, Verdicts)"),
                "A gateway that breaks <b>now</b> and then, with a display name that goes on for longer than a line has room for | really",
                Samples.of(
                        "meta-llama/Llama-2-7b-chat-hf](https://example.com) <script>alert(1)</script>",
                        traces,
                        new Finding(Finding.Kind.INVALID_SAMPLE, "another process (pid 4242) used the GPU; stop it")),
                Budget.of(
                        ttft(PromptLength.exactly(128), 300),
                        ttft(PromptLength.exactly(2048), 800),
                        LatencyRule.itl(Percentile.P99, Duration.ofMillis(40))));
    }

    private void error() {
        store.start(gate("big"), "Llama 2 70B on one GPU")
                .broken("out of device memory: 131.0 GiB needed, 80.0 GiB free; use a smaller model or dtype");
    }

    private void skipped() {
        store.skip(gate("gpu"), "Prefill on the GPU", "no NVIDIA GPU was found (mode auto)");
    }

    private void unfinished() {
        store.start(gate("killed"), "Killed in the middle");
    }

    private void rerun() {
        GateId gate = gate("flaky");
        Budget budget = Budget.of(ttft(PromptLength.exactly(128), 300));
        judge(gate, "Holds at the second attempt", Samples.steady("Llama-2-7b", 80, 16, r -> millis(340, 10)), budget);
        judge(gate, "Holds at the second attempt", Samples.steady("Llama-2-7b", 80, 16, r -> millis(240, 10)), budget);
    }

    private void failedTest() {
        Measurement measurement = Samples.steady("Llama-2-7b", 80, 16, r -> millis(240, 10));
        RecordStore.Attempt attempt = store.start(gate("body"), "Within budget, but the test itself fails");
        attempt.measured(measurement);
        Samples.judge(
                attempt,
                Budget.of(ttft(PromptLength.exactly(128), 300)),
                measurement,
                new TestEnding(TestEnding.Status.FAILED, "org.opentest4j.AssertionFailedError"));
    }

    private void judge(GateId gate, String name, Measurement measurement, Budget budget) {
        RecordStore.Attempt attempt = store.start(gate, name);
        attempt.measured(measurement);
        Samples.judge(attempt, budget, measurement, Samples.PASSED);
    }

    private long millis(double mean, double deviation) {
        return Math.max(1, (long) ((mean + deviation * random.nextGaussian()) * MILLI));
    }

    private static LatencyRule ttft(PromptLength length, long millis) {
        return LatencyRule.ttft(length, Percentile.P95, Duration.ofMillis(millis));
    }
}
