package io.github.latencybudget.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OriginTest {

    private static final GateId GATE = new GateId("com.example.ChatSlaTest", "holds()");

    @TempDir
    Path folder;

    @Test
    void aFolderKeepsItsOrigin() {
        String origin = Origin.of(folder.resolve("a/records"));

        assertThat(origin).matches("[0-9a-f]{8}");
        assertThat(Origin.of(folder.resolve("a/records"))).isEqualTo(origin);
        assertThat(Origin.of(folder.resolve("b/records"))).isNotEqualTo(origin);
    }

    @Test
    void allThatBeginAtOnceHaveOneOrigin() throws Exception {
        int writers = 8;
        ExecutorService threads = Executors.newFixedThreadPool(writers);
        try {
            for (int round = 0; round < 50; round++) {
                Path records = folder.resolve("round" + round);
                CyclicBarrier start = new CyclicBarrier(writers);
                List<Callable<String>> calls = new ArrayList<>();
                for (int writer = 0; writer < writers; writer++) {
                    calls.add(() -> {
                        start.await();
                        return Origin.of(records);
                    });
                }
                List<String> origins = new ArrayList<>();
                for (Future<String> origin : threads.invokeAll(calls)) {
                    origins.add(origin.get());
                }

                assertThat(origins).containsOnly(origins.get(0));
                try (Stream<Path> files = Files.list(records)) {
                    assertThat(files).containsExactly(records.resolve(Origin.FILE));
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Two machines of one run of CI, whose folders are put together. */
    @Test
    void recordsOfTwoMachinesUnderOneRunNeverHaveTheSameName() throws IOException {
        for (String machine : List.of("one", "other")) {
            RecordStore store = store(folder.resolve(machine));
            store.start(GATE, "Chat").broken(machine);
            store.start(GATE, "Chat").broken(machine + " again");
            store.planned(null, List.of(), null);
        }

        Path together = folder.resolve("together");
        Files.createDirectory(together);
        for (String machine : List.of("one", "other")) {
            for (Path file : RecordName.filesIn(folder.resolve(machine))) {
                Files.copy(file, together.resolve(file.getFileName()));
            }
        }

        Records records = store(together).read(Optional.empty());
        assertThat(records.unreadable()).isEmpty();
        assertThat(records.plans()).hasSize(2);
        assertThat(records.records())
                .extracting(f -> f.content().error())
                .containsExactlyInAnyOrder("one", "one again", "other", "other again");
        assertThat(records.records()).extracting(f -> f.content().attempt()).containsExactlyInAnyOrder(1, 2, 1, 2);
    }

    @Test
    void aFolderThatWasEmptiedGetsAnOriginAgain() throws IOException {
        Path records = folder.resolve("records");
        Origin.of(records);
        Files.delete(records.resolve(Origin.FILE));

        assertThat(Origin.of(records)).matches("[0-9a-f]{8}");
    }

    @Test
    void anOriginThatIsDamagedIsMadeAnew() throws IOException {
        Path file = folder.resolve(Origin.FILE);
        for (String damaged : List.of("", "not one", "0123456\n")) {
            Files.writeString(file, damaged);

            String origin = Origin.of(folder);

            assertThat(origin).matches("[0-9a-f]{8}").isEqualTo(Files.readString(file));
            assertThat(Origin.of(folder)).isEqualTo(origin);
        }
    }

    @Test
    void whoOnlyReadsMakesNoFolder() {
        RecordStore store = store(folder.resolve("none"));

        store.read(Optional.empty());
        store.failBeforeStart(GATE, "no reason");

        assertThat(folder.resolve("none")).doesNotExist();
    }

    private static RecordStore store(Path folder) {
        return new RecordStore(folder, "run-1", Clock.systemUTC());
    }
}
