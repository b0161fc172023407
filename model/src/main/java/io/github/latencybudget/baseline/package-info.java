/**
 * Whether a run is as fast as an earlier one of the same conditions. Pure, as {@link io.github.latencybudget.budget} is: the same
 * two runs give the same comparison.
 */
@NullMarked
package io.github.latencybudget.baseline;

import org.jspecify.annotations.NullMarked;
