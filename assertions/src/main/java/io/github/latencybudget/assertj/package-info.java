/**
 * AssertJ assertions on measurements. They judge nothing themselves: {@link io.github.latencybudget.budget.Budget#evaluate} does,
 * and anything but a pass is an {@link java.lang.AssertionError} that holds the verdicts with their evidence.
 */
@NullMarked
package io.github.latencybudget.assertj;

import org.jspecify.annotations.NullMarked;
