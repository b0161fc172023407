package io.github.latencybudget.device;

/** What can hold the clock of a GPU down, by its bit in NVML's clock event reasons. An idle GPU's own lowering is none of them. */
enum ClockEvent {
    APPLICATION_CLOCKS(0x2, false, "the clock that applications were set to"),
    POWER_LIMIT(0x4, false, "the power limit"),
    /** Reported while the clock changes too, so it protects nothing by itself. */
    HARDWARE_SLOWDOWN(0x8, false, "a slowdown of the hardware"),
    SYNC_BOOST(0x10, false, "another GPU of its sync boost group"),
    HEAT(0x20, true, "heat"),
    HARDWARE_HEAT(0x40, true, "heat that the hardware acts on"),
    POWER_BRAKE(0x80, true, "the power brake"),
    DISPLAY_CLOCK(0x100, false, "the clock of its display");

    private final long bit;
    private final boolean isSlowdown;
    private final String words;

    ClockEvent(long bit, boolean isSlowdown, String words) {
        this.bit = bit;
        this.isSlowdown = isSlowdown;
        this.words = words;
    }

    boolean isIn(long events) {
        return (events & bit) != 0;
    }

    /** {@return whether the hardware protects itself, and not a limit that somebody has set} */
    boolean isSlowdown() {
        return isSlowdown;
    }

    String words() {
        return words;
    }
}
