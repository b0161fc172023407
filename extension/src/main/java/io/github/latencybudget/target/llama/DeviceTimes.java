package io.github.latencybudget.target.llama;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.FloatByReference;
import java.util.ArrayList;
import java.util.List;

/** Pairs of CUDA events, one pair around the device's work for each token. They are made before a request and read after. */
final class DeviceTimes implements AutoCloseable {

    private final CudaDriver driver;
    private final List<Pointer> starts = new ArrayList<>();
    private final List<Pointer> stops = new ArrayList<>();
    private int started;
    private int stopped;

    DeviceTimes(CudaDriver driver) {
        this.driver = driver;
    }

    /** Makes events for so many tokens. */
    void reserve(int tokens) {
        driver.enter();
        while (stops.size() < tokens) {
            starts.add(driver.create("cuEventCreate", 0));
            stops.add(driver.create("cuEventCreate", 0));
        }
    }

    /** Begins a request; the times before are lost. */
    void begin(int tokens) {
        reserve(tokens);
        started = 0;
        stopped = 0;
    }

    /** The work for one token starts here on the stream. */
    void start(Pointer stream) {
        driver.call("cuEventRecord", starts.get(started), stream);
        started++;
    }

    /** The work for the token stops here on the stream. */
    void stop(Pointer stream) {
        driver.call("cuEventRecord", stops.get(stopped), stream);
        stopped++;
    }

    /** {@return the times of the tokens so far, in milliseconds, once the device is done with them} */
    double[] milliseconds() {
        driver.enter();
        double[] times = new double[stopped];
        FloatByReference time = new FloatByReference();
        for (int i = 0; i < stopped; i++) {
            driver.call("cuEventSynchronize", stops.get(i));
            driver.call("cuEventElapsedTime", time, starts.get(i), stops.get(i));
            times[i] = time.getValue();
        }
        return times;
    }

    @Override
    public void close() {
        driver.enter();
        starts.forEach(event -> driver.call("cuEventDestroy_v2", event));
        stops.forEach(event -> driver.call("cuEventDestroy_v2", event));
        starts.clear();
        stops.clear();
        started = 0;
        stopped = 0;
    }
}
