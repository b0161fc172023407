package io.github.latencybudget.openai;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.trace.NanoClock;
import io.github.latencybudget.trace.ServerMetrics;
import java.util.Locale;

/** The page on which a server counts its own work for Prometheus. */
final class ServerPage {

    private static final int OK = 200;

    private final OpenAiOptions options;
    private final String path;
    private final Http http;

    /** @param options with the page's own server for an endpoint */
    private ServerPage(OpenAiOptions options, String path, Http http) {
        this.options = options;
        this.path = path;
        this.http = http;
    }

    /**
     * {@return the page that the option {@code metrics} names}
     *
     * @throws MeasurementException where it is not there, or is another one
     */
    static ServerPage open(OpenAiOptions of, MetricsAddress address, EventLoop loop, NanoClock clock)
            throws InterruptedException {
        OpenAiOptions options = of.at(address);
        Connector connector = new Connector(
                loop,
                options.endpoint(),
                options.proxy(),
                TlsContext.of(options),
                clock,
                options.deadlines().connectNanos());
        ServerPage page = new ServerPage(
                options, address.path(), new Http(options, new Connections(connector::connect), new Failures(options)));
        page.read();
        return page;
    }

    /** @throws MeasurementException where it cannot be read */
    ServerMetrics read() throws InterruptedException {
        String url = options.endpoint().url(path);
        try {
            Http.Answer answer = http.get(path);
            if (answer.status() != OK) {
                throw new MeasurementException(String.format(
                        Locale.ROOT,
                        "%d from %s, which the option metrics names; correct it to where the server counts its requests for Prometheus, or leave it out",
                        answer.status(),
                        url));
            }
            if (!PrometheusText.isSuch(answer.body())) {
                throw new MeasurementException(String.format(
                        Locale.ROOT,
                        "%s, which the option metrics names, is no page for Prometheus; correct it to where the server counts its requests, or leave it out",
                        url));
            }
            return PrometheusText.read(answer.body(), url);
        } catch (Http.Failure e) {
            throw new MeasurementException(
                    String.format(Locale.ROOT, "%s; that is what the option metrics names", e.getMessage()), e);
        }
    }
}
