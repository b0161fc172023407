package io.github.latencybudget.openai;

import io.github.latencybudget.trace.IoFault;
import io.github.latencybudget.trace.OneLine;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.proxy.ProxyConnectException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Words what goes wrong on the way to a server: with which URL, by which setting, and what to do next. Without keys. */
final class Failures {

    private static final int MOST_CHARACTERS = 300;

    /** What comes before the status in the message of Netty's handler for proxies. */
    private static final String PROXY_STATUS = "status: ";

    private final OpenAiOptions options;
    private final Endpoint endpoint;
    private final String model;
    private final SentText sent;

    Failures(OpenAiOptions options) {
        this(options, options.model(), SentText.NONE);
    }

    private Failures(OpenAiOptions options, String model, SentText sent) {
        this.options = options;
        this.endpoint = options.endpoint();
        this.model = model;
        this.sent = sent;
    }

    /** {@return the same, of a server whose model is known} */
    Failures of(String chosenModel) {
        return new Failures(options, chosenModel, sent);
    }

    /** {@return the same, of a request with what a user wrote, which a server may repeat} */
    Failures without(SentText repeated) {
        return new Failures(options, model, repeated);
    }

    /** {@return why no connection was made} */
    String connecting(Throwable thrown) {
        Throwable cause = unwrapped(thrown);
        if (IoFault.of(cause).filter(fault -> fault == IoFault.TOO_MANY_FILES).isPresent()) {
            return endpoint.address() + ": no connection" + IoFault.because(cause, "");
        }
        if (options.proxy().isPresent()) {
            return cause instanceof Connector.TlsFault
                    ? tls(cause)
                    : throughProxy(cause, options.proxy().get());
        }
        return withoutConnection(cause)
                + options.proxyVariable()
                        .map(name -> String.format(
                                Locale.ROOT,
                                "; the environment names a proxy (%s), which is not used: if the server is reached through it, set the option proxy=env",
                                name))
                        .orElse("");
    }

    private String throughProxy(Throwable cause, Proxy proxy) {
        String which =
                String.format(Locale.ROOT, "%s: the proxy %s (from %s)", endpoint.address(), proxy, proxy.source());
        String message = String.valueOf(cause.getMessage());
        int status = message.indexOf(PROXY_STATUS);
        if (cause instanceof ProxyConnectException && status >= 0) {
            String said = said(message.substring(status + PROXY_STATUS.length()));
            return said.startsWith("407")
                    ? which
                            + String.format(
                                    Locale.ROOT,
                                    " wants a user and password; write them into a variable, as in %s=http://user:password@host:port, and use proxy=env",
                                    endpoint.isTls() ? "HTTPS_PROXY" : "HTTP_PROXY")
                    : which
                            + String.format(
                                    Locale.ROOT,
                                    " does not connect to it (%s); see what it lets through, or measure from where the server can be reached without one",
                                    said);
        }
        return which
                + String.format(
                        Locale.ROOT,
                        " does not answer (%s); start it, correct %s, or use proxy=none to connect without one",
                        whyNoAnswer(cause, message),
                        proxy.source());
    }

    private String whyNoAnswer(Throwable cause, String message) {
        if (cause instanceof UnknownHostException || cause instanceof UnresolvedAddressException) {
            return "its name is not known";
        }
        if (cause instanceof TimeoutException) {
            return "its name was not found within "
                    + seconds(options.deadlines().connectNanos());
        }
        if (cause instanceof ConnectTimeoutException
                || cause instanceof ProxyConnectException && message.endsWith("timeout")) {
            return "nothing within " + seconds(options.deadlines().connectNanos());
        }
        if (cause instanceof ProxyConnectException) {
            return "it is no HTTP proxy, or closed the connection";
        }
        return cause instanceof ConnectException ? "nothing listens there" : said(String.valueOf(cause));
    }

