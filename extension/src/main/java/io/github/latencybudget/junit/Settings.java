package io.github.latencybudget.junit;

import io.github.latencybudget.inference.Target;
import io.github.latencybudget.inference.TargetSpec;
import io.github.latencybudget.record.RecordStore;
import io.github.latencybudget.record.Run;
import io.github.latencybudget.trace.GuardSettings;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.platform.engine.ConfigurationParameters;

/**
 * The configuration parameters of a test run: JUnit's, which include system properties.
 *
 * @param parameters looks a parameter up by its key
 * @param names of all parameters
 */
record Settings(Function<String, Optional<String>> parameters, Set<String> names) {

    private static final String PREFIX = SettingNames.PREFIX;
    private static final String DEFAULT_MODEL = "synthetic:tiny";
    private static final String DEFAULT_DEVICE = "cpu";
    private static final String DEFAULT_SEED = "42";
    private static final Pattern CUDA = Pattern.compile("(?:gpu|cuda)(?::(\\d{1,3}))?");
    private static final Path DEFAULT_OUTPUT = Path.of("target", "latency-budget");
    private static final Path DEFAULT_GATES = Path.of("src", "test", "latency-gates.json");
    private static final Path DEFAULT_BASELINES = Path.of("src", "test", "latency-baselines");

    /** Every key that means something. */
    private enum Key {
        MODEL,
        DEVICE,
        DTYPE,
        SEED,
        OPTIONS,
        GPU,
        OUTPUT,
        PROGRESS,
        RUN,
        BASELINES,
        BASELINE_UPDATE,
        GATES,
        GATES_UPDATE,
        SERVED_MODEL,
        SERVED_DTYPE,
        SERVED_OPTIONS;

        private static final Set<Key> OF_TARGET = EnumSet.of(MODEL, DEVICE, DTYPE, OPTIONS);

        @Override
        public String toString() {
            return PREFIX + name().toLowerCase(Locale.ROOT).replace('_', '.');
        }
    }

    /** Not a Boolean, for which a slip of the pen is false. */
    private enum Update {
        FALSE,
        TRUE
    }

    /** What to do with gates on a GPU. */
    enum Gpu {
        /** Run them where there is a GPU, skip them elsewhere. */
        AUTO,
        /** Run them, so that they fail where there is none. */
        REQUIRED,
        /** Skip them. */
        OFF
    }

    /** {@return those of an engine, or of a plan of tests} */
    static Settings of(ConfigurationParameters parameters) {
        return new Settings(parameters::get, parameters.keySet());
    }

    /** @throws org.junit.jupiter.api.extension.ExtensionConfigurationException for a mode that there is not */
    Gpu gpu() {
        return oneOf(Gpu.values(), Key.GPU, "it is `auto`, `required` or `off`");
    }

    /** @throws org.junit.jupiter.api.extension.ExtensionConfigurationException for a style that there is not */
    TerminalLine.Style progress() {
        return oneOf(TerminalLine.Style.values(), Key.PROGRESS, "it is `auto`, `bar` or `lines`");
    }

    /** The first of the values is the default. */
    private <E extends Enum<E>> E oneOf(E[] values, Key key, String rule) {
        String value = get(key).orElse(values[0].name());
        return Arrays.stream(values)
                .filter(v -> v.name().equalsIgnoreCase(value))
                .findFirst()
                .orElseThrow(() -> ConfigurationErrors.setting(key.toString(), value, rule));
    }

    /** {@return where records and report go} */
    Path output() {
        return folder(Key.OUTPUT, DEFAULT_OUTPUT);
    }

    /** {@return where baselines are kept} */
    Path baselines() {
        return folder(Key.BASELINES, DEFAULT_BASELINES);
    }

    private Path folder(Key key, Path otherwise) {
        Optional<String> folder = get(key);
        try {
            return folder.map(Path::of).orElse(otherwise);
        } catch (InvalidPathException e) {
            throw ConfigurationErrors.setting(key.toString(), folder.orElseThrow(), "it is a path");
        }
    }

    /**
     * {@return whether runs become baselines instead of being compared with them}
     *
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException for a value that is neither true nor false
     */
    boolean updatesBaselines() {
        return oneOf(Update.values(), Key.BASELINE_UPDATE, "it is `true` or `false`") == Update.TRUE;
    }

    /** {@return the manifest of expected gates, whether it is there or not} */
    Path gates() {
        return folder(Key.GATES, DEFAULT_GATES);
    }

    /** {@return whether the manifest has to be there} */
    boolean namesGates() {
        return get(Key.GATES).isPresent();
    }

    /**
     * {@return whether the gates of this run become the manifest instead of being held against it}
     *
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException for a value that is neither true nor false
     */
    boolean updatesGates() {
        return oneOf(Update.values(), Key.GATES_UPDATE, "it is `true` or `false`") == Update.TRUE;
    }

