package io.github.latencybudget.openai;

import io.github.latencybudget.inference.Conversation;
import io.github.latencybudget.inference.Generation;
import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.MeasurementException;
import io.github.latencybudget.inference.Message;
import io.github.latencybudget.inference.TargetDescription;
import io.github.latencybudget.inference.TargetSession;
import io.github.latencybudget.openai.OpenAiOptions.PrefixCacheMode;
import io.github.latencybudget.trace.ClientCalibration;
import io.github.latencybudget.trace.NanoClock;
import io.github.latencybudget.trace.ServerMetrics;
import io.netty.handler.codec.http.HttpMethod;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/** A server that was asked who it is. All its connections are read by one thread. */
final class OpenAiSession implements TargetSession {

    /** Of what the thread that reads can have; how many the server can is for it to say. */
    private static final int MOST_IN_FLIGHT = 10_000;

    private final OpenAiOptions options;
    private final NanoClock clock;
    private final EventLoop loop;
    private final Connections connections;
    private final Failures failures;
    private final Http http;
    private final ServerFacts facts;
    private final RequestBody body;
    private final PromptWords prompts;
    private final Optional<Tokenizer> tokenizer;
    private final OpenAiGeneration.Reading reading;
    private final TargetDescription description;
    private final ClientCalibrator calibrator;
    private final Optional<ServerPage> page;

    private OpenAiSession(
            OpenAiOptions options,
            NanoClock clock,
            EventLoop loop,
            Connections connections,
            Optional<Tokenizer> tokenizer)
            throws InterruptedException {
        this.options = options;
        this.clock = clock;
        this.loop = loop;
        this.connections = connections;
        this.tokenizer = tokenizer;
        Failures asking = new Failures(options);
        this.facts = ServerFacts.ask(new Http(options, connections, asking), options, asking);
        // So that the connect times of the measured requests are the network's.
        connections.closeIdle();
        this.failures = asking.of(facts.model());
        this.http = new Http(options, connections, failures);
        this.body = new RequestBody(options, facts.kind(), facts.model());
        PromptCounter counter = new PromptCounter(http, options, body, facts, failures, tokenizer);
        // A server outlives a run, and what it was asked before is in its cache.
        this.prompts = new PromptWords(
                counter,
                options.cache() == PrefixCacheMode.WARM
                        ? options.seed()
                        : ThreadLocalRandom.current().nextLong());
        this.reading = new OpenAiGeneration.Reading(
                facts.kind(),
                tokenizer,
                options.cache() != PrefixCacheMode.UNCHECKED,
                connections::giveBack,
                connections::lease);
        this.description = describe();
        this.page = options.metrics().isPresent()
                ? Optional.of(ServerPage.open(options, options.metrics().get(), loop, clock))
                : Optional.empty();
        this.calibrator = new ClientCalibrator(new CalibrationStreams(loop, clock, failures));
    }

    static OpenAiSession open(OpenAiOptions options, NanoClock clock) throws InterruptedException {
        Optional<Tokenizer> tokenizer = options.tokenizer().map(Tokenizer::open);
        EventLoop loop = EventLoop.start();
        try {
            Connector connector = new Connector(
                    loop,
                    options.endpoint(),
                    options.proxy(),
                    TlsContext.of(options),
                    clock,
                    options.deadlines().connectNanos());
            return new OpenAiSession(options, clock, loop, new Connections(connector::connect), tokenizer);
        } catch (RuntimeException | InterruptedException | Error e) {
            loop.close();
            tokenizer.ifPresent(Tokenizer::close);
            throw e;
        }
    }

    private TargetDescription describe() {
        SortedMap<String, String> settings = new TreeMap<>();
        settings.put("api", options.isChat() ? "chat completions" : "completions");
        settings.put("prefix cache", options.cache().name().toLowerCase(Locale.ROOT));
        if (!options.isStreamed()) {
            settings.put("stream", "off");
        }
        options.proxy().ifPresent(proxy -> settings.put("proxy", proxy.toString()));
        options.body().forEach((name, value) -> settings.put("body " + failures.known(name), failures.said(value)));
        SortedMap<String, String> details = new TreeMap<>();
        details.put("endpoint", options.endpoint().toString());
        details.put("server kind", facts.kind() + (options.kind().isPresent() ? ", as set" : ", as found"));
        details.put("client", "Netty over " + loop.name());
        return new TargetDescription(
                failures.known(facts.model()),
                "served",
                options.dtype().isEmpty() ? "as served" : failures.known(options.dtype()),
                options.hardware().isEmpty()
                        ? "behind " + options.endpoint().authority()
                        : failures.known(options.hardware()),
                options.endpoint().authority(),
                facts.contextTokens(),
                settings,
                details);
    }

