package io.github.latencybudget.target.llama;

import java.nio.ByteBuffer;
import java.util.TreeMap;

/**
 * Records one static step of the program as a CUDA graph and replays it for every token, so that the host launches once
 * instead of some hundred times. A graph holds addresses: graphs live no longer than the KV cache that they were recorded on.
 */
final class GraphDecoding implements Decoding {

    /** Attention under a mask goes over the whole span, so spans grow in steps of so many places, a graph each. */
    private static final int MASKED_SPAN = 256;

    /** So many runs settle what PyTorch decides and allocates when it first sees a shape. */
    private static final int WARM_UPS = 3;

    private final LlamaProgram program;
    private final CudaDriver driver;
    private final CaptureStream stream;
    private final DeviceTimes times;
    private final boolean exact;
    private final ByteBuffer answer;
    private final TreeMap<Integer, RecordedGraph> graphs = new TreeMap<>();
    private int shortest = Integer.MAX_VALUE;
    private int longest;
    private int place;
    private long[] prompt = {};

    /**
     * @param stream closed with this
     * @param exact whether attention reads the end of the sequence from the device, see {@link LlamaProgram#step}
     */
    GraphDecoding(LlamaProgram program, CudaDriver driver, CaptureStream stream, boolean exact) {
        this.program = program;
        this.driver = driver;
        this.stream = stream;
        this.exact = exact;
        this.times = new DeviceTimes(driver);
        this.answer = program.answer();
        stream.run(program::hold);
    }

    @Override
    public String description() {
        return "cuda graph";
    }

    @Override
    public void prepare(int promptTokens, int outputTokens) {
        times.reserve(outputTokens);
        if (outputTokens > 1) {
            // a cache that grew took along the graphs of the requests before, which may still run
            shortest = Math.min(shortest, promptTokens + 1);
            longest = Math.max(longest, promptTokens + outputTokens - 1);
            int end = Math.min(longest, program.cacheTokens());
            for (int tokens = shortest; tokens <= end; tokens = span(tokens) + 1) {
                graphs.computeIfAbsent(span(tokens), this::record);
            }
        }
    }

    private int span(int tokens) {
        int cache = program.cacheTokens();
        return exact ? cache : Math.min(cache, (tokens + MASKED_SPAN - 1) / MASKED_SPAN * MASKED_SPAN);
    }

    private RecordedGraph record(int span) {
        stream.run(() -> {
            for (int i = 0; i < WARM_UPS; i++) {
                program.rewind(0);
                program.step(span, exact);
            }
        });
        return stream.capture(() -> program.step(span, exact));
    }

    /** {@return how many graphs there are and what they launch, for people who tune} */
    @Override
    public String toString() {
        return "%s graphs %s, attention %s"
                .formatted(graphs.size(), graphs, exact ? "reads its length from the device" : "under a mask");
    }

    @Override
    public void forget() {
        if (!graphs.isEmpty()) {
            driver.enter();
            graphs.values().forEach(stream::destroy);
            graphs.clear();
        }
    }

    @Override
    public void begin(long[] prompt, int outputTokens) {
        this.prompt = prompt;
        prepare(prompt.length, outputTokens);
        times.begin(outputTokens);
    }

    @Override
    public long prefill() {
        times.start(CudaDriver.DEFAULT_STREAM);
        program.prefill(prompt);
        times.stop(CudaDriver.DEFAULT_STREAM);
        place = prompt.length;
        // waits: the other stream may go on from here
        return program.latest();
    }

    @Override
    public long decode() {
        place++;
        RecordedGraph graph = graphs.ceilingEntry(place).getValue();
        times.start(stream.handle());
        stream.launch(graph);
        times.stop(stream.handle());
        stream.await();
        return answer.getLong(0);
    }

    @Override
    public double[] deviceMs() {
        return times.milliseconds();
    }

    @Override
    public void close() {
        forget();
        times.close();
        stream.close();
    }
}
