package io.github.latencybudget.llama;

import io.github.latencybudget.inference.Message;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/**
 * The ids of texts and of messages, in the template of Llama 2's chat models: a user's message in {@code [INST]}, what the system
 * says before the first of them, and each answer between it and the end-of-sequence id.
 *
 * @param tokenizer asked for with the first text, for it takes a while to load
 * @param bos the id that begins a prompt
 * @param eos the id that ends an answer; negative where the model has none
 */
record TextIds(Supplier<LlamaTokenizer> tokenizer, long bos, long eos) {

    /** {@return the ids of a text that begins a prompt} */
    long[] first(String text) {
        return LongStream.concat(LongStream.of(bos), LongStream.of(further(text)))
                .toArray();
    }

    /** {@return the ids of a text within a prompt} */
    long[] further(String text) {
        return tokenizer.get().encodeWithin(text);
    }

    /**
     * {@return the ids of messages}
     *
     * @param isFirst whether they begin a prompt, else they follow an answer
     */
    long[] chat(List<Message> messages, boolean isFirst) {
        LongStream.Builder ids = LongStream.builder();
        StringBuilder system = new StringBuilder();
        boolean isAfterAnswer = !isFirst;
        boolean isBegun = !isFirst;
        for (Message message : messages) {
            switch (message.role()) {
                case SYSTEM -> system.append("<<SYS>>\n").append(message.text()).append("\n<</SYS>>\n\n");
                case USER -> {
                    if (isAfterAnswer && eos >= 0) {
                        ids.add(eos);
                    }
                    if (isAfterAnswer || !isBegun) {
                        ids.add(bos);
                    }
                    add(ids, "[INST] " + system + message.text() + " [/INST]");
                    system.setLength(0);
                    isAfterAnswer = false;
                    isBegun = true;
                }
                case ASSISTANT -> {
                    if (!isBegun) {
                        ids.add(bos);
                    }
                    add(ids, message.text());
                    isAfterAnswer = true;
                    isBegun = true;
                }
            }
        }
        return ids.build().toArray();
    }

    private void add(LongStream.Builder ids, String text) {
        LongStream.of(further(text)).forEach(ids::add);
    }
}
