package io.github.latencybudget.llama;

/**
 * A sequence that own kernels continue.
 *
 * @param token the latest one, whose key and value are not in the cache yet
 * @param position its place in the sequence, counted from 0
 * @param cacheAddress where the sequence's KV cache is: [layer][place][2 * kvHeads][headDim], keys before values
 * @param layerStrideBytes from the keys and values of one layer to those of the next
 */
record Slot(int token, int position, long cacheAddress, long layerStrideBytes) {}
