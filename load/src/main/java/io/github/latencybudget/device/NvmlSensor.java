package io.github.latencybudget.device;

import com.sun.jna.Memory;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.apiguardian.api.API;

/** Reads a CUDA device through NVML. For one thread at a time: its buffers are taken once, so that a look leaves little garbage. */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class NvmlSensor implements DeviceSensor {

    private static final Pattern CUDA = Pattern.compile("cuda:(\\d{1,3})");
    private static final int SM = 1;
    private static final int OF_THE_GPU = 0;
    /** nvmlProcessInfo_t: a 32-bit process number, padding, the memory in use, and two 32-bit numbers of a MIG instance. */
    private static final int PROCESS_BYTES = 24;

    private static final int MOST_PROCESSES = 256;

    private final Nvml nvml;
    private final Memory number = new Memory(Long.BYTES);
    private final Memory processes = new Memory((long) MOST_PROCESSES * PROCESS_BYTES);

    private NvmlSensor(Nvml nvml) {
        this.nvml = nvml;
    }

    /** {@return whether the device is a GPU of this machine, as a target names it: {@code cuda:0}} */
    public static boolean isCuda(String deviceKey) {
        return CUDA.matcher(deviceKey).matches();
    }

    /** {@return what reads the device; empty where it is no CUDA device, or NVML does not find it} */
    public static Optional<DeviceSensor> of(String deviceKey) {
        Matcher cuda = CUDA.matcher(deviceKey);
        return cuda.matches()
                ? Nvml.cudaDevice(Integer.parseInt(cuda.group(1))).map(NvmlSensor::new)
                : Optional.empty();
    }

    @Override
    public String source() {
        return "NVML";
    }

    @Override
    public Optional<String> uuid() {
        return nvml.uuid();
    }

    @Override
    public OptionalInt maxSmClockMhz() {
        return whole(nvml.read("nvmlDeviceGetMaxClockInfo", SM, number));
    }

    @Override
    public OptionalInt smClockMhz() {
        return whole(nvml.read("nvmlDeviceGetClockInfo", SM, number));
    }

    /** Drivers before 535 know it by its older name. */
    @Override
    public OptionalLong clockEvents() {
        boolean isRead = nvml.read("nvmlDeviceGetCurrentClocksEventReasons", number)
                || nvml.read("nvmlDeviceGetCurrentClocksThrottleReasons", number);
        return isRead ? OptionalLong.of(number.getLong(0)) : OptionalLong.empty();
    }

    @Override
    public OptionalLong usedBytes() {
        return nvml.usedBytes();
    }

    @Override
    public OptionalLong totalBytes() {
        return nvml.totalBytes();
    }

    @Override
    public OptionalInt celsius() {
        return whole(nvml.read("nvmlDeviceGetTemperature", OF_THE_GPU, number));
    }

    @Override
    public OptionalInt milliwatts() {
        return whole(nvml.read("nvmlDeviceGetPowerUsage", number));
    }

    @Override
    public Optional<long[]> processIds() {
        Optional<long[]> compute = list("nvmlDeviceGetComputeRunningProcesses");
        // A server's GPU may not know of graphics.
        long[] graphics = list("nvmlDeviceGetGraphicsRunningProcesses").orElse(new long[0]);
        return compute.map(ids -> LongStream.concat(LongStream.of(ids), LongStream.of(graphics))
                .distinct()
                .toArray());
    }

    /** Both versions fill the same structure. */
    private Optional<long[]> list(String function) {
        number.setInt(0, MOST_PROCESSES);
        boolean isRead = nvml.readInstance(function + "_v3", number, processes);
        if (!isRead) {
            number.setInt(0, MOST_PROCESSES);
            isRead = nvml.readInstance(function + "_v2", number, processes);
        }
        return isRead
                ? Optional.of(LongStream.range(0, Math.min(MOST_PROCESSES, number.getInt(0)))
                        .map(i -> Integer.toUnsignedLong(processes.getInt(i * PROCESS_BYTES)))
                        .toArray())
                : Optional.empty();
    }

    private OptionalInt whole(boolean isRead) {
        return isRead ? OptionalInt.of(number.getInt(0)) : OptionalInt.empty();
    }
}
