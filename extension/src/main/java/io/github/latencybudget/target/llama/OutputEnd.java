package io.github.latencybudget.target.llama;

import io.github.latencybudget.target.GenerationRequest;
import io.github.latencybudget.target.MeasurementException;
import java.util.Optional;

/** How the outputs of one model end. The tokenizer is loaded with the first request that has a stop string. */
final class OutputEnd implements AutoCloseable {

    private final EosIds eos;
    private final Optional<TokenizerFile> file;
    private Optional<LlamaTokenizer> tokenizer = Optional.empty();

    OutputEnd(EosIds eos, Optional<TokenizerFile> file) {
        this.eos = eos;
        this.file = file;
    }

    /** @throws MeasurementException where there are stop strings, and no tokenizer to find them with */
    synchronized StopCondition of(GenerationRequest request, long[] prompt) {
        if (request.stopStrings().isEmpty()) {
            return new StopCondition(request.outputTokens(), request.ignoreEos(), eos.ids());
        }
        if (tokenizer.isEmpty()) {
            tokenizer = Optional.of(file.orElseThrow(
                            () -> new MeasurementException(
                                    "stop strings need the model's tokenizer, and there is no tokenizer.json: ask for none, or use a model that has one"))
                    .load());
        }
        StopStrings stop = new StopStrings(tokenizer.get(), request.stopStrings(), prompt);
        return new StopCondition(request.outputTokens(), request.ignoreEos(), eos.ids(), stop::start);
    }

    @Override
    public synchronized void close() {
        tokenizer.ifPresent(LlamaTokenizer::close);
        tokenizer = Optional.empty();
    }
}
