/**
 * The report of a run, for people and for scripts: a page, a summary for the CI job and a JSON file, all made from the record
 * files alone, so that a run that was killed can be reported too.
 */
@NullMarked
package io.github.latencybudget.report;

import org.jspecify.annotations.NullMarked;
