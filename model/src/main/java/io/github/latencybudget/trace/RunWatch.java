package io.github.latencybudget.trace;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apiguardian.api.API;

/**
 * What was watched while a run lasted, beside its requests.
 *
 * @param guards which guards the run is judged with
 * @param device what was seen of the device; empty where it could not be looked at
 * @param notChecked the guards that could not be checked, and why
 * @param notApplicable the guards that are not about such a run, and why
 * @param client how exactly the client tells arrivals; empty where it was not calibrated
 * @param server what the server counted of its own work while the run lasted; empty where it was not asked
 * @param mostInFlight how many requests of an open loop may have been in flight at a time; empty of a closed one
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record RunWatch(
        GuardSettings guards,
        Optional<DeviceWatch> device,
        SortedMap<Guard, String> notChecked,
        SortedMap<Guard, String> notApplicable,
        Optional<ClientCalibration> client,
        Optional<ServerMetrics> server,
        OptionalInt mostInFlight) {

    /** Of a run that nobody watched. */
    public static final RunWatch NONE =
            new RunWatch(GuardSettings.DEFAULT, Optional.empty(), becauseOf("nobody watched the run"), new TreeMap<>());

    public RunWatch {
        notChecked = Collections.unmodifiableSortedMap(new TreeMap<>(notChecked));
        notApplicable = Collections.unmodifiableSortedMap(new TreeMap<>(notApplicable));
    }

    /** Of a closed loop. */
    public RunWatch(
            GuardSettings guards,
            Optional<DeviceWatch> device,
            SortedMap<Guard, String> notChecked,
            SortedMap<Guard, String> notApplicable,
            Optional<ClientCalibration> client,
            Optional<ServerMetrics> server) {
        this(guards, device, notChecked, notApplicable, client, server, OptionalInt.empty());
    }

    /** Of a run on no server: no client was calibrated, and nothing else counted. */
    public RunWatch(
            GuardSettings guards,
            Optional<DeviceWatch> device,
            SortedMap<Guard, String> notChecked,
            SortedMap<Guard, String> notApplicable) {
        this(guards, device, notChecked, notApplicable, Optional.empty(), Optional.empty());
    }

    private static SortedMap<Guard, String> becauseOf(String reason) {
        Set<Guard> unwatched = EnumSet.of(Guard.SAME_TARGET);
        for (Guard guard : Guard.values()) {
            if (guard.readsDevice()) {
                unwatched.add(guard);
            }
        }
        SortedMap<Guard, String> reasons = new TreeMap<>();
        unwatched.forEach(guard -> reasons.put(guard, reason));
        return reasons;
    }
}