    /** {@return these, with what is set for the served one of two targets in place of what is set for all} */
    Settings served() {
        return new Settings(
                name -> parameters.apply(
                        Key.OF_TARGET.stream().map(Key::toString).anyMatch(name::equals)
                                ? PREFIX + "served." + name.substring(PREFIX.length())
                                : name),
                names);
    }

    /** {@return the store of this run's records} */
    RecordStore records() {
        return new RecordStore(output().resolve("records"), get(Key.RUN).orElseGet(Run::current), Clock.systemUTC());
    }

    /**
     * {@return what to open: what the gate says, else the configuration's, else the defaults}
     *
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException for a value that is not allowed
     */
    TargetSpec target(TargetAttributes target) {
        return new TargetSpec(
                model(target),
                device(target),
                either(target.dtype(), Key.DTYPE).orElse(""),
                seed(either(target.seed(), Key.SEED).orElse(DEFAULT_SEED)),
                options(target));
    }

    private String model(TargetAttributes target) {
        return either(target.model(), Key.MODEL).orElse(DEFAULT_MODEL);
    }

    /**
     * {@return the kind of target: the one that the gate names, else the one that opens its model}
     *
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException where none opens it
     */
    Class<? extends Target> targetType(TargetAttributes target) {
        return target.type() == Target.class ? KnownTargets.whichOpens(model(target)) : target.type();
    }

    /** {@return host and port of the server that a gate is measured on; empty where it is a device of this machine} */
    Optional<String> server(TargetAttributes target) {
        return KnownTargets.server(target.type(), model(target));
    }

    /** {@return the device that a gate is measured on, by one name, since it is locked and its target shared by that} */
    String device(TargetAttributes target) {
        // The setting names a device of this machine. An endpoint's client runs on the processor.
        String device = (KnownTargets.isServed(target.type(), model(target))
                        ? Optional.of(target.device()).filter(d -> !d.isBlank())
                        : either(target.device(), Key.DEVICE))
                .orElse(DEFAULT_DEVICE)
                .strip()
                .toLowerCase(Locale.ROOT);
        Matcher cuda = CUDA.matcher(device);
        return cuda.matches()
                ? "cuda:"
                        + Optional.ofNullable(cuda.group(1))
                                .map(Integer::parseInt)
                                .orElse(0)
                : device;
    }

    /** {@return what a gate has to itself while it is measured: the server of an endpoint, by host and port; else the device} */
    String measuredAlone(TargetAttributes target) {
        return server(target).orElseGet(() -> device(target));
    }

    /**
     * Refuses names that look like a setting and are none.
     *
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException naming the first such name, or a mode of
     *     GPU gates, style of progress, update of baselines, folder of locks or time to wait that there is not
     */
    void refuseWrong() {
        refuseWrong(System.getenv().keySet());
    }

    /** @param environment the names of the environment's variables */
    void refuseWrong(Set<String> environment) {
        List<String> keys = Stream.of(
                        Arrays.stream(Key.values()).map(Key::toString),
                        DeviceLocks.KEYS.stream(),
                        GuardParameters.keys())
                .flatMap(Function.identity())
                .toList();
        GuardParameters.refuseUnknown(names);
        SettingNames.refuseUnknown(names, keys);
        SettingNames.refuseVariables(
                environment, keys, key -> parameters.apply(key).isPresent());
        gpu();
        progress();
        updatesBaselines();
        updatesGates();
        DeviceLocks.refuseWrong(this);
        guards();
    }

    /** @throws org.junit.jupiter.api.extension.ExtensionConfigurationException for a value that a guard cannot have */
    GuardSettings guards() {
        return GuardParameters.read(parameters);
    }

    private Optional<String> get(Key key) {
        return parameters.apply(key.toString()).map(String::strip).filter(v -> !v.isEmpty());
    }

    private Optional<String> either(String said, Key key) {
        return Optional.of(said).filter(v -> !v.isBlank()).or(() -> get(key));
    }

    private static long seed(String value) {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw ConfigurationErrors.setting("seed", value, "it is a whole number");
        }
    }

    private SortedMap<String, String> options(TargetAttributes target) {
        SortedMap<String, String> options = new TreeMap<>();
        get(Key.OPTIONS).ifPresent(all -> Arrays.stream(all.split(",")).forEach(o -> put(options, o)));
        target.options().forEach(o -> put(options, o));
        return options;
    }

    private static void put(SortedMap<String, String> options, String option) {
        String[] nameAndValue = option.split("=", 2);
        if (nameAndValue.length < 2 || nameAndValue[0].isBlank()) {
            throw ConfigurationErrors.setting("options", option, "an option is a name, `=` and a value");
        }
        options.put(nameAndValue[0].strip(), nameAndValue[1].strip());
    }
}
