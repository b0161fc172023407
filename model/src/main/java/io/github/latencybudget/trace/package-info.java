/**
 * What was measured: the raw times of every request, the conditions they hold for, and nothing derived from them.
 *
 * <p>Depends on the JDK only.
 */
@NullMarked
package io.github.latencybudget.trace;

import org.jspecify.annotations.NullMarked;
