package io.github.latencybudget.llama;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.trace.IoFault;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * One file in the safetensors format: 8 bytes with the length of the header, little-endian; the header, a JSON object from
 * tensor names to type, shape and place; the numbers. The numbers are left to {@link MappedBytes}, piece by piece.
 */
final class SafetensorsFile {

    /** The format's own limit for a header. */
    private static final long LONGEST_HEADER = 100_000_000;

    /** The later of two tensors with one name would silently win. */
    private static final ObjectReader HEADERS = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build()
            .reader();

    private final Path file;
    private final long size;
    private final Map<String, Entry> entries;

    private SafetensorsFile(Path file, long size, Map<String, Entry> entries) {
        this.file = file;
        this.size = size;
        this.entries = entries;
    }

    /**
     * @param dtype the type's name in the file
     * @param shape the tensor's extents, outermost first
     * @param offset where its bytes start in the file
     * @param bytes how many there are
     */
    record Entry(String dtype, List<Long> shape, long offset, long bytes) {}

    /** @throws MeasurementException where the header makes no sense or the file is not as long as its header says */
    static SafetensorsFile open(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long size = channel.size();
            ByteBuffer length = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            read(channel, length, 0);
            long header = length.hasRemaining() ? -1 : length.getLong(0);
            if (header < 2 || header > Math.min(size - Long.BYTES, LONGEST_HEADER)) {
                throw new MeasurementException(String.format(
                        Locale.ROOT,
                        "%s is no safetensors file: its header would have %d bytes in a file of %d; download it again",
                        file,
                        header,
                        size));
            }
            ByteBuffer json = ByteBuffer.allocate((int) header);
            read(channel, json, Long.BYTES);
            Map<String, Entry> entries = entries(file, json.array(), Long.BYTES + header);
            long end = end(file, entries, Long.BYTES + header);
            if (end != size) {
                throw new MeasurementException(String.format(
                        Locale.ROOT,
                        "%s %s: its header says %d bytes, the file has %d; download it again",
                        file,
                        end > size ? "is incomplete" : "has something after its tensors",
                        end,
                        size));
            }
            return new SafetensorsFile(file, size, entries);
        } catch (IOException e) {
            throw new MeasurementException(
                    String.format(
                            Locale.ROOT,
                            "%s cannot be read%s",
                            file,
                            IoFault.because(e, "check the file and its permissions")),
                    e);
        }
    }

    private static void read(FileChannel channel, ByteBuffer into, long position) throws IOException {
        while (into.hasRemaining() && channel.read(into, position + into.position()) >= 0) {
            // a channel may give less than asked for
        }
    }

    /** {@return where the data ends; the format allows neither holes in it nor bytes that belong to two tensors} */
    private static long end(Path file, Map<String, Entry> entries, long data) {
        long end = data;
        for (Map.Entry<String, Entry> next : entries.entrySet().stream()
                // where two end at one place, one of them is empty, and comes after the other
                .sorted(Comparator.<Map.Entry<String, Entry>>comparingLong(
                                e -> e.getValue().offset() + e.getValue().bytes())
                        .thenComparingLong(e -> e.getValue().offset()))
                .toList()) {
            if (next.getValue().offset() != end) {
                throw new MeasurementException(String.format(
                        Locale.ROOT,
                        "%s: tensor %s starts at byte %d of the data instead of %d, so tensors overlap or leave a hole; download it again",
                        file,
                        next.getKey(),
                        next.getValue().offset() - data,
                        end - data));
            }
            end += next.getValue().bytes();
        }
        return end;
    }

    private static Map<String, Entry> entries(Path file, byte[] json, long data) {
        try {
            JsonNode root = HEADERS.readTree(json);
            if (!root.isObject()) {
                throw new MeasurementException(String.format(
                        Locale.ROOT,
                        "%s is no safetensors file: its header is no JSON object; download it again",
                        file));
            }
            Map<String, Entry> entries = new HashMap<>();
            for (Map.Entry<String, JsonNode> field : root.properties()) {
                if (!field.getKey().equals("__metadata__")) {
                    entries.put(field.getKey(), entry(file, field.getKey(), field.getValue(), data));
                }
            }
            return entries;
        } catch (IOException e) {
            throw new MeasurementException(
                    String.format(
                            Locale.ROOT, "%s is no safetensors file: its header is not JSON; download it again", file),
                    e);
        }
    }

    private static Entry entry(Path file, String name, JsonNode node, long data) {
        List<Long> shape = new ArrayList<>();
        for (JsonNode extent : node.path("shape")) {
            shape.add(whole(extent));
        }
        long from = whole(node.path("data_offsets").path(0));
        long to = whole(node.path("data_offsets").path(1));
        if (from < 0
                || to < from
                || to > Long.MAX_VALUE - data
                || shape.stream().anyMatch(extent -> extent < 0)) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "%s: the header gives tensor %s no valid shape and place; download it again",
                    file,
                    name));
        }
        return new Entry(node.path("dtype").asText("(absent)"), shape, data + from, to - from);
    }

    /** {@return a whole number; -1 for anything else} */
    private static long whole(JsonNode node) {
        return node.isIntegralNumber() && node.canConvertToLong() ? node.longValue() : -1;
    }

    Path file() {
        return file;
    }

    long size() {
        return size;
    }

    Set<String> names() {
        return entries.keySet();
    }

    /** {@return where a tensor is; it must be one of {@link #names()}} */
    Entry entry(String name) {
        Entry entry = entries.get(name);
        if (entry == null) {
            throw new IllegalArgumentException("no tensor " + name + " in " + file);
        }
        return entry;
    }
}
