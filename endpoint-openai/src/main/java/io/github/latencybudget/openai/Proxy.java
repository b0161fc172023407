package io.github.latencybudget.openai;

import io.github.latencybudget.inference.MeasurementException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A proxy that connections are tunnelled through (CONNECT of HTTP), for servers with and without TLS alike.
 *
 * @param host its name or address; one of IPv6 without brackets
 * @param port its port
 * @param source where it is set, such as {@code the variable HTTPS_PROXY}
 * @param login who it is asked as; empty for nobody
 */
record Proxy(String host, int port, String source, Optional<Login> login) {

    private static final int DEFAULT_PORT = 3128;

    /** A user and password. Says neither. */
    record Login(String user, String password) {

        @Override
        public String toString() {
            return "***";
        }
    }

    /**
     * {@return the proxy for an endpoint, as the option {@code proxy} says; empty for none}
     *
     * @throws MeasurementException where it is no address of one
     */
    static Optional<Proxy> of(OptionValues values, Endpoint endpoint, Function<String, Optional<String>> environment) {
        String value = values.get("proxy").orElse("none");
        if (value.equals("none")) {
            return Optional.empty();
        }
        if (!value.equals("env")) {
            Proxy proxy = parse(value, "the option proxy");
            if (proxy.login().isPresent()) {
                throw new MeasurementException(String.format(
                        Locale.ROOT,
                        "option proxy has a user or password in it: set the variable %s to it, and use proxy=env",
                        endpoint.isTls() ? "HTTPS_PROXY" : "HTTP_PROXY"));
            }
            return Optional.of(proxy);
        }
        return isLeftOut(endpoint, environment)
                ? Optional.empty()
                : variable(endpoint, environment)
                        .map(name -> parse(environment.apply(name).orElseThrow().strip(), "the variable " + name));
    }

    /** {@return the name of the variable that names a proxy for such an endpoint; empty where none does} */
    static Optional<String> variable(Endpoint endpoint, Function<String, Optional<String>> environment) {
        String scheme = endpoint.isTls() ? "https_proxy" : "http_proxy";
        return Stream.of(scheme, scheme.toUpperCase(Locale.ROOT), "all_proxy", "ALL_PROXY")
                .filter(name ->
                        environment.apply(name).filter(v -> !v.isBlank()).isPresent())
                .findFirst();
    }

    private static boolean isLeftOut(Endpoint endpoint, Function<String, Optional<String>> environment) {
        return Stream.of("no_proxy", "NO_PROXY")
                .flatMap(name -> environment.apply(name).stream())
                .flatMap(list -> Stream.of(list.split("[,\\s]+")))
                .map(entry -> entry.toLowerCase(Locale.ROOT))
                .anyMatch(entry -> isFor(entry, endpoint));
    }

    private static boolean isFor(String entry, Endpoint endpoint) {
        String host = endpoint.host().toLowerCase(Locale.ROOT);
        String name = entry.startsWith("*.") ? entry.substring(1) : entry;
        if (name.endsWith(":" + endpoint.port())) {
            name = name.substring(0, name.lastIndexOf(':'));
        }
        String domain = name.startsWith(".") ? name.substring(1) : name;
        return name.equals("*") || !domain.isEmpty() && (host.equals(domain) || host.endsWith("." + domain));
    }

    private static Proxy parse(String value, String source) {
        try {
            URI uri = new URI(value.contains("://") ? value : "http://" + value);
            String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
            if (scheme.equals("http") && uri.getHost() != null) {
                return new Proxy(
                        uri.getHost().replace("[", "").replace("]", ""),
                        uri.getPort() > 0 ? uri.getPort() : DEFAULT_PORT,
                        source,
                        Optional.ofNullable(uri.getRawUserInfo()).map(Proxy::login));
            }
        } catch (URISyntaxException | IllegalArgumentException e) {
            // Refused as any other value is, and not repeated: there may be a password in it.
        }
        throw new MeasurementException(String.format(
                Locale.ROOT,
                "%s names no proxy that can be used: write it as http://host:port, or use proxy=none",
                source));
    }

    private static Login login(String userInfo) {
        String[] parts = userInfo.split(":", 2);
        return new Login(decoded(parts[0]), parts.length == 2 ? decoded(parts[1]) : "");
    }

    private static String decoded(String part) {
        return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** {@return such as {@code proxy.example:3128}} */
    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
