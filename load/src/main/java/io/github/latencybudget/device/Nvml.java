package io.github.latencybudget.device;

import com.sun.jna.Function;
import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.PointerByReference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.apiguardian.api.API;

/**
 * One CUDA device as NVIDIA's management library (NVML) sees it. NVML counts devices in another order than CUDA, and knows
 * nothing of {@code CUDA_VISIBLE_DEVICES}; the device is therefore looked up by the PCI address that the CUDA driver gives.
 */
@API(status = API.Status.INTERNAL, since = "0.1")
public final class Nvml {

    private static final int PCI_LENGTH = 32;
    private static final int NAME_LENGTH = 96;
    private static final int VERSION_LENGTH = 80;
    private static final int UUID_LENGTH = 96;
    private static final int UUID_BYTES = 16;

    private final NativeLibrary library;
    private final Pointer device;
    /** The part of the device that this process has: a MIG instance, or all of it. */
    private final Pointer instance;

    private Nvml(NativeLibrary library, Pointer device, Pointer instance) {
        this.library = library;
        this.device = device;
        this.instance = instance;
    }

    /**
     * Finds a device.
     *
     * @param ordinal the device's number as CUDA counts in this process, the 1 of {@code cuda:1}
     * @return empty where there is no such device, no NVIDIA driver or no NVML
     */
    public static Optional<Nvml> cudaDevice(int ordinal) {
        try {
            Optional<byte[]> address = addressOf(ordinal);
            if (address.isEmpty()) {
                return Optional.empty();
            }
            NativeLibrary library = NativeLibrary.getInstance(Platform.isWindows() ? "nvml" : "libnvidia-ml.so.1");
            PointerByReference handle = new PointerByReference();
            // NVML counts its initialisations and stays open until the process ends
            boolean found = call(library, "nvmlInit_v2")
                    && call(library, "nvmlDeviceGetHandleByPciBusId_v2", address.get(), handle);
            return found
                    ? Optional.of(new Nvml(library, handle.getValue(), instance(library, handle.getValue(), ordinal)))
                    : Optional.empty();
        } catch (LinkageError e) {
            return Optional.empty();
        }
    }

    /** Of a device that is cut into MIG instances, CUDA sees one at a time, and knows it by its UUID. */
    private static Pointer instance(NativeLibrary library, Pointer device, int ordinal) {
        IntByReference isCut = new IntByReference();
        if (!has(library, "nvmlDeviceGetMigMode")
                || !call(library, "nvmlDeviceGetMigMode", device, isCut, new IntByReference())
                || isCut.getValue() == 0) {
            return device;
        }
        NativeLibrary cuda = cuda();
        IntByReference ofCuda = new IntByReference();
        byte[] bytes = new byte[UUID_BYTES];
        PointerByReference handle = new PointerByReference();
        boolean found = has(cuda, "cuDeviceGetUuid_v2")
                && call(cuda, "cuDeviceGet", ofCuda, ordinal)
                && call(cuda, "cuDeviceGetUuid_v2", bytes, ofCuda.getValue())
                && call(library, "nvmlDeviceGetHandleByUUID", "MIG-" + uuid(bytes), handle);
        return found ? handle.getValue() : device;
    }

    private static String uuid(byte[] bytes) {
        ByteBuffer numbers = ByteBuffer.wrap(bytes);
        return new UUID(numbers.getLong(), numbers.getLong()).toString();
    }

    /** {@return the PCI address of a device, which is the same in every process; empty where there is no such device or no driver} */
    static Optional<String> pciAddress(int ordinal) {
        try {
            return addressOf(ordinal).flatMap(Nvml::text);
        } catch (LinkageError e) {
            return Optional.empty();
        }
    }

