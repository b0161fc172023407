package io.github.latencybudget.policy;

import io.github.latencybudget.load.SweepPlan;
import io.github.latencybudget.trace.OneLine;
import io.github.latencybudget.trace.PromptShares;
import io.github.latencybudget.trace.Sampling;
import io.github.latencybudget.trace.ThinkTime;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.DoublePredicate;

/** Reads what a policy runs. */
final class ScenarioReader {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MOST_SECONDS = Duration.ofDays(1).toSeconds();
    private static final String NO_EFFECT =
            "with `temperature: 0` each token is the most probable one, and this has no effect; set a temperature, or leave it out";

    private static final String SHARES =
            "it has prompt lengths, in tokens, with the weight of each, such as {128: 3, 512: 1}";
    private static final Duration MOST_THINK_TIME = Duration.ofHours(1);
    private static final int MOST_CHARACTERS = 100;

    private ScenarioReader() {}

    static PolicyScenario read(Section scenario) {
        int concurrency =
                scenario.get("concurrency").map(ScenarioReader::concurrency).orElse(1);
        int requests = scenario.get("requests")
                .map(v -> v.wholeNumber(1, "must be at least 1"))
                .orElse(200);
        scenario.get("requests")
                .or(() -> scenario.get("concurrency"))
                .ifPresent(v -> v.require(
                        requests >= concurrency,
                        String.format(
                                Locale.ROOT,
                                "%d requests at a prompt length are never %d in flight together; measure at least as many",
                                requests,
                                concurrency)));
        scenario.get("openLoop")
                .flatMap(v -> scenario.get("concurrency"))
                .ifPresent(
                        v -> v.require(
                                concurrency == 1,
                                "in an open loop, requests are due at a rate, and how many are in flight is a result; leave it out, or limit them by `openLoop.maxInFlight`"));
        Optional<SweepPlan> sweep = scenario.get("sweep").map(SweepReader::read);
        if (sweep.isPresent()) {
            requireNoOtherLoad(scenario, concurrency);
        }
        Optional<String> file = scenario.get("prompts").map(v -> v.text("name a file of prompts"));
        scenario.get("promptTokens")
                .ifPresent(v -> v.require(
                        file.isEmpty(),
                        "the prompts of the file `scenario.prompts` have their own lengths; leave one of the two out"));
        Optional<Value> lengths = file.isPresent()
                ? Optional.empty()
                : Optional.of(scenario.require(
                        "promptTokens",
                        "name the prompt lengths to measure, in tokens, BOS included, or a file of them by `prompts`"));
        return new PolicyScenario(
                lengths.map(ScenarioReader::lengths).orElseGet(TreeSet::new),
                lengths.flatMap(ScenarioReader::shares),
                file,
                scenario.get("outputTokens")
                        .map(v -> v.wholeNumber(1, "must be at least 1"))
                        .orElse(64),
                requests,
                scenario.get("maxSeconds").map(ScenarioReader::duration),
                concurrency,
                scenario.get("openLoop").map(OpenLoopReader::read),
                sweep,
                thinkTime(scenario, sweep.filter(SweepPlan::isByRate).isPresent()),
                scenario.get("sampling").map(v -> sampling(v, false)).orElse(Sampling.GREEDY.withSeed(0)));
    }

    private static void requireNoOtherLoad(Section scenario, int concurrency) {
        String ownLoads = "the sweep has loads of its own; leave one of the two out";
        scenario.get("openLoop").ifPresent(v -> v.require(false, ownLoads));
        scenario.get("concurrency").ifPresent(v -> v.require(concurrency == 1, ownLoads));
        scenario.get("prompts")
                .ifPresent(
                        v -> v.require(
                                false,
                                "each load of the sweep would be sent the same prompts again, which a server may have cached by then; have prompts made by `promptTokens`, or measure the file under one load"));
    }

    /** {@return the shares that lengths are drawn in; empty where they take turns} */
    static Optional<PromptShares> shares(Value value) {
        if (!value.isMapping()) {
            return Optional.empty();
        }
        SortedMap<Integer, Integer> weights = new TreeMap<>();
        value.entries(SHARES)
                .forEach((length, weight) -> weights.put(
                        length(value, length), weight.wholeNumber(1, "a weight is a whole number, at least 1")));
        value.require(!weights.isEmpty(), SHARES);
        return Optional.of(new PromptShares(weights));
    }

