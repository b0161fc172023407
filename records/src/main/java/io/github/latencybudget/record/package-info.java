/**
 * The record files: what a gate was, what it measured and what was shown, one JSON file per gate and attempt, written before,
 * during and after the run so that a killed one is visible as such. A record holds every raw time and no prompt, no output and
 * no key.
 */
@NullMarked
package io.github.latencybudget.record;

import org.jspecify.annotations.NullMarked;
