package io.github.latencybudget.junit;

import io.github.latencybudget.junit.BudgetReader.ScenarioAndBudget;
import java.time.Clock;
import java.time.LocalDate;

/** Reads what a gate's annotations and the settings ask for: when the test plan starts, and again when its turn comes. */
final class AskedGate {

    private AskedGate() {}

    /**
     * {@return what a side of a gate is to run, and what has to hold}
     *
     * @param settings those of the whole gate
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException naming annotation, attribute and value
     */
    static ScenarioAndBudget read(Gate gate, GateSide side, Settings settings) {
        if (side != GateSide.WHOLE) {
            ComparedGate.check(gate, settings);
        }
        ScenarioAndBudget asked = new BudgetReader(
                        gate, side.of(settings).target(gate.attributes(side)).seed(), LocalDate.now(Clock.systemUTC()))
                .read();
        if (side != GateSide.WHOLE) {
            ComparedGate.requireOneLoad(gate, asked);
        }
        return asked;
    }
}
