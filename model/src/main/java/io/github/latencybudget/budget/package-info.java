/**
 * What has to hold, and whether it was shown to hold. {@link io.github.latencybudget.budget.Budget#evaluate} is the only judge;
 * it knows no clock, no device and no test framework.
 */
@NullMarked
package io.github.latencybudget.budget;

import org.jspecify.annotations.NullMarked;