    @Override
    public TargetDescription description() {
        return description;
    }

    @Override
    public Generation prepare(GenerationRequest request) {
        try {
            String prompt = promptToSend(request.promptTokens(), request.promptNumber());
            return generation(request, body.measured(request, prompt), tokenizer.isPresent(), failures, answer -> {});
        } catch (Http.Failure e) {
            throw new MeasurementException(String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    @Override
    public Optional<String> promptText(GenerationRequest request) {
        try {
            return Optional.of(prompt(request.promptTokens(), request.promptNumber()));
        } catch (Http.Failure e) {
            throw new MeasurementException(String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    @Override
    public void renewPrompts() {
        if (options.cache() != PrefixCacheMode.WARM) {
            prompts.renew();
        }
    }

    private String promptToSend(int tokens, long number) throws Http.Failure, InterruptedException {
        String prompt = prompt(tokens, number);
        if (options.cache() != PrefixCacheMode.WARM) {
            prompts.sent(tokens, number);
        }
        return prompt;
    }

    private String prompt(int tokens, long number) throws Http.Failure, InterruptedException {
        return prompts.prompt(tokens, options.cache() == PrefixCacheMode.WARM ? 0 : number);
    }

    @Override
    public Conversation converse() {
        return new OpenAiConversation(this::generation, this::promptToSend);
    }

    private Generation generation(
            GenerationRequest request, List<Message> messages, Consumer<Optional<String>> answered) {
        SentText sent = new SentText(messages.stream().map(Message::text).toList());
        return generation(request, body.measured(request, messages), true, failures.without(sent), answered);
    }

    private Generation generation(
            GenerationRequest request,
            byte[] content,
            boolean keepsText,
            Failures wording,
            Consumer<Optional<String>> answered) {
        String path = options.endpoint().pathOf(options.isChat() ? "/chat/completions" : "/completions");
        StreamedAnswer answer = new StreamedAnswer(request.outputTokens() + 1, keepsText);
        return new OpenAiGeneration(
                request,
                http.request(HttpMethod.POST, path, content, accepted()),
                reading.another().get(),
                answer,
                new Call(path, answer, clock, deadlines(), wording, facts.models()),
                reading,
                answered);
    }

    private MeasurementException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new MeasurementException(
                String.format(Locale.ROOT, "interrupted while a request to %s was prepared", options.endpoint()), e);
    }

    private String accepted() {
        return options.isStreamed() ? "text/event-stream" : "application/json";
    }

    /** Of an answer that is not streamed nothing comes before its end. */
    private Deadlines deadlines() {
        Deadlines set = options.deadlines();
        return options.isStreamed()
                ? set
                : new Deadlines(set.connectNanos(), set.requestNanos(), set.requestNanos(), set.requestNanos());
    }

    @Override
    public OptionalLong deviceMemoryBytes() {
        return OptionalLong.empty();
    }

    @Override
    public NanoClock clock() {
        return clock;
    }

    @Override
    public int maxConcurrency() {
        return MOST_IN_FLIGHT;
    }

    @Override
    public boolean isEventDriven() {
        return true;
    }

    @Override
    public Optional<ClientCalibration> calibrate(int streams, double eventsPerSecond, long mostErrorNanos) {
        try {
            String protocol = connections.protocol() + (options.endpoint().isTls() ? " over TLS" : "");
            return Optional.of(calibrator
                    .calibrate(streams, eventsPerSecond, mostErrorNanos)
                    .over(CalibrationStreams.PROTOCOL, protocol));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MeasurementException("interrupted while the client was calibrated", e);
        }
    }

    @Override
    public Optional<ServerMetrics> serverMetrics() {
        try {
            return page.isPresent() ? Optional.of(page.get().read()) : Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MeasurementException("interrupted while the server's own counts were read", e);
        }
    }

    @Override
    public void close() {
        loop.close();
        tokenizer.ifPresent(Tokenizer::close);
    }
}