    private String withoutConnection(Throwable cause) {
        String address = endpoint.address();
        if (cause instanceof Connector.TlsFault) {
            return tls(cause);
        }
        if (cause instanceof UnknownHostException || cause instanceof UnresolvedAddressException) {
            return String.format(
                    Locale.ROOT,
                    "%s: the name %s is not known (DNS); correct the host in the endpoint's URL",
                    address,
                    endpoint.host());
        }
        if (cause instanceof TimeoutException) {
            return String.format(
                    Locale.ROOT,
                    "%s: the name %s was not found within %s (DNS); see that this machine's resolver answers, or raise the option connectSeconds",
                    address,
                    endpoint.host(),
                    seconds(options.deadlines().connectNanos()));
        }
        if (cause instanceof ConnectTimeoutException) {
            return String.format(
                    Locale.ROOT,
                    "%s: no connection within %s; see that the server can be reached from here, or raise the option connectSeconds",
                    address,
                    seconds(options.deadlines().connectNanos()));
        }
        if (cause instanceof ConnectException) {
            return String.format(
                    Locale.ROOT,
                    "%s: nothing listens there (%s); start the server, or correct the port in the endpoint's URL",
                    address,
                    said(String.valueOf(cause.getMessage())));
        }
        return String.format(
                Locale.ROOT,
                "%s: no connection (%s); see that the server can be reached from here",
                address,
                said(String.valueOf(cause)));
    }

    private String tls(Throwable cause) {
        String address = endpoint.address();
        for (Throwable t = cause; t != null; t = t.getCause()) {
            if (t instanceof NotSslRecordException) {
                return String.format(
                        Locale.ROOT,
                        "%s: what answers there speaks no TLS; write the endpoint's URL with http://",
                        address);
            }
            if (t instanceof SslHandshakeTimeoutException) {
                return String.format(
                        Locale.ROOT,
                        "%s: the TLS handshake did not end within %s; see that the server speaks TLS there, or raise the option connectSeconds",
                        address,
                        seconds(options.deadlines().connectNanos()));
            }
            if (t instanceof CertificateException) {
                return String.format(
                        Locale.ROOT,
                        "%s: the server's certificate is not trusted (%s); name the PEM file of its authority, or its own, by the option certificates",
                        address,
                        said(String.valueOf(t.getMessage())));
            }
        }
        return String.format(
                Locale.ROOT,
                "%s: the TLS handshake failed (%s); see that the server speaks TLS there, and which certificate it has",
                address,
                said(String.valueOf(cause.getMessage())));
    }

    /** {@return why a request broke after it was connected} */
    String broken(String path, @Nullable Throwable thrown, int chunks) {
        Throwable cause = thrown == null ? null : unwrapped(thrown);
        String url = endpoint.url(path);
        if (cause instanceof NumberFormatException) {
            return String.format(
                    Locale.ROOT,
                    "%s: the answer is not valid HTTP (the size of a chunk is no number) after %d chunks; see what the server or a proxy before it sends",
                    url,
                    chunks);
        }
        if (cause instanceof DecoderException
                || cause instanceof IllegalArgumentException
                || cause instanceof io.netty.handler.codec.http.TooLongHttpLineException) {
            return String.format(
                    Locale.ROOT,
                    "%s: the answer is not valid HTTP (%s) after %d chunks; see what the server or a proxy before it sends",
                    url,
                    said(String.valueOf(cause.getMessage())),
                    chunks);
        }
        return String.format(
                Locale.ROOT,
                "%s: the connection broke after %d chunks (%s); see the server's log for why it ended the request",
                url,
                chunks,
                howBroken(cause));
    }

    /** Each system, and each way to read from it, has words of its own for a reset. */
    private String howBroken(@Nullable Throwable cause) {
        if (cause == null) {
            return "it was closed";
        }
        String message = String.valueOf(cause.getMessage());
        return cause instanceof IOException && message.toLowerCase(Locale.ROOT).contains("reset")
                ? "it was reset"
                : said(message);
    }

    /** {@return what an error's body says} */
    String error(String body) {
        return sent.isOfUser() ? ErrorText.messageOf(body) : ErrorText.of(body);
    }