    private static Optional<byte[]> addressOf(int ordinal) {
        NativeLibrary cuda = cuda();
        IntByReference device = new IntByReference();
        byte[] address = new byte[PCI_LENGTH];
        boolean found = call(cuda, "cuInit", 0)
                && call(cuda, "cuDeviceGet", device, ordinal)
                && call(cuda, "cuDeviceGetPCIBusId", address, PCI_LENGTH, device.getValue());
        return found ? Optional.of(address) : Optional.empty();
    }

    private static NativeLibrary cuda() {
        return NativeLibrary.getInstance(Platform.isWindows() ? "nvcuda" : "libcuda.so.1");
    }

    /** {@return the device's product name, such as {@code NVIDIA H200}} */
    public Optional<String> name() {
        byte[] name = new byte[NAME_LENGTH];
        return call(library, "nvmlDeviceGetName", device, name, NAME_LENGTH) ? text(name) : Optional.empty();
    }

    /** {@return the device's own number, or that of its MIG instance, such as {@code GPU-} and a UUID} */
    Optional<String> uuid() {
        byte[] uuid = new byte[UUID_LENGTH];
        return call(library, "nvmlDeviceGetUUID", instance, uuid, UUID_LENGTH) ? text(uuid) : Optional.empty();
    }

    /** {@return whether the function, of which a driver may know nothing, has filled what it was given} */
    boolean read(String function, Object... arguments) {
        return read(device, function, arguments);
    }

    /** {@return the same of the MIG instance that this process has, where the device is cut into such} */
    boolean readInstance(String function, Object... arguments) {
        return read(instance, function, arguments);
    }

    private boolean read(Pointer handle, String function, Object... arguments) {
        Object[] all = new Object[arguments.length + 1];
        all[0] = handle;
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return has(library, function) && call(library, function, all);
    }

    /** {@return the version of the NVIDIA driver} */
    public Optional<String> driverVersion() {
        byte[] version = new byte[VERSION_LENGTH];
        return call(library, "nvmlSystemGetDriverVersion", version, VERSION_LENGTH) ? text(version) : Optional.empty();
    }

    /** {@return the device memory that all processes together use, without what the driver keeps for itself, in bytes} */
    public OptionalLong usedBytes() {
        return memory(3, 2);
    }

    /** {@return the device memory that is free, in bytes} */
    public OptionalLong freeBytes() {
        return memory(2, 1);
    }

    /** {@return the size of the device memory, in bytes} */
    public OptionalLong totalBytes() {
        return memory(0, 0);
    }

    /**
     * The structure nvmlMemory_v2_t is its version and four unsigned 64-bit numbers: total, reserved, free, used. Drivers before
     * 510 know only nvmlMemory_t: total, free, and used with what is reserved.
     */
    private OptionalLong memory(int field, int olderField) {
        try (Memory numbers = new Memory(5L * Long.BYTES)) {
            numbers.clear();
            numbers.setInt(0, (int) numbers.size() | 2 << 24);
            if (has(library, "nvmlDeviceGetMemoryInfo_v2")
                    && call(library, "nvmlDeviceGetMemoryInfo_v2", instance, numbers)) {
                return OptionalLong.of(numbers.getLong((field + 1L) * Long.BYTES));
            }
            return call(library, "nvmlDeviceGetMemoryInfo", instance, numbers)
                    ? OptionalLong.of(numbers.getLong((long) olderField * Long.BYTES))
                    : OptionalLong.empty();
        }
    }

    private static boolean has(NativeLibrary library, String function) {
        try {
            library.getFunction(function);
            return true;
        } catch (UnsatisfiedLinkError e) {
            return false;
        }
    }

    /** Both libraries return 0 for success. */
    private static boolean call(NativeLibrary library, String name, Object... arguments) {
        Function function = library.getFunction(name);
        return function.invokeInt(arguments) == 0;
    }

    private static Optional<String> text(byte[] zeroTerminated) {
        int length = 0;
        while (length < zeroTerminated.length && zeroTerminated[length] != 0) {
            length++;
        }
        return Optional.of(new String(zeroTerminated, 0, length, StandardCharsets.UTF_8));
    }
}
