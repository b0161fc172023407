package io.github.latencybudget.device;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import org.apiguardian.api.API;

/**
 * What was read of a device over a while.
 *
 * @param source what it was read through
 * @param samples how many looks were taken while a request was in flight; clocks, events, temperature and power are theirs
 * @param maxSmClockMhz the highest SM clock that the device can have
 * @param minSmClockMhz the lowest that was seen
 * @param p10SmClockMhz what nine of ten looks found at least
 * @param medianSmClockMhz the median
 * @param clockLimits what held the clock down, and in how many looks
 * @param slowdowns the protections of the hardware that did, and in how many looks
 * @param peakUsedBytes the most memory in use by all processes
 * @param totalBytes the size of the memory
 * @param otherProcesses the processes beside this one, in words
 * @param processesUnread why processes could not be told; empty where they could
 * @param maxCelsius the highest temperature
 * @param maxWatts the highest power draw
 * @param uuidBefore the device's own number at the beginning
 * @param uuidAfter the same at the end
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public record DeviceReadings(
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
        Optional<String> processesUnread,
        OptionalInt maxCelsius,
        OptionalDouble maxWatts,
        Optional<String> uuidBefore,
        Optional<String> uuidAfter) {}
