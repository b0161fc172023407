package io.github.latencybudget.llama;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;

/**
 * Turns text into a model's ids and back.
 *
 * @param tokenizer closed with this
 */
record LlamaTokenizer(HuggingFaceTokenizer tokenizer) implements AutoCloseable {

    /** {@return the ids of a text, with those that the tokenizer itself puts around it, such as BOS} */
    long[] encode(String text) {
        return tokenizer.encode(text).getIds();
    }

    /** {@return the ids of a text within a prompt, without any around it} */
    long[] encodeWithin(String text) {
        return tokenizer.encode(text, false, false).getIds();
    }

    /** {@return the text of some ids, without the special ones} */
    String decode(long[] ids) {
        return tokenizer.decode(ids, true);
    }

    @Override
    public void close() {
        tokenizer.close();
    }
}
