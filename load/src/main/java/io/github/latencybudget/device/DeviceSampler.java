package io.github.latencybudget.device;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apiguardian.api.API;

/**
 * Looks at a device now and then while requests are in flight, on a daemon thread of its own, so that no request waits for it. An
 * idle device lowers its clocks by itself, so a look counts only where a request was in flight before and after it. Once.
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class DeviceSampler {

    private static final long INTERVAL_MILLIS = 100;
    /** To list processes takes the driver longer than to read a clock, and none comes and goes within a second. */
    private static final int LOOKS_PER_LIST = 10;

    private static final long PATIENCE_MILLIS = 2_000;

    private final DeviceSensor sensor;
    private final GpuProcesses processes;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final Map<ClockEvent, Integer> events = new EnumMap<>(ClockEvent.class);
    private final Thread thread = new Thread(this::look, "latency-budget device");
    private final Optional<String> uuidBefore;
    private volatile boolean isStopped;
    private int[] clocksMhz = new int[1024];
    private int clocks;
    private int samples;
    private OptionalLong peakUsedBytes = OptionalLong.empty();
    private OptionalInt maxCelsius = OptionalInt.empty();
    private OptionalInt maxMilliwatts = OptionalInt.empty();

    DeviceSampler(DeviceSensor sensor, GpuProcesses processes) {
        this.sensor = sensor;
        this.processes = processes;
        this.uuidBefore = sensor.uuid();
        lookAround();
    }

    /** {@return one that looks at the device from now on} */
    public static DeviceSampler start(DeviceSensor sensor) {
        DeviceSampler sampler = new DeviceSampler(sensor, GpuProcesses.besideThisOne());
        sampler.thread.setDaemon(true);
        sampler.thread.start();
        return sampler;
    }

    /** A request is in flight from now on. */
    public void requestStarted() {
        inFlight.incrementAndGet();
    }

    /** A request that was in flight has ended. */
    public void requestEnded() {
        inFlight.decrementAndGet();
    }

    /** {@return what was seen; no look is taken after it} */
    public DeviceReadings stop() {
        isStopped = true;
        thread.interrupt();
        await();
        return result();
    }

    private void await() {
        try {
            thread.join(PATIENCE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void look() {
        try {
            for (int looks = 0; !isStopped; looks++) {
                sample();
                if (looks % LOOKS_PER_LIST == LOOKS_PER_LIST - 1) {
                    lookAround();
                }
                Thread.sleep(INTERVAL_MILLIS);
            }
        } catch (InterruptedException e) {
            // It is over.
        }
    }

    /** One look at what only counts while a request is in flight. */
    synchronized void sample() {
        if (inFlight.get() == 0) {
            return;
        }
        OptionalInt clock = sensor.smClockMhz();
        OptionalLong now = sensor.clockEvents();
        OptionalInt celsius = sensor.celsius();
        OptionalInt milliwatts = sensor.milliwatts();
        if (inFlight.get() == 0) {
            return;
        }
        samples++;
        if (clock.isPresent()) {
            if (clocks == clocksMhz.length) {
                clocksMhz = Arrays.copyOf(clocksMhz, 2 * clocks);
            }
            clocksMhz[clocks++] = clock.getAsInt();
        }
        for (ClockEvent event : ClockEvent.values()) {
            if (event.isIn(now.orElse(0))) {
                events.merge(event, 1, Integer::sum);
            }
        }
        maxCelsius = max(maxCelsius, celsius);
        maxMilliwatts = max(maxMilliwatts, milliwatts);
        readMemory();
    }

    private synchronized void lookAround() {
        processes.look(sensor.processIds());
        readMemory();
    }

    private void readMemory() {
        OptionalLong used = sensor.usedBytes();
        if (used.isPresent()) {
            peakUsedBytes = OptionalLong.of(Math.max(used.getAsLong(), peakUsedBytes.orElse(0)));
        }
    }

    private static OptionalInt max(OptionalInt one, OptionalInt other) {
        if (one.isEmpty() || other.isEmpty()) {
            return one.isPresent() ? one : other;
        }
        return OptionalInt.of(Math.max(one.getAsInt(), other.getAsInt()));
    }

    synchronized DeviceReadings result() {
        lookAround();
        int[] sorted = Arrays.copyOf(clocksMhz, clocks);
        Arrays.sort(sorted);
        return new DeviceReadings(
                sensor.source(),
                samples,
                sensor.maxSmClockMhz(),
                at(sorted, 0),
                at(sorted, clocks / 10),
                at(sorted, (clocks - 1) / 2),
                events(false),
                events(true),
                peakUsedBytes,
                sensor.totalBytes(),
                processes.others(),
                processes.unread(),
                maxCelsius,
                maxMilliwatts.isPresent() ? OptionalDouble.of(maxMilliwatts.getAsInt() / 1e3) : OptionalDouble.empty(),
                uuidBefore,
                sensor.uuid());
    }

    private static OptionalInt at(int[] sorted, int index) {
        return sorted.length == 0 ? OptionalInt.empty() : OptionalInt.of(sorted[index]);
    }

    private SortedMap<String, Integer> events(boolean slowdowns) {
        SortedMap<String, Integer> counts = new TreeMap<>();
        events.forEach((event, looks) -> {
            if (event.isSlowdown() == slowdowns) {
                counts.put(event.words(), looks);
            }
        });
        return counts;
    }
}
