package io.github.latencybudget.junit;

import io.github.latencybudget.record.GateId;
import java.util.Locale;

/** What of a test a gate is: all of it, or its run on one of two targets. */
enum GateSide {
    WHOLE,
    LOCAL,
    SERVED;

    /** {@return such as {@code local}} */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** {@return the settings of this side} */
    Settings of(Settings settings) {
        return this == SERVED ? settings.served() : settings;
    }

    GateId of(GateId test) {
        return new GateId(test.className(), of(test.methodName()));
    }

    /** {@return the name of a test with which of its runs this is} */
    String of(String name) {
        return this == WHOLE ? name : String.format(Locale.ROOT, "%s [%s]", name, label());
    }
}
