package io.github.latencybudget.junit;

import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.Target;
import io.github.latencybudget.inference.TargetDescription;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.inference.TargetSpec;
import io.github.latencybudget.trace.EngineStep;
import io.github.latencybudget.trace.TokenSink;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Answers the first requests of a run, and then hangs as a call into native code does: nothing wakes it. It prints {@link #STUCK}
 * once as many requests hang as can be in flight, so that each request before them is over. Options: {@code answers} (how many it
 * answers), {@code step} (of a sweep, from 0), {@code inFlight}, {@code looksHang} (the questions beside the requests hang too),
 * {@code opens} and {@code warmsUp} ({@code false}: it hangs there), {@code breaks} (it hangs at none, and cannot make any more).
 */
public final class StuckTarget implements Target {

    static final String STUCK = "stuck";

    private static final long PROMPTS_PER_STEP = 1_000_000;
    private static final long FIRST_PROMPT = 500_000;

    @Override
    public TargetSession open(TargetSpec spec, Progress progress) {
        if ("false".equals(spec.options().get("opens"))) {
            hang(1, new AtomicInteger());
        }
        return new Session(spec);
    }

    private static void hang(int most, AtomicInteger hanging) {
        if (hanging.incrementAndGet() == most) {
            System.out.println(STUCK);
        }
        while (true) {
            try {
                Thread.sleep(Long.MAX_VALUE);
            } catch (InterruptedException e) {
                // A native call does not hear it.
            }
        }
    }

    private record Session(TargetSpec spec, AtomicInteger hanging, AtomicInteger looks) implements TargetSession {

        private Session(TargetSpec spec) {
            this(spec, new AtomicInteger(), new AtomicInteger());
        }

        @Override
        public int maxConcurrency() {
            return 16;
        }

        @Override
        public TargetDescription description() {
            look();
            return new TargetDescription(
                    spec.model(), "scripted", "fp32", "fake device", spec.device(), 4096, new TreeMap<>(Map.of()));
        }

        @Override
        public List<EngineStep> takeSteps() {
            look();
            return List.of();
        }

        @Override
        public OptionalLong deviceMemoryBytes() {
            look();
            return OptionalLong.of(1L << 30);
        }

        private void look() {
            if (spec.options().containsKey("looksHang") && hanging.get() > 0) {
                hang(0, looks);
            }
        }

        @Override
        public Generation prepare(GenerationRequest request) {
            if (spec.options().containsKey("breaks") && isStuck(request.promptNumber())) {
                throw new OutOfMemoryError(spec.options().get("breaks"));
            }
            return new Generation() {
                @Override
                public int promptTokens() {
                    return request.promptTokens();
                }

                @Override
                public void run(TokenSink sink) throws InterruptedException {
                    if (isStuck(request.promptNumber())) {
                        hang(option("inFlight", 1), hanging);
                    }
                    for (int i = 0; i < request.outputTokens(); i++) {
                        Thread.sleep(1);
                        sink.token();
                    }
                }
            };
        }

        private boolean isStuck(long prompt) {
            long inStep = prompt % PROMPTS_PER_STEP - FIRST_PROMPT;
            return "false".equals(spec.options().get("warmsUp"))
                    || prompt / PROMPTS_PER_STEP == option("step", 0) && inStep >= option("answers", Integer.MAX_VALUE);
        }

        private int option(String name, int otherwise) {
            return Integer.parseInt(spec.options().getOrDefault(name, Integer.toString(otherwise)));
        }

        @Override
        public void close() {}
    }
}
