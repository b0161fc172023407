package io.github.latencybudget.policy;

import java.util.List;

/** The parts of a policy file and the keys that each has. The JSON Schema in {@code docs} has the same. */
enum Vocabulary {
    POLICY("policy", "version", "name", "extends", "without", "confidence", "targets", "scenario", "rules", "waivers"),
    TARGET("target", "type", "model", "device", "dtype", "seed", "options", "gpu"),
    SCENARIO(
            "scenario",
            "promptTokens",
            "prompts",
            "outputTokens",
            "requests",
            "maxSeconds",
            "concurrency",
            "openLoop",
            "sweep",
            "thinkMs",
            "think",
            "sampling"),
    OPEN_LOOP(
            "open loop",
            "requestsPerSecond",
            "arrivals",
            "toRequestsPerSecond",
            "rampSeconds",
            "maxInFlight",
            "maxQueued"),
    SWEEP("sweep", "concurrency", "requestsPerSecond", "arrivals", "atLeast", "stopAtBreach"),
    SAMPLING("sampling", "temperature", "topK", "topP", "repetitionPenalty"),
    LENGTHS("range of prompt lengths", "atLeast", "atMost"),
    CONDITIONS("list of conditions", "promptTokens", "sampling", "concurrency", "maxDeviceMemoryGiB"),
    WAIVER(
            "waiver",
            "rules",
            "targets",
            "owner",
            "reason",
            "plan",
            "remediation",
            "expires",
            "upToMs",
            "downToTokensPerSecond",
            "upToShare",
            "downToShare",
            "upToGiB");

    /** The keys of a waiver that say up to which value it covers. */
    static final List<String> BOUNDS =
            List.of("upToMs", "downToTokensPerSecond", "upToShare", "downToShare", "upToGiB");

    private final String words;
    private final List<String> keys;

    Vocabulary(String words, String... keys) {
        this.words = words;
        this.keys = List.of(keys);
    }

    List<String> keys() {
        return keys;
    }

    /** {@return such as {@code a policy}} */
    String words() {
        return ("aeiou".indexOf(words.charAt(0)) < 0 ? "a " : "an ") + words;
    }
}
