package io.github.latencybudget.openai;

/** Where the number of output tokens comes from, the best first. */
enum TokenSource {
    /** Token ids in every chunk. */
    CHUNK_IDS("chunk-ids"),
    /** Usage in every chunk. */
    CHUNK_USAGE("chunk-usage"),
    /** The usage at the end. */
    USAGE("usage"),
    /** The whole text, tokenised once. */
    RETOKENISED("retokenised"),
    /** The number of chunks, since nothing else is known. */
    CHUNKS("chunks");

    private final String label;

    TokenSource(String label) {
        this.label = label;
    }

    /** {@return the name in records} */
    String label() {
        return label;
    }
}
