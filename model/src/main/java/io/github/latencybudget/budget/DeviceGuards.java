package io.github.latencybudget.budget;

import io.github.latencybudget.trace.DeviceWatch;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.GuardSettings;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.Collectors;

/** The guards that look at the device. */
final class DeviceGuards {

    private DeviceGuards() {}

    static GuardCheck check(Guard guard, DeviceWatch device, GuardSettings settings) {
        return switch (guard) {
            case OTHER_PROCESSES -> otherProcesses(device);
            case THROTTLING -> throttling(device);
            case MIN_CLOCK_SHARE -> clock(device, settings.threshold(guard));
            case MAX_MEMORY_SHARE -> memory(device, settings.threshold(guard));
            default -> throw new IllegalArgumentException(guard + " does not look at the device");
        };
    }

    private static GuardCheck otherProcesses(DeviceWatch device) {
        int others = device.otherProcesses().size();
        return others == 0
                ? GuardCheck.clear()
                : GuardCheck.found(
                        Finding.Kind.OTHER_PROCESS,
                        String.format(
                                Locale.ROOT,
                                "%s other process%s used the GPU during the run: %s; end %s, or measure on a GPU of its own",
                                others,
                                others == 1 ? "" : "es",
                                String.join(", ", device.otherProcesses()),
                                others == 1 ? "it" : "them"));
    }

    private static GuardCheck throttling(DeviceWatch device) {
        if (device.samples() == 0) {
            return unseen();
        }
        if (device.slowdowns().isEmpty()) {
            return device.clockLimits().isEmpty()
                    ? GuardCheck.clear()
                    : GuardCheck.clear("the clock was held down by " + looks(device.clockLimits(), device.samples()));
        }
        return GuardCheck.found(
                Finding.Kind.THROTTLED,
                String.format(
                        Locale.ROOT,
                        "the GPU was slowed down by %s%s; see to its cooling and its power, and measure again",
                        looks(device.slowdowns(), device.samples()),
                        device.maxCelsius().isPresent()
                                ? String.format(
                                        Locale.ROOT,
                                        ", at up to %s degrees Celsius",
                                        device.maxCelsius().getAsInt())
                                : ""));
    }

    private static String looks(SortedMap<String, Integer> reasons, int samples) {
        return reasons.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .map(e -> String.format(Locale.ROOT, "%s in %s of %s looks", e.getKey(), e.getValue(), samples))
                .collect(Collectors.joining(", "));
    }

    private static GuardCheck clock(DeviceWatch device, double least) {
        if (device.samples() == 0) {
            return unseen();
        }
        if (device.p10SmClockMhz().isEmpty() || device.maxSmClockMhz().isEmpty()) {
            return GuardCheck.notChecked(String.format(Locale.ROOT, "%s does not tell the SM clock", device.source()));
        }
        int low = device.p10SmClockMhz().getAsInt();
        int max = device.maxSmClockMhz().getAsInt();
        String seen = String.format(
                Locale.ROOT,
                "%s of at most %s MHz (median %s, lowest %s)",
                low,
                max,
                device.medianSmClockMhz().getAsInt(),
                device.minSmClockMhz().getAsInt());
        if (low >= least * max) {
            return GuardCheck.clear(seen);
        }
        String limits =
                device.clockLimits().isEmpty() ? "" : ", held down by " + looks(device.clockLimits(), device.samples());
        return GuardCheck.found(
                Finding.Kind.LOW_CLOCK,
                String.format(
                        Locale.ROOT,
                        "the SM clock was at or below %s in a tenth of %s looks, under %s of its maximum%s; unlock the clocks, raise the power limit, or state the share that this device is to run at with latencybudget.guards.min-clock-share",
                        seen,
                        device.samples(),
                        Quantity.percent(least),
                        limits));
    }

    private static GuardCheck memory(DeviceWatch device, double most) {
        if (device.peakUsedBytes().isEmpty() || device.totalBytes().isEmpty()) {
            return GuardCheck.notChecked(String.format(Locale.ROOT, "%s does not tell the memory", device.source()));
        }
        long used = device.peakUsedBytes().getAsLong();
        long total = device.totalBytes().getAsLong();
        String seen = String.format(Locale.ROOT, "%s of %s", Quantity.gibibytes(used), Quantity.gibibytes(total));
        return used <= most * total
                ? GuardCheck.clear(seen)
                : GuardCheck.found(
                        Finding.Kind.MEMORY_NEAR_FULL,
                        String.format(
                                Locale.ROOT,
                                "the device memory was nearly full: %s in use, over %s; free some, or measure a smaller model, shorter prompts or fewer requests in flight",
                                seen,
                                Quantity.percent(most)));
    }

    private static GuardCheck unseen() {
        return GuardCheck.notChecked("the run was over before a look was taken while a request was in flight");
    }
}
