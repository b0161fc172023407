package io.github.latencybudget.junit;

import java.util.Optional;

/** An attribute that all budgets of a gate have to agree in, because they judge one run. */
final class Shared<T> {

    private final String attribute;
    private Optional<T> value = Optional.empty();

    Shared(String attribute) {
        this.attribute = attribute;
    }

    /** @throws org.junit.jupiter.api.extension.ExtensionConfigurationException where another budget says something else */
    void agree(AttributeCheck check, T other) {
        T first = value.orElse(other);
        check.require(
                first.equals(other),
                attribute,
                other,
                "another budget of this gate says " + first + ", and one gate is one run: make them equal");
        value = Optional.of(first);
    }

    T value() {
        return value.orElseThrow();
    }
}
