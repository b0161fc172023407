package io.github.latencybudget.openai;

import io.github.latencybudget.inference.MeasurementException;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.SSLException;

/** TLS by the JDK: it checks the certificate and the host's name. */
final class TlsContext {

    private TlsContext() {}

    /** {@return what an endpoint's connections are encrypted with; empty for one over plain HTTP} */
    static Optional<SslContext> of(OpenAiOptions options) {
        if (!options.endpoint().isTls()) {
            return Optional.empty();
        }
        try {
            SslContextBuilder builder =
                    SslContextBuilder.forClient().sslProvider(SslProvider.JDK).endpointIdentificationAlgorithm("HTTPS");
            options.certificates().ifPresent(file -> builder.trustManager(file.toFile()));
            if (options.http2()) {
                builder.ciphers(Http2SecurityUtil.CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
                        .applicationProtocolConfig(new ApplicationProtocolConfig(
                                Protocol.ALPN,
                                SelectorFailureBehavior.NO_ADVERTISE,
                                SelectedListenerFailureBehavior.ACCEPT,
                                ApplicationProtocolNames.HTTP_2,
                                ApplicationProtocolNames.HTTP_1_1));
            }
            return Optional.of(builder.build());
        } catch (SSLException | IllegalArgumentException e) {
            throw new MeasurementException(
                    String.format(
                            Locale.ROOT,
                            "option certificates%s holds no certificate that can be read (%s): name a PEM file",
                            options.certificates().map(f -> " = " + f).orElse(""),
                            e.getMessage()),
                    e);
        }
    }
}
