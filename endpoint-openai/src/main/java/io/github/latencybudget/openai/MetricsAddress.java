package io.github.latencybudget.openai;

import io.github.latencybudget.inference.MeasurementException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import java.util.function.Function;

/**
 * Where a server counts its own work.
 *
 * @param server scheme, host and port
 * @param path such as {@code /metrics}
 * @param proxy what connections to it are tunnelled through; empty for none
 * @param proxyVariable the environment variable that names a proxy for it; empty for none
 */
record MetricsAddress(Endpoint server, String path, Optional<Proxy> proxy, Optional<String> proxyVariable) {

    /** @throws MeasurementException where it is no URL of a page; what may be a password or key in it is not named */
    static Optional<MetricsAddress> of(OptionValues values, Function<String, Optional<String>> environment) {
        return values.get("metrics").map(url -> of(url, values, environment));
    }

    private static MetricsAddress of(String url, OptionValues values, Function<String, Optional<String>> environment) {
        try {
            URI uri = new URI(url.strip());
            String path = uri.getRawPath() == null || uri.getRawPath().length() < 2 ? "/metrics" : uri.getRawPath();
            if (uri.getHost() != null
                    && uri.getRawUserInfo() == null
                    && uri.getRawQuery() == null
                    && uri.getRawFragment() == null
                    && Endpoint.isPath(path)) {
                Endpoint server = Endpoint.of(uri.getScheme() + "://" + uri.getRawAuthority());
                return new MetricsAddress(
                        server, path, Proxy.of(values, server, environment), Proxy.variable(server, environment));
            }
        } catch (URISyntaxException e) {
            // Refused as any other value is.
        }
        throw new MeasurementException(
                "option metrics is no URL of a page without a password or query: write it as http://host:8000/metrics");
    }
}
