package io.github.latencybudget.llama;

import io.github.latencybudget.inference.GenerationRequest;
import io.github.latencybudget.inference.MeasurementException;
import java.util.Optional;

/** How the outputs of one model end, and its tokenizer, which is loaded with the first request that has a stop string or a text. */
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
        LlamaTokenizer loaded = tokenizer(
                "stop strings need the model's tokenizer, and there is no tokenizer.json: ask for none, or use a model that has one");
        StopStrings stop = new StopStrings(loaded, request.stopStrings(), prompt);
        return new StopCondition(request.outputTokens(), request.ignoreEos(), eos.ids(), stop::start);
    }

    /** {@return the ids of texts} They are asked for by whoever sends texts, and only then the tokenizer is loaded. */
    TextIds texts(int bos) {
        return new TextIds(
                () -> tokenizer(
                        "a text has to be turned into the model's tokens, and there is no tokenizer.json: use prompts of token counts, or a model that has one"),
                bos,
                eos.ids().isEmpty() ? -1 : eos.ids().first());
    }

    private synchronized LlamaTokenizer tokenizer(String ifAbsent) {
        if (tokenizer.isEmpty()) {
            tokenizer = Optional.of(
                    file.orElseThrow(() -> new MeasurementException(ifAbsent)).load());
        }
        return tokenizer.get();
    }

    @Override
    public synchronized void close() {
        tokenizer.ifPresent(LlamaTokenizer::close);
        tokenizer = Optional.empty();
    }
}
