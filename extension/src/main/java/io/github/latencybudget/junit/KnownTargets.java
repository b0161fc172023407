package io.github.latencybudget.junit;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Target;
import io.github.latencybudget.inference.TargetSpec;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceLoader;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/** The targets on the class path that are registered as services. */
final class KnownTargets {

    private static final String ENDPOINT = "openai:";

    /** A drive of Windows is one letter. */
    private static final String OTHER_SCHEME = "(?!synthetic:)[A-Za-z][A-Za-z0-9+.-]+:.*";

    private KnownTargets() {}

    /**
     * {@return the one that opens a model}
     *
     * @throws ExtensionConfigurationException where none does, or more than one
     */
    static Class<? extends Target> whichOpens(String model) {
        List<Target> found =
                all().stream().filter(target -> target.opens(model)).toList();
        if (found.isEmpty()) {
            throw new ExtensionConfigurationException(String.format(
                    Locale.ROOT,
                    "no target on the class path opens the model %s: %s",
                    TargetSpec.withoutSecrets(model),
                    next(model)));
        }
        if (found.size() > 1) {
            throw new ExtensionConfigurationException(String.format(
                    Locale.ROOT,
                    "%s and %s both open the model %s: name one of them with @InferenceTarget(target = ...)",
                    found.get(0).getClass().getName(),
                    found.get(1).getClass().getName(),
                    TargetSpec.withoutSecrets(model)));
        }
        return found.get(0).getClass();
    }

    /**
     * {@return host and port of the server behind a model; empty where a device of this machine generates, or no target is known}
     *
     * @param type {@link Target} itself for the one that opens the model
     * @throws MeasurementException where its address is wrong
     */
    static Optional<String> server(Class<? extends Target> type, String model) {
        return all().stream()
                .filter(target -> type == Target.class ? target.opens(model) : target.getClass() == type)
                .findFirst()
                .flatMap(target -> target.server(model));
    }

    /** {@return whether a server is behind a model} One whose address is wrong is refused when its gate is configured. */
    static boolean isServed(Class<? extends Target> type, String model) {
        try {
            return server(type, model).isPresent();
        } catch (MeasurementException e) {
            return true;
        }
    }

    private static List<Target> all() {
        return ServiceLoader.load(Target.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }

    private static String next(String model) {
        if (model.startsWith(ENDPOINT)) {
            return add("latency-budget-endpoint-openai");
        }
        if (model.matches("https?:.*")) {
            return "write a server with OpenAI's API as openai: and its URL, such as openai:http://localhost:8000/v1";
        }
        return model.matches(OTHER_SCHEME)
                ? "it is neither a folder nor begins with synthetic: or openai:. Correct it, or name a class of your own with"
                        + " @InferenceTarget(target = ...)"
                : add("latency-budget-engine-llama");
    }

    private static String add(String artifact) {
        return "add io.github.latencybudget:" + artifact + " to the dependencies of the tests";
    }
}
