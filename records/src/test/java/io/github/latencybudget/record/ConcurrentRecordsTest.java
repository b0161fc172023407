package io.github.latencybudget.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConcurrentRecordsTest {

    private static final int WRITERS = 8;
    private static final GateId GATE = new GateId("com.example.ChatSlaTest", "holds()");

    @TempDir
    Path folder;

    /** Case 29, in threads: each writer has a store of its own, as each JVM has. */
    @Test
    void noWriterWritesOverAnother() throws Exception {
        store().plan(GATE, "Chat");

        together(writer -> {
            for (int i = 0; i < 10; i++) {
                store().start(GATE, "Chat").broken(writer + "/" + i);
            }
        });

        List<RecordStore.RecordFile> records = store().read(Optional.empty()).records();
        assertThat(records)
                .extracting(f -> f.content().error())
                .containsExactlyInAnyOrderElementsOf(IntStream.range(0, WRITERS * 10)
                        .mapToObj(i -> i / 10 + "/" + i % 10)
                        .toList());
        assertThat(records).extracting(f -> f.content().attempt()).doesNotHaveDuplicates();
        assertThat(store().read(Optional.empty()).unreadable()).isEmpty();
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files)
                    .filteredOn(f -> !f.endsWith(Origin.FILE))
                    .allSatisfy(f -> assertThat(f.toString()).endsWith(".json"));
        }
    }

    @Test
    void ofManyThatStartOnePlannedGateOnlyOneGetsItsRecord() throws Exception {
        for (int round = 0; round < 20; round++) {
            GateId gate = new GateId("com.example.ChatSlaTest", "round" + round + "()");
            store().plan(gate, "Chat");
            together(writer -> store().start(gate, "Chat"));

            assertThat(store().read(Optional.empty()).records().stream()
                            .filter(f -> f.content().gate().equals(gate))
                            .map(f -> f.content().attempt()))
                    .hasSize(WRITERS)
                    .doesNotHaveDuplicates();
        }
    }

    private void together(java.util.function.IntConsumer work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
        try {
            List<Callable<Void>> calls = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                int number = writer;
                calls.add(() -> {
                    work.accept(number);
                    return null;
                });
            }
            for (Future<Void> done : threads.invokeAll(calls)) {
                done.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private RecordStore store() {
        return new RecordStore(folder, "run-1", Clock.systemUTC());
    }
}
