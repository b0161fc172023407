/**
 * Puts a scenario on a target: warms it up, then runs the requests and records their tokens.
 *
 * <p>Knows targets by their interfaces only.
 */
@NullMarked
package io.github.latencybudget.load;

import org.jspecify.annotations.NullMarked;
