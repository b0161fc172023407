package io.github.latencybudget.openai;

import io.github.latencybudget.inference.MeasurementException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Where a server is.
 *
 * @param isTls whether over TLS
 * @param host its name or address; one of IPv6 without brackets
 * @param port its port
 * @param path what every path begins with, such as {@code /v1}; without a slash at the end
 */
record Endpoint(boolean isTls, String host, int port, String path) {

    private static final Pattern VERSION = Pattern.compile("v\\d+[a-z0-9]*");
    private static final Pattern CALL = Pattern.compile("/(chat/)?completions$");

    /**
     * {@return the endpoint of a base URL, with or without a slash at its end, {@code /v1}, or the path of a call}
     *
     * @throws MeasurementException where it is no such URL; what may be a password in it is not named
     */
    static Endpoint of(String url) {
        URI uri;
        try {
            uri = new URI(url.strip());
        } catch (URISyntaxException e) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "the endpoint's URL is none (at character %d): write it as http://host:8000/v1",
                    e.getIndex()));
        }
        String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
        if (!scheme.equals("http") && !scheme.equals("https") || uri.getHost() == null) {
            throw new MeasurementException(
                    "the endpoint's URL begins with neither http:// nor https:// and a host: write it as http://host:8000/v1");
        }
        if (uri.getRawUserInfo() != null) {
            throw new MeasurementException(String.format(
                    Locale.ROOT,
                    "the endpoint's URL %s://...@%s has a user or password in it: name the variable that holds the key by the option keyEnv, or its file by keyFile",
                    scheme,
                    uri.getHost()));
        }
        if (uri.getRawFragment() != null || !isPath(uri.getRawPath())) {
            throw new MeasurementException(
                    "the endpoint's URL has #, ;, & or = behind its path, where an option may be meant: write options after a ?, as in http://host:8000/v1?model=name");
        }
        boolean isTls = scheme.equals("https");
        String host = uri.getHost().replace("[", "").replace("]", "");
        return new Endpoint(isTls, host, uri.getPort() > 0 ? uri.getPort() : isTls ? 443 : 80, path(uri.getRawPath()));
    }

    /** {@return whether nothing that was meant for an option, and may be a key, is in a path} Paths are named in messages. */
    static boolean isPath(String path) {
        return path.chars().noneMatch(c -> ";&=".indexOf(c) >= 0);
    }

    private static String path(String written) {
        String path = CALL.matcher(withoutSlash(written.replaceAll("/+", "/"))).replaceFirst("");
        for (String segment : path.split("/")) {
            if (VERSION.matcher(segment).matches()) {
                return path;
            }
        }
        return path + "/v1";
    }

    private static String withoutSlash(String path) {
        return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    /** {@return the path of a call below the base, such as {@code /v1/chat/completions}} */
    String pathOf(String call) {
        return path + call;
    }

    /** {@return the URL of a path, for messages and records} */
    String url(String ofPath) {
        return address() + ofPath;
    }

    /** {@return scheme, host and port} */
    String address() {
        return (isTls ? "https://" : "http://") + authority();
    }

    /** {@return what the header {@code Host} says} */
    String authority() {
        String name = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return port == (isTls ? 443 : 80) ? name : name + ":" + port;
    }

    @Override
    public String toString() {
        return url(path);
    }
}
