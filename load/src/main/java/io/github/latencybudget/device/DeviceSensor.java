package io.github.latencybudget.device;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apiguardian.api.API;

/** What can be read of one device while it works. What cannot be read is absent. */
@API(status = API.Status.INTERNAL, since = "0.1")
public interface DeviceSensor {

    /** {@return what it is read through, such as {@code NVML}} */
    String source();

    /** {@return the device's own number, which no other has} */
    Optional<String> uuid();

    /** {@return the highest SM clock that the device can have, in MHz} */
    OptionalInt maxSmClockMhz();

    /** {@return the size of the memory, in bytes} */
    OptionalLong totalBytes();

    /** {@return the SM clock now, in MHz} */
    OptionalInt smClockMhz();

    /** {@return what holds the clock down now, a bit each as {@link ClockEvent} has them} */
    OptionalLong clockEvents();

    /** {@return the memory in use by all processes, in bytes} */
    OptionalLong usedBytes();

    /** {@return the temperature, in degrees Celsius} */
    OptionalInt celsius();

    /** {@return the power draw, in thousandths of a watt} */
    OptionalInt milliwatts();

    /** {@return the numbers of the processes that compute or draw on the device} */
    Optional<long[]> processIds();
}