    private static int length(Value value, String key) {
        try {
            int length = Integer.parseInt(key);
            if (length >= 1) {
                return length;
            }
        } catch (NumberFormatException e) {
            // Refused like a length below 1.
        }
        throw value.keyPosition(key)
                .error(String.format(
                        Locale.ROOT,
                        "`%s.%s` is not allowed; %s",
                        value.path(),
                        OneLine.of(key, MOST_CHARACTERS),
                        SHARES));
    }

    static SortedSet<Integer> lengths(Value value) {
        Optional<PromptShares> shares = shares(value);
        if (shares.isPresent()) {
            return new TreeSet<>(shares.get().weights().keySet());
        }
        SortedSet<Integer> lengths = new TreeSet<>();
        for (Value length : value.list()) {
            length.require(
                    lengths.add(length.wholeNumber(1, "a prompt length is a whole number of tokens, at least 1")),
                    "it stands here twice; keep one of them");
        }
        value.require(!lengths.isEmpty(), "name at least one prompt length");
        return lengths;
    }

    static int concurrency(Value value) {
        return value.wholeNumber(1, "it is how many requests are in flight at a time, at least 1");
    }

    private static Optional<ThinkTime> thinkTime(Section scenario, boolean isSweepByRate) {
        String distributions = "it is `constant` or `exponential`";
        String name = scenario.get("think").map(v -> v.text(distributions)).orElse("constant");
        boolean isExponential = name.equals("exponential");
        scenario.get("think").ifPresent(v -> {
            v.require(isExponential || name.equals("constant"), distributions);
            v.require(
                    scenario.get("thinkMs").isPresent(),
                    "it says how think times differ, and `scenario.thinkMs`, their mean, is missing; set it, or leave this out");
        });
        return scenario.get("thinkMs").map(v -> {
            v.require(
                    !isSweepByRate && scenario.get("openLoop").isEmpty(),
                    "in an open loop, requests are due at a rate, however long somebody thinks; leave it out");
            Duration mean = Quantities.time(v);
            v.require(mean.compareTo(MOST_THINK_TIME) <= 0, "must be at most an hour");
            return new ThinkTime(
                    isExponential ? ThinkTime.Distribution.EXPONENTIAL : ThinkTime.Distribution.CONSTANT, mean, 0);
        });
    }

    private static Duration duration(Value value) {
        String allowed = "must be above 0 and at most one day";
        double seconds = value.number(allowed);
        value.require(seconds > 0 && seconds <= MOST_SECONDS, allowed);
        return Duration.ofNanos(Math.max(1, Math.round(seconds * NANOS_PER_SECOND)));
    }

    /** @param isCondition whether it is a condition of a rate, which names temperature and topP */
    static Sampling sampling(Value value, boolean isCondition) {
        Section sampling = value.section(Vocabulary.SAMPLING);
        if (isCondition) {
            sampling.require("temperature", "0 is greedy decoding");
            sampling.require("topP", "1 is all of the probability mass");
        }
        double temperature = number(
                sampling.get("temperature"),
                0,
                "must be 0 for greedy decoding, or finite and at least " + Sampling.LEAST_TEMPERATURE,
                t -> t == 0 || t >= Sampling.LEAST_TEMPERATURE && t < Double.POSITIVE_INFINITY);
        int topK = sampling.get("topK")
                .map(v -> v.wholeNumber(0, "must be at least 1, or 0 for all tokens"))
                .orElse(0);
        double topP = number(sampling.get("topP"), 1, "must be above 0 and at most 1", p -> p > 0 && p <= 1);
        double penalty = number(
                sampling.get("repetitionPenalty"),
                1,
                "must be above 0 and finite; 1 is no penalty",
                p -> p > 0 && p < Double.POSITIVE_INFINITY);
        sampling.get("topK").ifPresent(v -> v.require(temperature > 0 || topK == 0, NO_EFFECT));
        sampling.get("topP").ifPresent(v -> v.require(temperature > 0 || topP == 1, NO_EFFECT));
        return new Sampling(temperature, topK, topP, penalty, 0);
    }

    private static double number(Optional<Value> value, double otherwise, String allowed, DoublePredicate isAllowed) {
        if (value.isEmpty()) {
            return otherwise;
        }
        double number = value.get().number(allowed);
        value.get().require(isAllowed.test(number), allowed);
        return number;
    }
}
