package io.github.latencybudget.record;

import io.github.latencybudget.trace.EngineStep;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Function;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * The steps of an engine as a record holds them: a column per quantity, each with one entry per step, for there are many steps.
 *
 * @param kinds a letter per step: {@code P} for prefill, {@code D} for decode
 * @param startNanos when each began, from the start of the first request of the run on
 * @param durationNanos how long each took
 * @param deviceNanos how long the device worked on each, null for one where it is not known; null where it is for none
 * @param requests the numbers of those that took part, in their order, such as {@code 3-5,1}; empty for the same as in the
 *     step of that kind before
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record StepsEntry(
        String kinds,
        List<Long> startNanos,
        List<Long> durationNanos,
        @Nullable List<@Nullable Long> deviceNanos,
        List<String> requests) {

    private static final String SEPARATOR = ",";
    private static final String RANGE = "-";
    private static final int MOST_IN_A_STEP = 100_000;
    private static final int MOST_IN_ALL = 20_000_000;

    /**
     * @throws NullPointerException where a file leaves out a column that it has to have
     * @throws IllegalArgumentException for columns of different lengths
     */
    public StepsEntry {
        Objects.requireNonNull(kinds, "kinds");
        startNanos = List.copyOf(startNanos);
        durationNanos = List.copyOf(durationNanos);
        deviceNanos = deviceNanos == null ? null : Collections.unmodifiableList(new ArrayList<>(deviceNanos));
        requests = List.copyOf(requests);
        int steps = kinds.length();
        if (startNanos.size() != steps
                || durationNanos.size() != steps
                || requests.size() != steps
                || (deviceNanos != null && deviceNanos.size() != steps)) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "the columns of the steps have different lengths: %s, %s, %s, %s, %s",
                    steps,
                    startNanos.size(),
                    durationNanos.size(),
                    deviceNanos == null ? "none" : deviceNanos.size(),
                    requests.size()));
        }
    }

    static StepsEntry of(List<EngineStep> steps, long origin) {
        StringBuilder kinds = new StringBuilder();
        List<String> requests = new ArrayList<>();
        Map<EngineStep.Kind, List<Integer>> before = new EnumMap<>(EngineStep.Kind.class);
        for (EngineStep step : steps) {
            kinds.append(letter(step.kind()));
            requests.add(
                    step.requests().equals(before.put(step.kind(), step.requests())) ? "" : ranges(step.requests()));
        }
        return new StepsEntry(
                kinds.toString(),
                list(steps, s -> s.startNanos() - origin),
                list(steps, s -> s.endNanos() - s.startNanos()),
                steps.stream().noneMatch(s -> s.deviceNanos().isPresent())
                        ? null
                        : list(
                                steps,
                                s -> s.deviceNanos().isPresent()
                                        ? s.deviceNanos().getAsLong()
                                        : null),
                requests);
    }

    /**
     * {@return the steps again; their times start at the first request's start}
     *
     * @throws IllegalArgumentException for what does not make a step
     */
    List<EngineStep> toSteps() {
        List<EngineStep> steps = new ArrayList<>();
        Map<EngineStep.Kind, List<Integer>> before = new EnumMap<>(EngineStep.Kind.class);
        int all = 0;
        for (int i = 0; i < kinds.length(); i++) {
            EngineStep.Kind kind = kind(kinds.charAt(i));
            if (!requests.get(i).isEmpty()) {
                List<Integer> numbers = numbers(requests.get(i));
                all += numbers.size();
                if (all > MOST_IN_ALL) {
                    throw new IllegalArgumentException("requests: more than " + MOST_IN_ALL + " in all steps together");
                }
                before.put(kind, numbers);
            }
            Long device = deviceNanos == null ? null : deviceNanos.get(i);
            steps.add(new EngineStep(
                    kind,
                    startNanos.get(i),
                    Math.addExact(startNanos.get(i), durationNanos.get(i)),
                    device == null ? OptionalLong.empty() : OptionalLong.of(device),
                    before.getOrDefault(kind, List.of())));
        }
        return steps;
    }

    // Not by Stream.toList's null-hostile kin: a device time may be absent.
    private static <T> List<T> list(List<EngineStep> steps, Function<EngineStep, T> value) {
        List<T> values = new ArrayList<>(steps.size());
        steps.forEach(s -> values.add(value.apply(s)));
        return values;
    }

    private static char letter(EngineStep.Kind kind) {
        return kind.name().charAt(0);
    }

    private static EngineStep.Kind kind(char letter) {
        for (EngineStep.Kind kind : EngineStep.Kind.values()) {
            if (letter(kind) == letter) {
                return kind;
            }
        }
        throw new IllegalArgumentException(String.format(Locale.ROOT, "kinds: there is no step %s", letter));
    }

    private static String ranges(List<Integer> numbers) {
        List<String> ranges = new ArrayList<>();
        for (int from = 0; from < numbers.size(); ) {
            int to = from;
            while (to + 1 < numbers.size() && numbers.get(to + 1) == numbers.get(to) + 1) {
                to++;
            }
            ranges.add(numbers.get(from) + (to == from ? "" : RANGE + numbers.get(to)));
            from = to + 1;
        }
        return String.join(SEPARATOR, ranges);
    }

    private static List<Integer> numbers(String ranges) {
        List<Integer> numbers = new ArrayList<>();
        for (String range : ranges.split(SEPARATOR)) {
            // From the second character on, for a number that is no request's may be negative.
            int dash = range.indexOf(RANGE, 1);
            int from = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
            int to = dash < 0 ? from : Integer.parseInt(range.substring(dash + 1));
            if (numbers.size() + (to - (long) from) > MOST_IN_A_STEP) {
                throw new IllegalArgumentException(
                        String.format(Locale.ROOT, "requests: up to %s they are too many for one step", range));
            }
            // By a difference, since a damaged range may end at the largest number there is.
            for (int i = 0; i <= to - (long) from; i++) {
                numbers.add(from + i);
            }
        }
        return numbers;
    }
}
