package io.github.latencybudget.device;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** A device that says what a test has it say. */
public final class ScriptedSensor implements DeviceSensor {

    public volatile OptionalInt smClockMhz = OptionalInt.of(1980);
    public volatile OptionalLong clockEvents = OptionalLong.of(0);
    public volatile OptionalLong usedBytes = OptionalLong.of(20L << 30);
    public volatile Optional<long[]> processIds =
            Optional.of(new long[] {ProcessHandle.current().pid()});
    public volatile Optional<String> uuid = Optional.of("GPU-1");
    public volatile OptionalInt celsius = OptionalInt.of(60);
    /** Told of each reading of the clock. */
    public volatile Runnable looked = () -> {};

    @Override
    public String source() {
        return "a script";
    }

    @Override
    public Optional<String> uuid() {
        return uuid;
    }

    @Override
    public OptionalInt maxSmClockMhz() {
        return OptionalInt.of(1980);
    }

    @Override
    public OptionalLong totalBytes() {
        return OptionalLong.of(100L << 30);
    }

    @Override
    public OptionalInt smClockMhz() {
        looked.run();
        return smClockMhz;
    }

    @Override
    public OptionalLong clockEvents() {
        return clockEvents;
    }

    @Override
    public OptionalLong usedBytes() {
        return usedBytes;
    }

    @Override
    public OptionalInt celsius() {
        return celsius;
    }

    @Override
    public OptionalInt milliwatts() {
        return OptionalInt.of(650_500);
    }

    @Override
    public Optional<long[]> processIds() {
        return processIds;
    }
}