    /** {@return what a status other than 200 means} */
    String status(String path, int status, String retryAfter, String location, String body, List<String> models) {
        String what = String.format(Locale.ROOT, "%d from %s", status, endpoint.url(path));
        String said = body.isBlank() ? "" : ": " + said(body);
        return switch (status) {
            case 401 -> what + unauthorised() + said;
            case 403 ->
                what
                        + String.format(
                                Locale.ROOT,
                                ", which the key%s may not do; ask for permission to use the model %s, or name another",
                                keySource(),
                                known(model))
                        + said;
            case 404 -> what + notFound(body, models) + said;
            case 429 ->
                what
                        + String.format(
                                Locale.ROOT,
                                ", too many requests%s; nothing was tried again: have fewer in flight, or measure later",
                                retryAfter.isBlank() ? "" : ", which asks to wait " + said(retryAfter) + " s")
                        + said;
            case 400, 422 ->
                what
                        + ", which does not take the request; where it does not know a field, name its kind by the option server"
                        + said;
            default ->
                status >= 300 && status < 400
                        ? what
                                + String.format(
                                        Locale.ROOT,
                                        ", a redirect to %s; it was not followed, so that no key goes there: write the endpoint's URL as where it leads",
                                        location.isBlank() ? "nowhere" : said(location))
                        : what + "; see the server's log" + said;
        };
    }

    private String unauthorised() {
        return options.credentials().keySource().isEmpty()
                ? ", which wants a key; name the variable that holds it by the option keyEnv, or its file by keyFile"
                : String.format(
                        Locale.ROOT,
                        ", which does not take the key%s; see that it is the one for this server",
                        keySource());
    }

    private String keySource() {
        String source = options.credentials().keySource();
        return source.isEmpty() ? "" : " from " + source;
    }

    private String notFound(String body, List<String> models) {
        if (body.contains("model")) {
            return String.format(
                    Locale.ROOT,
                    ", which has no model %s; %s",
                    known(model),
                    models.isEmpty() ? "see which it has" : "there are " + said(String.join(", ", models)));
        }
        return ", where nothing is; see that the endpoint's URL is the base of the API, such as http://host:8000/v1";
    }

    /** {@return what a 200 means that is no stream} */
    String notAStream(String path, String contentType, String body) {
        return String.format(
                Locale.ROOT,
                "%s answered with %s in place of text/event-stream, so there is no time of a first token; see that it streams, and that no proxy before it collects%s",
                endpoint.url(path),
                contentType.isBlank() ? "no content type" : said(contentType),
                // It may be the answer.
                body.isBlank() || sent.isOfUser() ? "" : ": " + said(body));
    }

    /** {@return what is wrong with what the stream holds} */
    String inStream(String path, AnswerFault fault) {
        return String.format(Locale.ROOT, "%s: %s", endpoint.url(path), said(String.valueOf(fault.getMessage())));
    }

    /** {@return that a deadline is over} */
    String late(String path, String what, String option, long nanos, int chunks) {
        return String.format(
                Locale.ROOT,
                "%s: %s within %s, after %d chunks; see why the server is so slow, or raise the option %s",
                endpoint.url(path),
                what,
                seconds(nanos),
                chunks,
                option);
    }

    /** {@return a foreign text, fit to be shown} */
    String said(String text) {
        return OneLine.of(options.credentials().secrets().hide(sent.cutFrom(text)), MOST_CHARACTERS);
    }

    /** {@return a name, which has to stay what it is but for a key in it} */
    String known(String name) {
        return OneLine.of(options.credentials().secrets().hideKnown(name), MOST_CHARACTERS);
    }

    private static String seconds(long nanos) {
        double seconds = nanos / (double) TimeUnit.SECONDS.toNanos(1);
        return seconds == Math.rint(seconds)
                ? String.format(Locale.ROOT, "%d s", (long) seconds)
                : String.format(Locale.ROOT, "%s s", seconds);
    }

    private static Throwable unwrapped(Throwable thrown) {
        return thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
    }
}
