package io.github.latencybudget.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.inference.TargetSpec;
import io.github.latencybudget.scripted.OpenAiScript;
import io.github.latencybudget.scripted.ScriptedServer;
import io.github.latencybudget.trace.TokenTrace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ProxyTest {

    /** No name of this machine: whoever reaches it has asked the proxy. */
    private static final String URL = "http://model.invalid:8000";

    private final ScriptedServer server = ScriptedServer.start(new OpenAiScript(0, 0));

    private static Optional<Proxy> proxy(String option, String url, Map<String, String> environment) {
        return OpenAiOptions.of(
                        new TargetSpec("openai:" + url, "cpu", "", 1, new TreeMap<>(Map.of("proxy", option))),
                        name -> Optional.ofNullable(environment.get(name)))
                .proxy();
    }

    @Test
    void requestsGoThroughTheProxyOfTheEnvironment() throws IOException {
        try (server;
                TestProxy proxy = new TestProxy(server.port(), "200 OK")) {
            String variable = proxy.url().replace("//", "//me:canary%40home@");
            try (TargetSession session = Requests.open(URL, Map.of("proxy", "env"), Map.of("http_proxy", variable))) {
                TokenTrace trace = Requests.run(session, 8, 4, true, 1);

                assertThat(trace.reason()).isEmpty();
                assertThat(trace.outputTokens()).isEqualTo(4);
                assertThat(trace.exchange().orElseThrow().connectNanos())
                        .as("several round trips, so no estimate of one")
                        .isNull();
                assertThat(session.description().settings())
                        .containsEntry("proxy", proxy.url().replace("http://", ""));
                assertThat(session.description().toString()).doesNotContain("canary");
            }
            assertThat(proxy.heads())
                    .hasSize(2)
                    .allSatisfy(head -> assertThat(head)
                            .startsWith("CONNECT model.invalid:8000 HTTP/1.1\r\n")
                            // me:canary@home
                            .containsIgnoringCase("proxy-authorization: Basic bWU6Y2FuYXJ5QGhvbWU="));
            assertThat(server.requests())
                    .allSatisfy(r -> assertThat(r.header("proxy-authorization")).isEmpty());
        }
    }

    @Test
    void thePageOfAnotherAddressHasTheProxyThatIsForIt() {
        Map<String, String> environment = Map.of(
                "http_proxy", "proxy:1", "https_proxy", "http://me:canary@secure:2", "no_proxy", "inside.example");
        for (Map.Entry<String, String> page : Map.of(
                        "http://inside.example:8000/metrics", "Optional.empty",
                        "http://elsewhere.example/metrics", "Optional[proxy:1]",
                        "https://elsewhere.example/metrics", "Optional[secure:2]")
                .entrySet()) {
            OpenAiOptions options = OpenAiOptions.of(
                    new TargetSpec(
                            "openai:" + URL,
                            "cpu",
                            "",
                            1,
                            new TreeMap<>(Map.of("proxy", "env", "metrics", page.getKey()))),
                    name -> Optional.ofNullable(environment.get(name)));

            OpenAiOptions ofPage = options.at(options.metrics().orElseThrow());

            assertThat(options.proxy()).hasToString("Optional[proxy:1]");
            assertThat(ofPage.proxy()).hasToString(page.getValue());
            assertThat(new Failures(ofPage).said("canary"))
                    .isEqualTo(page.getKey().startsWith("https") ? "***" : "canary");
        }
    }

    @Test
    void tlsIsSpokenWithTheServerThroughTheTunnel(@TempDir Path folder) throws Exception {
        TestCertificate certificate = TestCertificate.in(folder);
        try (server;
                ScriptedServer tls =
                        ScriptedServer.startTls(certificate.certificate(), certificate.key(), new OpenAiScript(0, 0));
                TestProxy proxy = new TestProxy(tls.port(), "200 OK");
                TargetSession session = Requests.open(
                        tls.url(),
                        Map.of(
                                "proxy",
                                proxy.url(),
                                "certificates",
                                certificate.certificate().getPath()))) {
            assertThat(Requests.run(session, 8, 4, true, 1).reason()).isEmpty();
            assertThat(proxy.heads()).allSatisfy(h -> assertThat(h).startsWith("CONNECT localhost:" + tls.port()));
        }
    }

    @Test
    void withoutTheOptionItIsNotUsedAndAFailureSaysSo() {
        try (server) {
            assertThatThrownBy(() -> Requests.open(
                            "http://localhost:1", Map.of(), Map.of("http_proxy", "http://localhost:3128")))
                    .hasMessageEndingWith(
                            "; the environment names a proxy (http_proxy), which is not used: if the server is reached through it, set the option proxy=env");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            403 Forbidden | 10 | http://model.invalid:8000: the proxy {proxy} (from the variable http_proxy) does not connect to it (403 Forbidden); see what it lets through, or measure from where the server can be reached without one
            407 Proxy Authentication Required | 10 | http://model.invalid:8000: the proxy {proxy} (from the variable http_proxy) wants a user and password; write them into a variable, as in HTTP_PROXY=http://user:password@host:port, and use proxy=env
            '' | 0.3 | http://model.invalid:8000: the proxy {proxy} (from the variable http_proxy) does not answer (nothing within 0.3 s); start it, correct the variable http_proxy, or use proxy=none to connect without one
            """)
    void aProxyThatDoesNotTunnelIsNamed(String answer, String connectSeconds, String message) throws IOException {
        try (server;
                TestProxy proxy = new TestProxy(server.port(), answer)) {
            assertThatThrownBy(() -> Requests.open(
                            URL,
                            Map.of("proxy", "env", "connectSeconds", connectSeconds),
                            Map.of("http_proxy", proxy.url())))
                    .isInstanceOf(MeasurementException.class)
                    .hasMessage(message.replace("{proxy}", proxy.url().replace("http://", "")));
        }
    }

    @Test
    void aProxyThatIsNotThereIsNamedWithItsVariable() throws IOException {
        TestProxy gone = new TestProxy(1, "");
        gone.close();
        String address = gone.url().replace("http://", "");
        try (server) {
            assertThatThrownBy(() -> Requests.open(URL, Map.of("proxy", "env"), Map.of("ALL_PROXY", address)))
                    .hasMessage(
                            "http://model.invalid:8000: the proxy %s (from the variable ALL_PROXY) does not answer (nothing listens there); start it, correct the variable ALL_PROXY, or use proxy=none to connect without one"
                                    .formatted(address));
            assertThatThrownBy(() -> Requests.open(URL, Map.of("proxy", "http://proxy.invalid")))
                    .hasMessage(
                            "http://model.invalid:8000: the proxy proxy.invalid:3128 (from the option proxy) does not answer (its name is not known); start it, correct the option proxy, or use proxy=none to connect without one");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "model.example | http://model.example:8000 | true",
                "other, .example | http://model.example | true",
                "*.example | http://model.example | true",
                "example:8000 | http://model.example:8000 | true",
                "example:8001 | http://model.example:8000 | false",
                "ample | http://model.example | false",
                "* | http://model.example | true",
                "'' | http://model.example | false",
            })
    void whatTheEnvironmentLeavesOutIsReachedWithoutAProxy(String leftOut, String url, boolean isLeftOut) {
        try (server) {
            Map<String, String> environment = new HashMap<>(Map.of("http_proxy", "p:1", "NO_PROXY", leftOut));

            assertThat(proxy("env", url, environment).isEmpty()).isEqualTo(isLeftOut);
        }
    }

    @Test
    void eachSchemeHasItsVariable() {
        try (server) {
            Map<String, String> environment =
                    Map.of("HTTPS_PROXY", "http://a:1", "HTTP_PROXY", "http://b:2", "ALL_PROXY", "http://c:3");

            assertThat(proxy("env", "https://host", environment)).get().hasToString("a:1");
            assertThat(proxy("env", "http://host", environment)).get().hasToString("b:2");
            assertThat(proxy("env", "http://host", Map.of("ALL_PROXY", "[::1]:4")))
                    .get()
                    .hasToString("[::1]:4");
            assertThat(proxy("env", "http://host", Map.of())).isEmpty();
            assertThat(proxy("none", "http://host", environment)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"socks5://canary:1", "https://canary", "http://", "::canary::"})
    void whatIsNoProxyIsRefusedAndNotRepeated(String value) {
        try (server) {
            assertThatThrownBy(() -> proxy("env", "http://host", Map.of("HTTP_PROXY", value)))
                    .isInstanceOf(MeasurementException.class)
                    .hasMessage(
                            "the variable HTTP_PROXY names no proxy that can be used: write it as http://host:port, or use proxy=none");
        }
    }

    @Test
    void aPasswordIsNoOption() {
        try (server) {
            assertThatThrownBy(() -> proxy("http://me:canary@proxy:1", "https://host", Map.of()))
                    .hasMessage(
                            "option proxy has a user or password in it: set the variable HTTPS_PROXY to it, and use proxy=env");
        }
    }
}
