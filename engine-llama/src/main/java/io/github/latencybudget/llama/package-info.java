/**
 * Llama 2 in this process, on DJL's PyTorch engine: a TorchScript program kept as text, weights from a Hugging Face folder
 * or seeded random ones at a named shape, and a decode loop of its own.
 *
 * <p>Read {@code LlamaTarget} first, then {@code LlamaSession} and {@code llama.torchscript}.
 */
@NullMarked
package io.github.latencybudget.llama;

import org.jspecify.annotations.NullMarked;
