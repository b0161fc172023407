package io.github.latencybudget.trace;

import java.util.Collections;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apiguardian.api.API;

/**
 * What was seen of the device under test while a run lasted. Clocks, temperature and power are of the looks that were taken while
 * a request was in flight, for an idle device lowers its clocks by itself. What could not be read is absent.
 *
 * @param source what it was read through, such as {@code NVML}
 * @param samples how many looks were taken while a request was in flight
 * @param maxSmClockMhz the highest SM clock that the device can have
 * @param minSmClockMhz the lowest that was seen
 * @param p10SmClockMhz what nine of ten looks found at least
 * @param medianSmClockMhz the median
 * @param clockLimits what held the clock down, in words, and in how many looks
 * @param slowdowns those of them that are a protection of the hardware, and in how many looks
 * @param peakUsedBytes the most memory in use by all processes
 * @param totalBytes the size of the memory
 * @param otherProcesses the processes on the device beside this one, such as {@code python3 (pid 4711)}
 * @param maxCelsius the highest temperature
 * @param maxWatts the highest power draw
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record DeviceWatch(
        String source,
        int samples,
        OptionalInt maxSmClockMhz,
        OptionalInt minSmClockMhz,
        OptionalInt p10SmClockMhz,
        OptionalInt medianSmClockMhz,
        SortedMap<String, Integer> clockLimits,
        SortedMap<String, Integer> slowdowns,
        OptionalLong peakUsedBytes,
        OptionalLong totalBytes,
        List<String> otherProcesses,
        OptionalInt maxCelsius,
        OptionalDouble maxWatts) {

    public DeviceWatch {
        clockLimits = Collections.unmodifiableSortedMap(new TreeMap<>(clockLimits));
        slowdowns = Collections.unmodifiableSortedMap(new TreeMap<>(slowdowns));
        otherProcesses = List.copyOf(otherProcesses);
    }
}
