package io.github.latencybudget.load;

import io.github.latencybudget.device.DeviceReadings;
import io.github.latencybudget.device.DeviceSampler;
import io.github.latencybudget.device.DeviceSensor;
import io.github.latencybudget.device.NvmlSensor;
import io.github.latencybudget.inference.TargetDescription;
import io.github.latencybudget.trace.Arrivals;
import io.github.latencybudget.trace.DeviceWatch;
import io.github.latencybudget.trace.Finding;
import io.github.latencybudget.trace.Guard;
import io.github.latencybudget.trace.GuardSettings;
import io.github.latencybudget.trace.Load;
import io.github.latencybudget.trace.OneLine;
import io.github.latencybudget.trace.RunWatch;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** Watches the device while a run lasts, and whether the target is at its end what it was at its beginning. For one run. */
final class RunWatcher {

    private static final String NOT_A_GPU = "the run was not on a GPU of this machine";
    private static final String NO_CLIENT = "the target has no client that reads a network";

    private final TargetDescription before;
    private final GuardSettings guards;
    private final Optional<DeviceSampler> sampler;
    private volatile Optional<DeviceReadings> readings = Optional.empty();

    /** @param sensors reads a device by the key that its target gives it; empty where it cannot be read */
    RunWatcher(TargetDescription before, GuardSettings guards, Function<String, Optional<DeviceSensor>> sensors) {
        this.before = before;
        this.guards = guards;
        this.sampler = sensors.apply(before.deviceKey()).map(DeviceSampler::start);
    }

    void requestStarted() {
        sampler.ifPresent(DeviceSampler::requestStarted);
    }

    void requestEnded() {
        sampler.ifPresent(DeviceSampler::requestEnded);
    }

    void stop() {
        readings = sampler.map(DeviceSampler::stop);
    }

    /**
     * {@return what was seen until it was stopped}
     *
     * @param openLoop the arrivals of an open loop; empty for a closed one
     * @param mostInFlight how many of its requests may be in flight; empty for a closed one
     * @param client how exactly the client tells arrivals
     * @param server what the server counted meanwhile
     * @param hasAnswered whether the target said what it is by now
     */
    RunWatch watch(
            Optional<Load.Open> openLoop,
            OptionalInt mostInFlight,
            ClientCheck client,
            ServerLook server,
            boolean hasAnswered) {
        SortedMap<Guard, String> notChecked = new TreeMap<>();
        SortedMap<Guard, String> notApplicable = new TreeMap<>();
        if (readings.isPresent()) {
            readings.get().processesUnread().ifPresent(reason -> notChecked.put(Guard.OTHER_PROCESSES, reason));
        } else if (sampler.isPresent()) {
            ofDevice(guard -> notChecked.put(guard, "the device did not answer once the run was interrupted"));
        } else if (NvmlSensor.isCuda(before.deviceKey())) {
            ofDevice(guard -> notChecked.put(guard, unread()));
        } else {
            ofDevice(guard -> notApplicable.put(guard, NOT_A_GPU));
        }
        if (openLoop.filter(open -> open.arrivals() instanceof Arrivals.Ramp).isPresent()) {
            notApplicable.put(Guard.MAX_DRIFT, "the arrivals are a ramp, so the load changes while the run lasts");
        }
        if (!hasAnswered) {
            notChecked.put(Guard.SAME_TARGET, "the target did not answer once the run was interrupted");
        }
        if (client.calibration().isEmpty()) {
            client.notChecked()
                    .ifPresentOrElse(
                            reason -> notChecked.put(Guard.MAX_CLIENT_ERROR_SHARE, reason),
                            () -> notApplicable.put(Guard.MAX_CLIENT_ERROR_SHARE, NO_CLIENT));
        }
        return new RunWatch(
                guards,
                readings.map(RunWatcher::watch),
                notChecked,
                notApplicable,
                client.calibration(),
                server.metrics(),
                mostInFlight);
    }

    private String unread() {
        return String.format(
                Locale.ROOT,
                "NVML (libnvidia-ml) does not find %s; it comes with the NVIDIA driver",
                before.deviceKey());
    }

    private static void ofDevice(Consumer<Guard> action) {
        Stream.of(Guard.values()).filter(Guard::readsDevice).forEach(action);
    }

    private static DeviceWatch watch(DeviceReadings readings) {
        return new DeviceWatch(
                readings.source(),
                readings.samples(),
                readings.maxSmClockMhz(),
                readings.minSmClockMhz(),
                readings.p10SmClockMhz(),
                readings.medianSmClockMhz(),
                readings.clockLimits(),
                readings.slowdowns(),
                readings.peakUsedBytes(),
                readings.totalBytes(),
                readings.otherProcesses().stream().map(OneLine::of).toList(),
                readings.maxCelsius(),
                readings.maxWatts());
    }

    /** {@return that the target or its device became another; empty where they did not, or nobody asks} */
    Optional<Finding> changed(TargetDescription after) {
        if (!guards.isOn(Guard.SAME_TARGET)) {
            return Optional.empty();
        }
        List<String> changes = Stream.of(
                        change("model", before.model(), after.model()),
                        change("weights", before.weights(), after.weights()),
                        change("type", before.dtype(), after.dtype()),
                        change("device", before.device(), after.device()),
                        change("device", before.deviceKey(), after.deviceKey()),
                        changes(before.settings(), after.settings()),
                        changes(before.details(), after.details()),
                        change(
                                "number of the device",
                                uuid(DeviceReadings::uuidBefore),
                                uuid(DeviceReadings::uuidAfter)))
                .flatMap(Function.identity())
                .toList();
        return changes.isEmpty()
                ? Optional.empty()
                : Optional.of(new Finding(
                        Finding.Kind.TARGET_CHANGED,
                        String.format(
                                Locale.ROOT,
                                "the target became another during the run: %s; keep it as it is while it is measured, and measure again",
                                String.join(", ", changes))));
    }

    private String uuid(Function<DeviceReadings, Optional<String>> when) {
        return readings.flatMap(when).orElse("unknown");
    }

    private static Stream<String> changes(SortedMap<String, String> before, SortedMap<String, String> after) {
        TreeMap<String, String> all = new TreeMap<>(before);
        all.putAll(after);
        return all.keySet().stream()
                .filter(name -> !name.endsWith(TargetDescription.SO_FAR))
                .flatMap(name -> change(name, before.getOrDefault(name, "absent"), after.getOrDefault(name, "absent")));
    }

    private static Stream<String> change(String name, String before, String after) {
        return before.equals(after)
                ? Stream.empty()
                : Stream.of(String.format(
                        Locale.ROOT,
                        "its %s was %s and is %s",
                        OneLine.of(name),
                        OneLine.of(before),
                        OneLine.of(after)));
    }
}
