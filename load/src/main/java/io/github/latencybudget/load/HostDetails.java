package io.github.latencybudget.load;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The machine and the JVM that a run was made on. */
final class HostDetails {

    private HostDetails() {}

    /** {@return the target's details and the host's, and why the server's own counts could not be read} */
    static SortedMap<String, String> with(Map<String, String> target, ServerLook server) {
        SortedMap<String, String> details = new TreeMap<>(target);
        server.unread().ifPresent(reason -> details.put("server metrics", "could not be read: " + reason));
        details.put("os", property("os.name") + " " + property("os.version") + " " + property("os.arch"));
        details.put("jvm", property("java.vm.name") + " " + property("java.runtime.version"));
        details.put("cpu cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        details.put("jvm max heap MiB", Long.toString(Runtime.getRuntime().maxMemory() >> 20));
        return details;
    }

    private static String property(String name) {
        return System.getProperty(name, "unknown");
    }
}
