package io.github.latencybudget.openai;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.github.latencybudget.inference.MeasurementException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What a server says of itself before anything is measured.
 *
 * @param kind which program it is, as set or as found
 * @param model the name of the model that is asked for
 * @param models all that it has; empty where it does not say
 * @param contextTokens how many tokens prompt and output may have; 0 where it does not say
 */
record ServerFacts(ServerKind kind, String model, List<String> models, int contextTokens) {

    private static final int OK = 200;
    private static final int MOST_SHOWN = 20;

    /** @throws MeasurementException where it cannot be reached, refuses the key, or has not the model */
    static ServerFacts ask(Http http, OpenAiOptions options, Failures failures) throws InterruptedException {
        String path = options.endpoint().pathOf("/models");
        Http.Answer answer;
        try {
            answer = http.get(path);
        } catch (Http.Failure e) {
            throw new MeasurementException(String.valueOf(e.getMessage()), e);
        }
        if (answer.status() == 401 || answer.status() == 403 || answer.status() >= 300 && answer.status() < 400) {
            throw new MeasurementException(
                    failures.status(path, answer.status(), "", "", ErrorText.of(answer.body()), List.of()));
        }
        List<JsonNode> listed = answer.status() == OK ? listed(answer.body()) : List.of();
        List<String> names = listed.stream()
                .map(m -> ApiJson.text(m.path("id"), ""))
                .filter(n -> !n.isEmpty())
                .toList();
        String model = model(options, failures, path, names, answer.status());
        JsonNode chosen = listed.stream()
                .filter(m -> ApiJson.text(m.path("id"), "").equals(model))
                .findFirst()
                .orElse(listed.isEmpty() ? MissingNode.getInstance() : listed.get(0));
        ServerKind kind = options.kind()
                .orElseGet(() -> ServerKind.detect(ApiJson.text(chosen.path("owned_by"), ""), answer.server()));
        int context = Optional.of(chosen.path("max_model_len").asInt(0))
                .filter(n -> n > 0)
                .orElse(chosen.path("meta").path("n_ctx").asInt(0));
        return new ServerFacts(kind, model, names, context);
    }

    private static List<JsonNode> listed(String body) {
        try {
            List<JsonNode> models = new ArrayList<>();
            ApiJson.read(body).path("data").forEach(models::add);
            return models;
        } catch (JacksonException e) {
            return List.of();
        }
    }

    private static String model(OpenAiOptions options, Failures failures, String path, List<String> names, int status) {
        String url = options.endpoint().url(path);
        if (!options.model().isEmpty()) {
            // A gateway may serve more than it lists, and a base model by other names; what it refuses shows with the
            // first request.
            return options.model();
        }
        if (names.size() == 1) {
            return names.get(0);
        }
        String shown = failures.said(String.join(", ", names.subList(0, Math.min(names.size(), MOST_SHOWN))));
        throw new MeasurementException(
                names.isEmpty()
                        ? String.format(
                                Locale.ROOT,
                                "%s does not say which models there are (status %d): see that the endpoint's URL is the base of the API, such as http://host:8000/v1, and name the model, as in openai:http://host:8000/v1?model=name",
                                url,
                                status)
                        : String.format(
                                Locale.ROOT,
                                "%s lists %d models: name one, as in openai:%s?model=%s; there are %s",
                                url,
                                names.size(),
                                options.endpoint(),
                                failures.said(names.get(0)),
                                shown));
    }
}
