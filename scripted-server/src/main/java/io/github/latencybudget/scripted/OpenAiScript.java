package io.github.latencybudget.scripted;

import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apiguardian.api.API;

/**
 * Answers as a server with OpenAI's API and the model {@code scripted}, which takes each word for a token and BOS before them. Each
 * of as many tokens as are asked for has an event of its own.
 *
 * @param ttftNanos when the first token is sent, from the request's arrival on
 * @param itlNanos from one token to the next
 * @param cachedTokens how many tokens of each prompt the server says that it had; empty to say nothing
 * @param fault what goes wrong; empty for nothing
 * @param faultFrom the first request that it may go wrong with, from 0, of all that the server is sent; only streams do
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record OpenAiScript(
        long ttftNanos, long itlNanos, OptionalInt cachedTokens, Optional<Fault> fault, int faultFrom)
        implements Function<ServedRequest, Answer> {

    private static final Pattern MAX_TOKENS = Pattern.compile("\"max_(?:completion_)?tokens\"\\s*:\\s*(\\d{1,6})");
    private static final Pattern PROMPT = Pattern.compile("\"(?:content|prompt)\"\\s*:\\s*\"([^\"]*)\"");
    private static final Pattern STREAM = Pattern.compile("\"stream\"\\s*:\\s*true");

    /** A script without faults. */
    public OpenAiScript(long ttftNanos, long itlNanos) {
        this(ttftNanos, itlNanos, OptionalInt.empty(), Optional.empty(), 0);
    }

    /** {@return the same with a fault in all streams from a request on} */
    public OpenAiScript failing(Fault with, int from) {
        return new OpenAiScript(ttftNanos, itlNanos, cachedTokens, Optional.of(with), from);
    }

    /** {@return the same, where the server says that so many tokens of each prompt were cached} */
    public OpenAiScript caching(int tokens) {
        return new OpenAiScript(ttftNanos, itlNanos, OptionalInt.of(tokens), fault, faultFrom);
    }

    @Override
    public Answer apply(ServedRequest request) {
        if (request.method().equals("GET")) {
            return request.path().endsWith("/models")
                    ? Answer.of(200, "application/json", "{\"data\":[{\"id\":\"scripted\",\"owned_by\":\"scripted\"}]}")
                    : Answer.of(404, "application/json", "{\"detail\":\"Not Found\"}");
        }
        boolean isChat = request.path().endsWith("/chat/completions");
        if (!isChat && !request.path().endsWith("/completions")) {
            return Answer.of(404, "application/json", "{\"detail\":\"Not Found\"}");
        }
        int tokens = Integer.parseInt(first(MAX_TOKENS, request.body()).orElse("16"));
        if (!STREAM.matcher(request.body()).find()) {
            return Answer.of(
                    200,
                    "application/json",
                    String.format(Locale.ROOT, "{\"choices\":[{\"index\":0}],%s}", usage(request, tokens)));
        }
        Answer answer = stream(request, isChat, tokens);
        return fault.isPresent() && request.number() >= faultFrom ? fault.get().in(answer, request) : answer;
    }

    private Answer stream(ServedRequest request, boolean isChat, int tokens) {
        Answer answer = Answer.stream();
        java.util.List<Answer.Write> writes = new java.util.ArrayList<>();
        // All but the last are the same bytes: many requests that come together must not wait while their answers are
        // made.
        byte[] more = event(isChat, "null");
        byte[] last = event(isChat, "\"length\"");
        for (int i = 0; i < tokens; i++) {
            writes.add(new Answer.Write(ttftNanos + i * itlNanos, i == tokens - 1 ? last : more));
        }
        String end = String.format(
                Locale.ROOT, "data: {\"id\":\"c\",\"choices\":[],%s}\n\ndata: [DONE]\n\n", usage(request, tokens));
        writes.add(new Answer.Write(
                ttftNanos + Math.max(0, tokens - 1) * itlNanos, end.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        return new Answer(answer.status(), answer.headers(), writes, answer.end(), answer.framing());
    }

    private static byte[] event(boolean isChat, String finishReason) {
        String event = isChat
                ? "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" w\"},\"finish_reason\":%s}]}\n\n"
                : "data: {\"id\":\"c\",\"object\":\"text_completion\",\"choices\":[{\"index\":0,\"text\":\" w\",\"finish_reason\":%s}]}\n\n";
        return String.format(Locale.ROOT, event, finishReason).getBytes(java.nio.charset.StandardCharsets.UTF_8);
    }

    private String usage(ServedRequest request, int tokens) {
        // All messages of a conversation.
        String prompt = PROMPT.matcher(request.body())
                .results()
                .map(r -> r.group(1).strip())
                .collect(Collectors.joining(" "));
        int promptTokens = 1 + (prompt.isBlank() ? 0 : prompt.strip().split(" ").length);
        String cached = cachedTokens.isPresent()
                ? String.format(
                        Locale.ROOT, ",\"prompt_tokens_details\":{\"cached_tokens\":%d}", cachedTokens.getAsInt())
                : "";
        return String.format(
                Locale.ROOT,
                "\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d%s}",
                promptTokens,
                tokens,
                cached);
    }

    private static Optional<String> first(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
    }
}
