package io.github.latencybudget.target.llama;

import java.util.Arrays;
import java.util.Locale;

/** Times work inside a CUDA graph, by events, and prints one line each; what fails is printed too, and the rest goes on. */
final class GraphTimer implements AutoCloseable {

    private static final int RUNS = 7;

    private final CudaDriver driver;
    private final CaptureStream stream;

    GraphTimer(CudaDriver driver) {
        this.driver = driver;
        this.stream = CaptureStream.open(driver, 0);
    }

    CaptureStream stream() {
        return stream;
    }

    /** {@return microseconds for one of the repetitions in the work; the median of some runs} */
    double micros(int repetitions, Runnable work) {
        stream.run(work);
        RecordedGraph graph = stream.capture(work);
        try (DeviceTimes times = new DeviceTimes(driver)) {
            times.begin(RUNS);
            stream.launch(graph);
            for (int i = 0; i < RUNS; i++) {
                times.start(stream.handle());
                stream.launch(graph);
                times.stop(stream.handle());
            }
            stream.await();
            double[] ms = times.milliseconds();
            Arrays.sort(ms);
            return ms[RUNS / 2] * 1e3 / repetitions;
        } finally {
            stream.destroy(graph);
        }
    }

    /**
     * @param bytes what one repetition has to read at least; 0 where that says nothing
     * @return microseconds for one repetition, or infinity where it failed
     */
    double print(String what, long bytes, int repetitions, Runnable work) {
        try {
            double micros = micros(repetitions, work);
            String rate = bytes == 0 ? "" : String.format(Locale.ROOT, "  %5.2f TB/s", bytes / micros / 1e6);
            System.out.printf(Locale.ROOT, "    %-44s %8.2f us%s%n", what, micros, rate);
            return micros;
        } catch (RuntimeException e) {
            System.out.printf("    %-44s failed: %s%n", what, firstLine(e));
            return Double.POSITIVE_INFINITY;
        }
    }

    /**
     * Prints what the five products of {@link ComponentProbe#SHAPES} make of a token of 32 layers, by candidate and for the best
     * of each shape.
     */
    static void printTotals(String[] candidates, double[][] micros) {
        System.out.println("  all products of a token, 32 layers and the head");
        double best = 0;
        for (int shape = 0; shape < micros.length; shape++) {
            best += Arrays.stream(micros[shape]).min().orElseThrow() * count(shape, micros.length);
        }
        for (int c = 0; c < candidates.length; c++) {
            double total = 0;
            for (int shape = 0; shape < micros.length; shape++) {
                total += micros[shape][c] * count(shape, micros.length);
            }
            System.out.printf(Locale.ROOT, "    %-44s %8.3f ms%n", candidates[c], total / 1e3);
        }
        System.out.printf(Locale.ROOT, "    %-44s %8.3f ms%n", "the best for each shape", best / 1e3);
    }

    /** The last shape is the head's. */
    private static int count(int shape, int shapes) {
        return shape == shapes - 1 ? 1 : 32;
    }

    static String firstLine(Throwable e) {
        String message = new EngineFailure(e).getMessage();
        return e.getClass().getSimpleName() + ": " + message.substring(0, Math.min(160, message.length()));
    }

    @Override
    public void close() {
        stream.close();
    }
}
