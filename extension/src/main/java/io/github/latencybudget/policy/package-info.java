/**
 * Policies: what to measure, what has to hold, and which breach is put up with, read from YAML. A policy says the same as annotations
 * do, and is judged by the same budget.
 */
@NullMarked
package io.github.latencybudget.policy;

import org.jspecify.annotations.NullMarked;
