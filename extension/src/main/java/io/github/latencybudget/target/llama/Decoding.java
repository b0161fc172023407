package io.github.latencybudget.target.llama;

/** A way to run the program for one token after the other. Not for two threads at once. */
interface Decoding extends DecodeLoop.Decoder, AutoCloseable {

    /** {@return what results call it, such as {@code own kernels, cuda graph}, or {@code plain} and why it is not better} */
    String description();

    /**
     * Makes what a request needs and that is not part of its time.
     *
     * @param promptTokens the length of its prompt
     * @param outputTokens how many tokens follow at most
     */
    void prepare(int promptTokens, int outputTokens);

    /** The KV cache is about to be given up, and with it all that refers to it. */
    void forget();

    /** Begins a request, so that {@link #prefill} can follow. */
    void begin(long[] prompt, int outputTokens);

    /** {@return the logits after one token at the place {@code place}, counted from 0, of a sequence fed token by token} */
    float[] logits(long id, int place);

    /**
     * {@return how long the device worked for each token of the latest request, in milliseconds, the first for its prefill;
     * empty where there is no CUDA device}
     */
    double[] deviceMs();

    @Override
    void close();
}
