package io.github.latencybudget.junit;

import io.github.latencybudget.device.DeviceLockException;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.Target;
import io.github.latencybudget.inference.TargetSpec;
import io.github.latencybudget.record.GateId;
import io.github.latencybudget.record.RecordStore;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** A process that has opened as many files as it may, and then measures. Says what each part of the product says. */
final class OutOfDescriptors {

    private static final String DEVICE = "descriptors";

    /** As many descriptors has one on Linux: to wait, to be woken, and to be timed. */
    private static final int OF_AN_EVENT_LOOP = 3;

    private final Path folder;

    private OutOfDescriptors(Path folder) {
        this.folder = folder;
    }

    public static void main(String[] arguments) throws Exception {
        OutOfDescriptors process = new OutOfDescriptors(Path.of(arguments[0]));
        Files.createDirectories(process.folder.resolve("model"));
        Files.writeString(process.folder.resolve("model/config.json"), "no JSON");
        Files.writeString(process.folder.resolve("blocked"), "a file where the folder would be");
        // No class can be loaded later.
        process.said("blocked");
        saidOfConnections();
        TargetSpec.withoutSecrets("openai:http://key@127.0.0.1:9/v1");
        List<FileInputStream> open = new ArrayList<>();
        List<String> said;
        try {
            try {
                for (; ; ) {
                    open.add(new FileInputStream("/dev/null"));
                }
            } catch (IOException e) {
                said = process.said("records");
                for (int i = 0; i < OF_AN_EVENT_LOOP; i++) {
                    open.remove(0).close();
                }
                said.addAll(saidOfConnections());
            }
        } finally {
            for (FileInputStream in : open) {
                in.close();
            }
        }
        said.forEach(System.out::println);
    }

    private List<String> said(String records) {
        RecordStore store = new RecordStore(folder.resolve(records), "run", Clock.systemUTC());
        List<String> said = new ArrayList<>();
        said.add("record: " + message(() -> store.start(new GateId("Sla", "gate()"), "A gate")));
        said.add("lock: "
                + message(() -> {
                    try {
                        DeviceLocks.of(new Settings(key -> Optional.empty(), Set.of()), "gate")
                                .whileAloneOn(DEVICE, waited -> "measured");
                    } catch (InterruptedException | DeviceLockException e) {
                        throw new IllegalStateException(e);
                    }
                }));
        said.add("model: " + message(() -> open(folder.resolve("model").toString())));
        said.add("event loop: " + message(() -> open("openai:http://127.0.0.1:9/v1?model=m")));
        return said;
    }

    /** {@return what is said once there is an event loop} */
    private static List<String> saidOfConnections() {
        return List.of(
                "socket: " + message(() -> open("openai:http://127.0.0.1:9/v1?model=m")),
                "name: " + message(() -> open("openai:http://no-such-host.invalid:9/v1?model=m")));
    }

    private static void open(String model) {
        TargetAttributes attributes =
                new TargetAttributes(Target.class, model, "cpu", "", "", List.of(), Optional.empty());
        SessionState session = new SessionState() {
            @Override
            public <K, V> V getOrMake(K key, Function<K, V> make, Class<V> type) {
                return make.apply(key);
            }
        };
        OpenedTarget.of(new Settings(key -> Optional.empty(), Set.of()), attributes, session, Progress.NONE)
                .session();
    }

    private static String message(Runnable work) {
        Optional<MeasurementException> unwritable = Optional.empty();
        try {
            unwritable = GateRun.keep(work);
        } catch (MeasurementException e) {
            unwritable = Optional.of(e);
        }
        return unwritable.map(Throwable::getMessage).orElse("nothing");
    }
}
