package io.github.latencybudget.target.openai;

import io.github.latencybudget.target.MeasurementException;
import java.net.URI;
import java.net.URISyntaxException;

/**
 * Where a server counts its own work.
 *
 * @param server scheme, host and port
 * @param path such as {@code /metrics}
 */
record MetricsAddress(Endpoint server, String path) {

    /** @throws MeasurementException where it is no URL of a page; what may be a password in it is not named */
    static MetricsAddress of(String url) {
        try {
            URI uri = new URI(url.strip());
            String path = uri.getRawPath() == null || uri.getRawPath().length() < 2 ? "/metrics" : uri.getRawPath();
            if (uri.getHost() != null && uri.getRawUserInfo() == null) {
                return new MetricsAddress(Endpoint.of(uri.getScheme() + "://" + uri.getRawAuthority()), path);
            }
        } catch (URISyntaxException e) {
            // Refused as any other value is.
        }
        throw new MeasurementException(
                "option metrics is no URL of a page without a password: write it as http://host:8000/metrics");
    }
}
