package io.github.latencybudget.openai;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Progress;
import io.github.latencybudget.inference.Target;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.inference.TargetSpec;
import io.github.latencybudget.trace.NanoClock;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.apiguardian.api.API;

/**
 * A server with OpenAI's API, over HTTP: {@code openai:http://host:8000/v1?model=name}.
 *
 * <p>The URL may have a slash at its end, or leave out {@code /v1}. What comes after {@code ?} are options, as are those of
 * {@code @InferenceTarget}: {@code model}, which may be left out where the server has one; {@code api}, {@code chat} or
 * {@code completions}; {@code keyEnv} or {@code keyFile}, where the key is; {@code server}, which program serves, where it is not
 * found out; {@code prefixCache}, {@code cold}, {@code warm} or {@code unchecked}; the deadlines {@code connectSeconds},
 * {@code firstTokenSeconds}, {@code betweenTokensSeconds} and {@code requestSeconds}; {@code tokenizer}, a {@code tokenizer.json};
 * {@code certificates}, a PEM file; {@code http2}, {@code auto} or {@code off}; {@code metrics}, where the server counts its own work for Prometheus; {@code proxy}, {@code none}, {@code env} or a proxy's address; {@code hardware}, the server's device in your words;
 * {@code body.NAME} with JSON, {@code header.NAME}, and {@code headerEnv.NAME} with the name of a variable. {@code docs/endpoints.md}
 * says what each does.
 *
 * <p>An arrival is when the bytes that complete an event were read from the socket, before they were decrypted or parsed. A request
 * is sent once: nothing is tried again.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class OpenAiTarget implements Target {

    private final Function<String, Optional<String>> environment;

    /** Made by a {@link java.util.ServiceLoader}, and where a gate names this class. */
    public OpenAiTarget() {
        this(name -> Optional.ofNullable(System.getenv(name)));
    }

    /** With an environment that tests bring. */
    OpenAiTarget(Function<String, Optional<String>> environment) {
        this.environment = environment;
    }

    /** {@return whether it begins with {@code openai:}} */
    @Override
    public boolean opens(String model) {
        return model.startsWith(OpenAiOptions.PREFIX);
    }

    /** {@return the same for each way to write one server's address} */
    @Override
    public Optional<String> server(String model) {
        if (!opens(model)) {
            return Optional.empty();
        }
        Endpoint endpoint =
                Endpoint.of(model.substring(OpenAiOptions.PREFIX.length()).split("\\?", 2)[0]);
        String host = endpoint.host().toLowerCase(Locale.ROOT);
        if (host.equals("localhost") || host.equals("::1")) {
            host = "127.0.0.1";
        }
        return Optional.of((host.contains(":") ? "[" + host + "]" : host) + ":" + endpoint.port());
    }

    @Override
    public TargetSession open(TargetSpec spec, Progress progress) {
        OpenAiOptions options = OpenAiOptions.of(spec, environment);
        progress.step("asking " + options.endpoint(), 0, 1, "servers");
        try {
            TargetSession session = OpenAiSession.open(options, NanoClock.SYSTEM);
            progress.step("asking " + options.endpoint(), 1, 1, "servers");
            return session;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MeasurementException(
                    String.format(Locale.ROOT, "interrupted while %s was asked", options.endpoint()), e);
        }
    }
}
