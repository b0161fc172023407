/**
 * Latency budgets as JUnit tests: the annotations, the extension that runs and judges a gate, the listener that records what was
 * planned and skipped and writes the report.
 */
@NullMarked
package io.github.latencybudget.junit;

import org.jspecify.annotations.NullMarked;
