/**
 * A server with OpenAI's API as a target: streaming completions and chat completions over HTTP.
 *
 * <p>The order to read it in: what is asked for ({@code OpenAiOptions}), the connection ({@code Connections}), one request on it
 * ({@code Exchange}), what its bytes mean ({@code EventStream}, {@code JsonScanner}, {@code StreamedAnswer}).
 */
@NullMarked
package io.github.latencybudget.openai;

import org.jspecify.annotations.NullMarked;
