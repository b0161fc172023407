package io.github.latencybudget.load;

import io.github.latencybudget.budget.Budget;
import io.github.latencybudget.budget.Looks;
import io.github.latencybudget.device.DeviceSensor;
import io.github.latencybudget.device.NvmlSensor;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.TargetDescription;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.trace.GuardSettings;
import io.github.latencybudget.trace.Measurement;
import io.github.latencybudget.trace.OneLine;
import io.github.latencybudget.trace.Outcome;
import io.github.latencybudget.trace.TokenRecorder;
import io.github.latencybudget.trace.TokenTrace;
import io.github.latencybudget.trace.WarmUp;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apiguardian.api.API;

/** Runs a scenario on one session, under the load that it says, and gives the measurement. For one run. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class LoadDriver {

    /** Of what a target says of itself, so that the next step still fits on the page. */
    private static final int MOST_CHARACTERS = 500;

    /** Of one request: a longer output is recorded too, and whether the target can give it is for the target to say. */
    private static final int MOST_TOKENS_BEFOREHAND = 1 << 16;

    private final TargetSession session;
    private final Scenario scenario;
    private final Preparation preparation;
    private final Progress progress;
    private final Optional<Budget> budget;
    private final boolean isAllMeasured;
    private final GuardSettings guards;
    private final Function<String, Optional<DeviceSensor>> sensors;
    private final PeakMemory memory;
    private final Optional<OpenLoopRun> openLoop;
    private final long firstWarmUp;
    private long promptsMade;
    private volatile Optional<MeasuredRun> measured = Optional.empty();
    private volatile Optional<Measurement> whole = Optional.empty();

    /**
     * Measures all that the scenario says, with the guards as by default, and nothing judges it.
     *
     * @param session where to run
     * @param scenario what to run
     * @param progress told of every request that is done
     */
    public LoadDriver(TargetSession session, Scenario scenario, Progress progress) {
        this(session, scenario, progress, Optional.empty(), false, GuardSettings.DEFAULT, 0);
    }

    /**
     * @param session where to run
     * @param scenario what to run
     * @param progress told of every request that is done
     * @param budget what the run is judged by: a prompt length is measured no longer than it takes to decide that; empty to measure all
     * @param isAllMeasured whether to go on where the budget is decided before all is measured
     * @param guards which guards the run is judged with
     * @param firstPrompt the number of the first prompt, 0 where no run on the session was before: what such a one had may be in a
     *     prefix cache
     */
    public LoadDriver(
            TargetSession session,
            Scenario scenario,
            Progress progress,
            Optional<Budget> budget,
            boolean isAllMeasured,
            GuardSettings guards,
            long firstPrompt) {
        this(session, scenario, progress, budget, isAllMeasured, guards, firstPrompt, NvmlSensor::of);
    }

    LoadDriver(
            TargetSession session,
            Scenario scenario,
            Progress progress,
            Optional<Budget> budget,
            boolean isAllMeasured,
            GuardSettings guards,
            long firstPrompt,
            Function<String, Optional<DeviceSensor>> sensors) {
        this.session = session;
        this.scenario = scenario;
        this.preparation = new Preparation(session, scenario.sampling());
        this.progress = progress;
        this.budget = budget;
        this.isAllMeasured = isAllMeasured;
        this.guards = guards;
        this.sensors = sensors;
        this.firstWarmUp = firstPrompt;
        this.promptsMade = firstPrompt;
        this.memory = new PeakMemory(session);
        this.openLoop = scenario.openLoop().map(load -> new OpenLoopRun(session, load, scenario.maxDuration()));
    }

    /**
     * Warms every prompt length up, then measures. A request that breaks becomes a failed trace and does not end the run.
     *
     * @throws MeasurementException where the target cannot have as many requests in flight, the warm-up breaks, or a request
     *     cannot be made
     */
    public Measurement run() {
        try {
            return measure();
        } catch (MeasurementException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new MeasurementException(
                    String.format(
                            Locale.ROOT,
                            "the target broke off outside a request (%s): correct its %s, as TargetSession and Generation say",
                            OneLine.of(e, MOST_CHARACTERS),
                            session.getClass().getName()),
                    e);
        }
    }

    private Measurement measure() {
        requireRoom();
        SortedSet<Integer> lengths = warmUpLengths();
        int expected = openLoop.isPresent() ? expectedInFlight(lengths.last()) : scenario.concurrency();
        int inFlight = openLoop.map(open -> open.warmedUp(expected)).orElse(expected);
        ClosedLoop closedLoop = closedLoop(inFlight);
        WarmUp warmUp = new WarmUpPhase(
                        scenario,
                        lengths,
                        inFlight,
                        progress,
                        (prompt, output) -> warmUpRound(closedLoop, inFlight, prompt, output))
                .run();
        ClientCheck client = ClientCheck.of(session, expected, warmUp, budget, guards, progress);
        if (client.calibration().isPresent()) {
            // Meanwhile the target had nothing to do, and an idle device lowers its clocks.
            warmUpRound(closedLoop, inFlight, lengths.first(), WarmUpPhase.LEAST_OUTPUT_TOKENS);
        }
        // The warm-up is over, so these are all of it.
        session.takeSteps();
        return measure(closedLoop, warmUp, client);
    }

    private Measurement measure(ClosedLoop closedLoop, WarmUp warmUp, ClientCheck client) {
        long firstPrompt = firstWarmUp + WarmUpPlan.MOST_PROMPTS;
        TargetDescription target = session.description();
        RunWatcher watcher = new RunWatcher(target, guards, sensors);
        MeasuredRun run = new MeasuredRun(
                session,
                scenario,
                memory,
                openLoop.map(open -> OptionalInt.of(open.mostInFlight())).orElseGet(OptionalInt::empty),
                warmUp,
                client,
                firstPrompt,
                target,
                watcher);
        measured = Optional.of(run);
        try {
            Supplier<Optional<Request>> next = measuredFrom(firstPrompt, watcher);
            openLoop.ifPresentOrElse(open -> open.run(next, run.ended()), () -> closedLoop.run(next, run.ended()));
        } finally {
            watcher.stop();
        }
        Measurement over = run.whole();
        Measurement kept = Thread.currentThread().isInterrupted()
                ? over.with(run.interrupted(over.traces().size(), endsEarly()))
                : over;
        whole = Optional.of(kept);
        return kept;
    }

    /**
     * {@return what the run has measured by now, with a finding that it was interrupted; all of it once it is over, and empty before the
     * first request has ended} For a run that does not go on: its thread may hang or have failed. A request in flight has not ended and
     * is no part of it. May be called by any thread, at any time, and waits for nothing longer than half a second.
     */
    public Optional<Measurement> soFar() {
        return whole.or(() -> measured.flatMap(run -> run.soFar(endsEarly())));
    }

    private void requireRoom() {
        openLoop.ifPresent(OpenLoopRun::requireInFlight);
        int most = session.maxConcurrency();
        if (scenario.concurrency() > most) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "concurrency = %d: this target can have at most %d request%s in flight at a time; ask for at most so many, or open it with room for more",
                    scenario.concurrency(),
                    most,
                    most == 1 ? "" : "s"));
        }
    }

    /** Only once the target can have so many in flight, for each takes memory. */
    private ClosedLoop closedLoop(int inFlight) {
        Sending sending = new Sending(session.clock());
        if (inFlight > 1 && session.isEventDriven()) {
            return new EventedLoop(sending, inFlight);
        }
        int tokens =
                Math.min(MOST_TOKENS_BEFOREHAND, Math.max(scenario.outputTokens(), WarmUpPhase.MOST_OUTPUT_TOKENS));
        return new Workers(
                sending,
                Stream.generate(() -> new TokenRecorder(session.clock(), tokens))
                        .limit(inFlight)
                        .toList());
    }

    /** @param longest the prompt length that takes longest */
    private int expectedInFlight(int longest) {
        ClosedLoop alone = closedLoop(1);
        int output = WarmUpPhase.outputTokens(scenario);
        // The first one also takes the time to load what has never run.
        warmUpRound(alone, 1, longest, output);
        return warmUpRound(alone, 1, longest, output).stream()
                .findFirst()
                .map(trace -> openLoop.orElseThrow().expectedInFlight(trace, scenario.outputTokens()))
                .orElse(1);
    }

    private List<TokenTrace> warmUpRound(ClosedLoop loop, int inFlight, int promptTokens, int outputTokens) {
        long firstPrompt = promptsMade;
        promptsMade += inFlight;
        AtomicInteger next = new AtomicInteger();
        return loop.run(() -> Optional.of(next.getAndIncrement())
                .filter(number -> number < inFlight)
                .map(number -> new Request(
                        number,
                        promptTokens,
                        outputTokens,
                        0,
                        () -> preparation.of(promptTokens, outputTokens, firstPrompt + number),
                        () -> {},
                        trace -> memory.look())));
    }

    private SortedSet<Integer> warmUpLengths() {
        TextLength text = new TextLength(preparation, closedLoop(1), memory);
        return scenario.prompts() instanceof Prompts.FromFile file
                ? new FileLengths(file, said -> text.of(said, promptsMade++), scenario.outputTokens()).find()
                : scenario.promptTokens();
    }

    /** An open loop is not looked at before its end: how many requests share a moment, which is what counts, is not known then. */
    private boolean endsEarly() {
        return budget.isPresent() && openLoop.isEmpty() && !isAllMeasured;
    }

    private Supplier<Optional<Request>> measuredFrom(long firstPrompt, RunWatcher watcher) {
        AtomicInteger done = new AtomicInteger();
        Optional<Looks> looks = budget.filter(b -> endsEarly()).map(scenario::looks);
        // When one is due decides whether it is part of an open loop: a client that is late must not leave out what it
        // missed.
        Plan plan = new Plan(openLoop.isPresent() ? scenario.untimed() : scenario, looks, session.clock());
        return () -> plan.next()
                .map(next -> new Request(
                        next.number(),
                        next.promptTokens(),
                        next.outputTokens(scenario),
                        next.thinkNanos(),
                        () -> preparation.of(next, next.outputTokens(scenario), firstPrompt + next.number()),
                        watcher::requestStarted,
                        trace -> {
                            if (trace.outcome() != Outcome.DROPPED) {
                                watcher.requestEnded();
                            }
                            plan.done(trace);
                            // One at a time, for whoever is told of progress does not expect several.
                            synchronized (done) {
                                memory.look();
                                progress.step(
                                        "measuring",
                                        done.incrementAndGet(),
                                        scenario.requests(),
                                        looks.isPresent() ? "requests at most" : "requests");
                            }
                        }));
    }
}
