package io.github.latencybudget.openai;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.TargetSpec;
import io.github.latencybudget.trace.Guarded;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A spec's settings, checked before anything is connected.
 *
 * @param endpoint where the server is
 * @param model the model's name there; empty for the only one that it has
 * @param isChat whether {@code /chat/completions} is called, and not {@code /completions}
 * @param isStreamed whether answers are asked for as streams
 * @param kind which program serves; empty to ask it
 * @param cache how prompts meet a prefix cache
 * @param deadlines how long things may take
 * @param credentials the key, and further headers
 * @param body further fields of the body, as JSON by name
 * @param tokenizer a {@code tokenizer.json}; empty for what the server counts
 * @param certificates PEM file of authorities to trust; empty for the JVM's
 * @param http2 whether HTTP/2 is taken where the server offers it over TLS
 * @param metrics where the server counts its own work; empty not to ask
 * @param hardware the server's device, as the user says; empty for no word
 * @param proxy what connections are tunnelled through; empty for none
 * @param proxyVariable the environment variable that names a proxy for such a URL; empty for none
 * @param dtype the type that the server computes in, as the user says; empty for no word
 * @param seed of the prompts
 */
record OpenAiOptions(
        Endpoint endpoint,
        String model,
        boolean isChat,
        boolean isStreamed,
        Optional<ServerKind> kind,
        PrefixCacheMode cache,
        Deadlines deadlines,
        Credentials credentials,
        SortedMap<String, String> body,
        Optional<Path> tokenizer,
        Optional<Path> certificates,
        boolean http2,
        Optional<MetricsAddress> metrics,
        String hardware,
        Optional<Proxy> proxy,
        Optional<String> proxyVariable,
        String dtype,
        long seed) {

    static final String PREFIX = "openai:";

    private static final double MOST_SECONDS = 86_400;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    /** How prompts meet the server's prefix cache. */
    enum PrefixCacheMode {
        /** No prompt shares its beginning with another one. */
        COLD,
        /** All prompts of one length are the same. */
        WARM,
        /** As cold, and what the server says of its cache is not asked. */
        UNCHECKED
    }

    /** @throws MeasurementException for a setting that does not exist or has a value that is not allowed */
    static OpenAiOptions of(TargetSpec spec, Function<String, Optional<String>> environment) {
        if (!spec.model().startsWith(PREFIX)) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "model = \"%s\" is no endpoint: write it as openai:http://host:8000/v1?model=name",
                    TargetSpec.withoutSecrets(spec.model())));
        }
        if (!spec.device().isEmpty() && !spec.device().equals("cpu")) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "device = \"%s\" has no effect on an endpoint, whose server has its own: leave it out, and name that by the option hardware",
                    spec.device()));
        }
        String[] urlAndQuery = spec.model().substring(PREFIX.length()).split("\\?", 2);
        OptionValues values = OptionValues.of(spec.options(), urlAndQuery.length == 2 ? urlAndQuery[1] : "");
        Endpoint endpoint = Endpoint.of(urlAndQuery[0]);
        Optional<Proxy> proxy = Proxy.of(values, endpoint, environment);
        Optional<MetricsAddress> metrics = MetricsAddress.of(values, environment);
        SortedMap<String, String> body = body(values);
        List<String> secrets = new ArrayList<>(RequestBody.secrets(body));
        Stream.of(proxy, metrics.flatMap(MetricsAddress::proxy))
                .flatMap(Optional::stream)
                .flatMap(p -> p.login().stream())
                .map(Proxy.Login::password)
                .forEach(secrets::add);
        return new OpenAiOptions(
                endpoint,
                values.get("model").orElse(""),
                values.oneOf("api", List.of("chat", "completions")).equals("chat"),
                values.oneOf("stream", List.of("true", "false")).equals("true"),
                kind(values),
                PrefixCacheMode.valueOf(values.oneOf("prefixCache", List.of("cold", "warm", "unchecked"))
                        .toUpperCase(Locale.ROOT)),
                new Deadlines(
                        seconds(values, "connectSeconds", 10),
                        seconds(values, "firstTokenSeconds", 120),
                        seconds(values, "betweenTokensSeconds", 60),
                        seconds(values, "requestSeconds", 600)),
                Credentials.of(values, environment, secrets),
                body,
                values.file("tokenizer"),
                values.file("certificates"),
                values.oneOf("http2", List.of("auto", "off")).equals("auto"),
                metrics,
                values.get("hardware").orElse(""),
                proxy,
                Proxy.variable(endpoint, environment),
                spec.dtype(),
                spec.seed());
    }

    /** {@return the same for the page of the server's own counts, which is sent the key only where the server is the same} */
    OpenAiOptions at(MetricsAddress page) {
        return new OpenAiOptions(
                page.server(),
                model,
                isChat,
                isStreamed,
                kind,
                cache,
                deadlines,
                page.server().address().equals(endpoint.address()) ? credentials : credentials.withoutHeaders(),
                body,
                tokenizer,
                certificates,
                http2,
                metrics,
                hardware,
                page.proxy(),
                page.proxyVariable(),
                dtype,
                seed);
    }

    private static Optional<ServerKind> kind(OptionValues values) {
        return values.get("server")
                .map(name -> ServerKind.named(name)
                        .orElseThrow(() -> new MeasurementException(String.format(
                                Locale.ROOT,
                                "option %s is not known: use %s, or leave it out to ask the server",
                                Guarded.setting("server", name),
                                ServerKind.names()))));
    }

    private static long seconds(OptionValues values, String name, double otherwise) {
        String value = values.get(name).orElse(String.valueOf(otherwise));
        try {
            double seconds = Double.parseDouble(value);
            if (seconds > 0 && seconds <= MOST_SECONDS) {
                return Math.max(1, (long) (seconds * NANOS_PER_SECOND));
            }
        } catch (NumberFormatException e) {
            // Refused as any other value is.
        }
        throw new MeasurementException(String.format(
                Locale.ROOT,
                "option %s is not allowed: use a number of seconds above 0 and at most %d",
                Guarded.setting(name, value),
                (long) MOST_SECONDS));
    }

    private static SortedMap<String, String> body(OptionValues values) {
        SortedMap<String, String> body = new TreeMap<>(values.withPrefix("body."));
        for (String own : List.of("model", "stream", "messages", "prompt", "max_tokens", "n")) {
            if (body.containsKey(own)) {
                throw new MeasurementException(String.format(
                        Locale.ROOT, "option body.%s is not allowed: the measurement sets that field itself", own));
            }
        }
        body.replaceAll(RequestBody::requireJson);
        return body;
    }
}
