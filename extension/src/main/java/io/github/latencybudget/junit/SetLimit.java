package io.github.latencybudget.junit;

import io.github.latencybudget.budget.Rule;

/**
 * A limit that is set, as a rule.
 *
 * @param attribute the attribute that sets it
 */
record SetLimit(String attribute, Rule rule) {}
