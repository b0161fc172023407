/**
 * The metrics of the definitions ({@code docs/metrics.md}): pure functions of a trace. A value that is not defined is absent,
 * never 0 and never NaN.
 */
@NullMarked
package io.github.latencybudget.metric;

import org.jspecify.annotations.NullMarked;
