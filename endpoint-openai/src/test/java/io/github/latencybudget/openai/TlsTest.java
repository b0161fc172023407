package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.trace.TokenTrace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class TlsTest {

    @TempDir
    static Path folder;

    private static TestCertificate certificate;

    @BeforeAll
    static void make() throws Exception {
        certificate = TestCertificate.in(folder);
    }

    private static ScriptedServer server() {
        return ScriptedServer.startTls(certificate.certificate(), certificate.key(), new OpenAiScript(0, 0));
    }

    @Test
    void aCertificateThatSignsItselfIsRefusedUnlessItIsNamed() {
        try (ScriptedServer server = server()) {
            assertThatThrownBy(() -> Requests.open(server.url(), Map.of()))
                    .isInstanceOf(MeasurementException.class)
                    .hasMessageStartingWith(server.url() + ": the server's certificate is not trusted (")
                    .hasMessageEndingWith(
                            "); name the PEM file of its authority, or its own, by the option certificates");
            assertThat(server.requests()).isEmpty();

            try (TargetSession session = Requests.open(
                    server.url(),
                    Map.of("certificates", certificate.certificate().getPath()))) {
                TokenTrace trace = Requests.run(session, 8, 4, true, 1);

                assertThat(trace.reason()).isEmpty();
                assertThat(trace.exchange().orElseThrow().tlsNanos()).isPositive();
            }
        }
    }

    @Test
    void aServerWithoutTlsIsNamedAsOne() {
        try (ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0))) {
            String https = server.url().replace("http:", "https:");

            assertThatThrownBy(() -> Requests.open(https, Map.of()))
                    .hasMessage(https + ": what answers there speaks no TLS; write the endpoint's URL with http://");
        }
    }

    @Test
    void requestsOfHttp2ShareAConnection() throws Exception {
        try (Http2Server server = Http2Server.start(certificate, new OpenAiScript(0, 0));
                TargetSession session = Requests.open(
                        server.url(),
                        Map.of("certificates", certificate.certificate().getPath()))) {
            List<TokenTrace> traces =
                    List.of(Requests.run(session, 8, 4, true, 1), Requests.run(session, 8, 4, true, 2));

            assertThat(traces).allSatisfy(t -> {
                assertThat(t.reason()).isEmpty();
                assertThat(t.outputTokens()).isEqualTo(4);
                assertThat(t.exchange().orElseThrow().isReusedConnection()).isTrue();
            });
            assertThat(session.calibrate(1, 1, 0).orElseThrow()).satisfies(client -> {
                assertThat(client.protocol()).isEqualTo("HTTP/1.1");
                assertThat(client.endpointProtocol()).isEqualTo("HTTP/2 over TLS");
            });
            assertThat(server.connections())
                    .as("one that asked, one that measured")
                    .isEqualTo(2);
        }
    }

    /** It takes connections, as the system does for whoever listens, and answers nothing. */
    private static ServerSocket silent() throws IOException {
        return new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    }

    @Test
    void aHandshakeThatDoesNotEndIsWaitedForNoLongerThanAConnection() throws Exception {
        try (ServerSocket silent = silent()) {
            String url = "https://localhost:" + silent.getLocalPort();

            assertThatThrownBy(() -> Requests.open(url, Map.of("connectSeconds", "1")))
                    .isInstanceOf(MeasurementException.class)
                    .hasMessage(
                            "%s: the TLS handshake did not end within 1 s; see that the server speaks TLS there, or raise the option connectSeconds",
                            url);
        }
    }

    @Test
    void aDeadlineBelowAMillisecondIsOneToo() throws Exception {
        try (ServerSocket silent = silent()) {
            String url = "https://127.0.0.1:" + silent.getLocalPort();

            assertThatThrownBy(() -> Requests.open(url, Map.of("connectSeconds", "0.0009")))
                    .as("whichever part of it took that long")
                    .isInstanceOf(MeasurementException.class)
                    .hasMessageContaining("connectSeconds");
        }
    }
}
