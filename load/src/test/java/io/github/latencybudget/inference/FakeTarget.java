package io.github.latencybudget.inference;

import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.NanoClock;
import io.github.latencybudget.trace.TokenSink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * Answers by a script on a clock of its own, so that every number of a gate is known beforehand. The options are the script:
 * {@code ttftMs}, {@code itlMs}, {@code failEvery}, {@code tokens}, {@code openFails}, {@code hangAfter}, {@code prepareFails}, {@code memoryGiB},
 * {@code cachedPromptTokens}, {@code slowerByMs} and {@code gapSlowerByMs} (TTFT, or each gap, grows with each request), {@code changesAfter} (so many requests it has
 * other weights), {@code deviceName}, {@code batch} (a {@link FakeBatch} of so many requests), {@code maxConcurrency} (so many at a time, each by itself),
 * {@code breaksAfterSteps} (after so many steps of a sweep it is gone).
 */
public final class FakeTarget implements Target {

    /** How often a target with this model was opened in this JVM. */
    public static final Map<String, AtomicInteger> OPENED = new ConcurrentHashMap<>();

    public static final Map<String, AtomicInteger> CLOSED = new ConcurrentHashMap<>();

    /** The prompts that targets with this model were given as texts, by their numbers. */
    public static final Map<String, Map<Long, String>> TEXTS = new ConcurrentHashMap<>();

    /** How many requests are running, and the most that ever were. */
    public static final AtomicInteger RUNNING = new AtomicInteger();

    public static final AtomicInteger MOST_RUNNING = new AtomicInteger();

    @Override
    public TargetSession open(TargetSpec spec, Progress progress) {
        OPENED.computeIfAbsent(spec.model(), m -> new AtomicInteger()).incrementAndGet();
        if (spec.options().containsKey("openFails")) {
            throw new MeasurementException(spec.options().get("openFails"));
        }
        if (spec.options().containsKey("openThrows")) {
            throw new UnsatisfiedLinkError(spec.options().get("openThrows"));
        }
        return new FakeSession(spec);
    }

    private static final class FakeSession implements TargetSession {

        private static final long PROMPTS_PER_STEP = 1_000_000;

        private final TargetSpec spec;
        private final AtomicLong nanos = new AtomicLong(1_000_000_000L);
        private final AtomicInteger requests = new AtomicInteger();
        private final Optional<FakeBatch> batch;

        private FakeSession(TargetSpec spec) {
            this.spec = spec;
            this.batch = spec.options().containsKey("batch")
                    ? Optional.of(new FakeBatch(
                            (int) option("batch", 1),
                            nanos,
                            millis(option("ttftMs", 100)),
                            millis(option("itlMs", 10))))
                    : Optional.empty();
        }

        @Override
        public int maxConcurrency() {
            return (int) option("maxConcurrency", option("batch", 1));
        }

        @Override
        public List<EngineStep> takeSteps() {
            return batch.map(FakeBatch::takeSteps).orElse(List.of());
        }

        @Override
        public TargetDescription description() {
            return new TargetDescription(
                    spec.model(),
                    requests.get() > option("changesAfter", Integer.MAX_VALUE) ? "reloaded" : "scripted",
                    "fp32",
                    spec.options().getOrDefault("deviceName", "fake device"),
                    spec.device(),
                    4096,
                    new TreeMap<>(Map.of("requests" + TargetDescription.SO_FAR, requests.toString())));
        }

        /** A word is a token, and one begins a prompt. */
        @Override
        public Conversation converse() {
            AtomicInteger soFar = new AtomicInteger(1);
            return turn -> {
                if (turn.said() instanceof Said.Text said) {
                    TEXTS.computeIfAbsent(spec.model(), m -> new ConcurrentHashMap<>())
                            .put(turn.promptNumber(), said.text());
                }
                int tokens = soFar.addAndGet(FakeWords.of(turn.said()));
                soFar.addAndGet(turn.outputTokens());
                return prepare(new GenerationRequest(
                        tokens, turn.outputTokens(), turn.ignoreEos(), turn.sampling(), turn.promptNumber()));
            };
        }

