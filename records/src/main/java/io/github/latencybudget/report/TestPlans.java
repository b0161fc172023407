package io.github.latencybudget.report;

import io.github.latencybudget.record.PlanRecord;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Holds the records of each gate against the test plans: each time that a plan has a gate, there is one attempt of it. */
final class TestPlans {

    private final Map<GateKey, Integer> times = new HashMap<>();
    private final Map<GateKey, String> directories = new HashMap<>();
    private final Set<GateKey> ofSeveralTests = new HashSet<>();

    TestPlans(List<PlanRecord> plans) {
        plans.forEach(this::add);
    }

    private void add(PlanRecord plan) {
        Set<GateKey> before = new HashSet<>();
        plan.gates().forEach(gate -> {
            GateKey key = GateKey.of(gate.gate(), plan.source());
            times.merge(key, 1, Integer::sum);
            String directory = directories.computeIfAbsent(key, k -> plan.directory());
            if (!before.add(key) || !directory.equals(plan.directory())) {
                ofSeveralTests.add(key);
            }
        });
    }

    /** {@return what is missing of the attempts of a gate, in words; empty where they are all there} */
    Optional<String> lack(GateKey key, List<GateAttempt> attempts) {
        int planned = times.getOrDefault(key, 0);
        if (planned == 0) {
            return Optional.of(
                    "Missing: no test plan has it, so the record of its plan is gone, and nobody knows what else that plan had. Run the gate again.");
        }
        if (attempts.isEmpty()) {
            return Optional.of(
                    "Missing: a test plan has it, and its record is gone: it was deleted, moved or could not be written. Run the gate again.");
        }
        if (ofSeveralTests.contains(key)) {
            return Optional.of(
                    "Missing: several tests of one test plan, or of several modules, are this gate, so one may hide what another has shown. Rename all but one, or give each module an output of its own.");
        }
        int last = attempts.get(attempts.size() - 1).record().attempt();
        return last == attempts.size() && last >= planned
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "Missing: %d attempts were planned, and the folder has not one record of each: records were deleted, moved or copied. Run the gate again.",
                        Math.max(planned, last)));
    }
}
