package io.github.latencybudget.report;

import io.github.latencybudget.record.GateId;
import io.github.latencybudget.record.GateRecord;
import io.github.latencybudget.record.Source;
import java.util.Comparator;

/**
 * One gate in one run on one machine: a row of the report.
 *
 * @param origin tells machines apart
 */
record GateKey(GateId gate, String run, String origin) implements Comparable<GateKey> {

    private static final Comparator<GateKey> ORDER =
            Comparator.comparing(GateKey::gate).thenComparing(GateKey::run).thenComparing(GateKey::origin);

    static GateKey of(GateRecord record) {
        return of(record.gate(), record.source());
    }

    static GateKey of(GateId gate, Source source) {
        return new GateKey(gate, source.run(), source.origin());
    }

    @Override
    public int compareTo(GateKey other) {
        return ORDER.compare(this, other);
    }
}
