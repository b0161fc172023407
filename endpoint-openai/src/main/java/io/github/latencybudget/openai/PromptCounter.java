package io.github.latencybudget.openai;

import com.fasterxml.jackson.core.JacksonException;
import io.github.latencybudget.inference.MeasurementException;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Counts the tokens of prompts before they are measured: by the model's tokenizer where it is given and all of the prompt is known,
 * else by a request for one token, whose usage says it with all that the server adds. A server that tokenises without generating is
 * asked that instead, once the two have agreed.
 */
final class PromptCounter implements PromptWords.TokenCounter {

    private static final int OK = 200;

    private final Http http;
    private final OpenAiOptions options;
    private final RequestBody body;
    private final ServerFacts facts;
    private final Failures failures;
    private final Optional<Tokenizer> tokenizer;
    private final ServerTokenizer serverTokenizer;
    private boolean haveAgreed;
    private OptionalInt addedByServer = OptionalInt.empty();

    PromptCounter(
            Http http,
            OpenAiOptions options,
            RequestBody body,
            ServerFacts facts,
            Failures failures,
            Optional<Tokenizer> tokenizer) {
        this.http = http;
        this.options = options;
        this.body = body;
        this.facts = facts;
        this.failures = failures;
        this.tokenizer = tokenizer;
        this.serverTokenizer = new ServerTokenizer(http, options, facts);
    }

    @Override
    public int count(String prompt) throws Http.Failure, InterruptedException {
        if (tokenizer.isEmpty()) {
            return byTokenizeOrServer(prompt).orElseThrow(this::doesNotCount);
        }
        int counted = tokenizer.get().count(prompt, !options.isChat());
        if (addedByServer.isEmpty()) {
            OptionalInt all = byServer(prompt);
            if (all.isEmpty() && options.isChat()) {
                throw doesNotCount();
            }
            addedByServer = OptionalInt.of(all.orElse(counted) - counted);
        }
        return counted + addedByServer.getAsInt();
    }

    /** What a template has before a message decides how its first word is cut, and only the server knows it. */
    @Override
    public int countInPlace(String prompt) throws Http.Failure, InterruptedException {
        return tokenizer.isPresent() && options.isChat()
                ? byServer(prompt).orElseThrow(this::doesNotCount)
                : count(prompt);
    }

    private OptionalInt byTokenizeOrServer(String prompt) throws Http.Failure, InterruptedException {
        OptionalInt tokenised = serverTokenizer.count(prompt);
        if (tokenised.isEmpty()) {
            return byServer(prompt);
        }
        if (haveAgreed) {
            return tokenised;
        }
        OptionalInt used = byServer(prompt);
        haveAgreed = used.isEmpty() || used.equals(tokenised);
        if (!haveAgreed) {
            // What is measured is checked by usage, so that has the last word.
            serverTokenizer.distrust();
        }
        return haveAgreed ? tokenised : used;
    }

    private MeasurementException doesNotCount() {
        return new MeasurementException(String.format(
                Locale.ROOT,
                "%s does not count the tokens of a prompt (no usage.prompt_tokens), so no limit could be bound to a prompt length: %s",
                options.endpoint(),
                options.isChat()
                        ? "call its completions with the options api=completions and tokenizer, the model's tokenizer.json"
                        : "name the model's tokenizer.json by the option tokenizer"));
    }

    private OptionalInt byServer(String prompt) throws Http.Failure, InterruptedException {
        String path = options.endpoint().pathOf(options.isChat() ? "/chat/completions" : "/completions");
        Http.Answer answer = http.post(path, body.counting(prompt));
        if (answer.status() != OK) {
            throw new Http.Failure(
                    failures.status(path, answer.status(), "", "", ErrorText.of(answer.body()), facts.models()));
        }
        try {
            int tokens = ApiJson.read(answer.body()).at("/usage/prompt_tokens").asInt(0);
            return tokens > 0 ? OptionalInt.of(tokens) : OptionalInt.empty();
        } catch (JacksonException e) {
            throw new Http.Failure(String.format(
                    Locale.ROOT,
                    "%s: the answer is not JSON (%s); is this an OpenAI-compatible API?",
                    options.endpoint().url(path),
                    failures.said(answer.body())));
        }
    }
}