        @Override
        public Generation prepare(GenerationRequest request) {
            if (spec.options().containsKey("prepareFails")) {
                throw new IllegalStateException(spec.options().get("prepareFails"));
            }
            if (request.promptNumber() / PROMPTS_PER_STEP >= option("breaksAfterSteps", Integer.MAX_VALUE)) {
                throw new IllegalStateException("the server is gone");
            }
            return new Generation() {
                @Override
                public int promptTokens() {
                    return request.promptTokens();
                }

                @Override
                public void run(TokenSink sink) throws Exception {
                    MOST_RUNNING.accumulateAndGet(RUNNING.incrementAndGet(), Math::max);
                    try {
                        if (batch.isPresent()) {
                            batch.get().generate(request, sink);
                        } else {
                            generate(request, sink);
                        }
                    } finally {
                        RUNNING.decrementAndGet();
                    }
                }
            };
        }

        private void generate(GenerationRequest request, TokenSink sink) throws Exception {
            int number = requests.incrementAndGet();
            if (spec.options().containsKey("sleepMs")) {
                Thread.sleep(Long.parseLong(spec.options().get("sleepMs")));
            }
            if (number > (int) option("hangAfter", Integer.MAX_VALUE)) {
                Thread.sleep(Long.MAX_VALUE);
            }
            if (spec.options().containsKey("blockRecords")) {
                blockRecords(Path.of(spec.options().get("blockRecords")));
            }
            if (spec.options().containsKey("warmUpFails")) {
                throw new IllegalStateException(spec.options().get("warmUpFails"));
            }
            if (spec.options().containsKey("halt")) {
                Runtime.getRuntime().halt(137);
            }
            if (number > 3 && number % (int) option("failEvery", Integer.MAX_VALUE) == 0) {
                if (spec.options().containsKey("error")) {
                    throw new OutOfMemoryError(spec.options().get("error"));
                }
                throw new IllegalStateException(spec.options().getOrDefault("failure", "scripted failure"));
            }
            int tokens = number > 3 ? (int) option("tokens", request.outputTokens()) : request.outputTokens();
            if (spec.options().containsKey("cachedPromptTokens")) {
                sink.cachedPromptTokens((int) option("cachedPromptTokens", 0));
            }
            pass(option("ttftMs", 100) + slowness(request, number) * option("slowerByMs", 0));
            for (int i = 0; i < tokens; i++) {
                if (i > 0) {
                    pass(option("itlMs", 10) + slowness(request, number) * option("gapSlowerByMs", 0));
                }
                sink.token();
            }
        }

        /** Each request is slower than the one before, and those of a step of a sweep by far than those of the step before. */
        private static long slowness(GenerationRequest request, int number) {
            return number - 1 + request.promptNumber() / PROMPTS_PER_STEP * PROMPTS_PER_STEP;
        }

        /** Puts folders where the records would be written. */
        private static void blockRecords(Path folder) throws IOException {
            try (Stream<Path> records = Files.list(folder)) {
                for (Path record :
                        (Iterable<Path>) records.filter(r -> r.toString().endsWith(".json"))::iterator) {
                    Files.createDirectories(record.resolveSibling(record.getFileName() + ".writing"));
                }
            }
        }

        private void pass(double millis) {
            nanos.addAndGet(millis(millis));
        }

        private static long millis(double millis) {
            return Math.round(millis * 1e6);
        }

        private double option(String name, double otherwise) {
            return spec.options().containsKey(name)
                    ? Double.parseDouble(spec.options().get(name))
                    : otherwise;
        }

        @Override
        public OptionalLong deviceMemoryBytes() {
            return spec.options().containsKey("memoryGiB")
                    ? OptionalLong.of((long) (option("memoryGiB", 0) * (1L << 30)))
                    : OptionalLong.empty();
        }

        @Override
        public NanoClock clock() {
            return nanos::get;
        }

        @Override
        public void close() {
            CLOSED.computeIfAbsent(spec.model(), m -> new AtomicInteger()).incrementAndGet();
        }
    }
}
